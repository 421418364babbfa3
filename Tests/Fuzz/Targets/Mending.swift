// SPDX-License-Identifier: Apache-2.0
// Corrects checksums in changed bytes, as an attacker would.

import Digests
import Record
import Support

enum Mending {
  /// Corrects the checksum of each chunk; the zlib stream in IDAT keeps its own.
  static func png(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var place = 8
    while place + 12 <= bytes.count {
      let size = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      let end = place + 8 + size
      guard size <= bytes.count, end + 4 <= bytes.count else { break }
      let chunk = PNGForm.checksum(Array(bytes[(place + 4)..<end]))
      for index in 0..<4 {
        bytes[end + index] = UInt8(truncatingIfNeeded: chunk >> (24 - 8 * index))
      }
      place = end + 4
    }
    return bytes
  }

  /// Corrects the checksums of footer and blocks, as far as the offsets allow.
  static func catalog(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 40 else { return bytes }
    var bytes = bytes
    let footer = bytes.count - 32
    let options = number(bytes, footer)
    var row = number(bytes, footer + 8)
    while row >= 8, row <= footer - 12 {
      let start = number(bytes, row)
      let end = row <= footer - 24 ? number(bytes, row + 12) : options
      if start >= 8, start < end, end <= footer {
        put(CRC32C.checksum(bytes[start..<end]), at: row + 8, &bytes)
      }
      row += 12
    }
    if options >= 8, options <= footer {
      put(CRC32C.checksum(bytes[options..<(footer + 20)]), at: footer + 20, &bytes)
    }
    return bytes
  }

  /// Corrects the checksums of header and records, as in segment 1.
  static func segment(_ bytes: [UInt8]) -> [UInt8] {
    let seed = SegmentHeader.seed(stateID: SegmentProof.stateID, segment: 1)
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    for index in lines.indices {
      let line = lines[index]
      if line.first == UInt8(ascii: "#") {
        lines[index] = ending(line)
      } else if line.count > 9 {
        lines[index] = hex(CRC32C.checksum(line[9...], seed: seed)) + line[8...]
      }
    }
    return Array(lines.joined(separator: [0x0A]))
  }

  static func snapshot(_ bytes: [UInt8]) -> [UInt8] {
    bytes.last == 0x0A ? ending(Array(bytes[..<(bytes.count - 1)])) + [0x0A] : bytes
  }

  /// Replaces the end of a text with ` crc=` and eight digits.
  private static func ending(_ text: [UInt8]) -> [UInt8] {
    guard text.count > 13 else { return text }
    let body = text[..<(text.count - 13)]
    return Array(body) + Array(" crc=".utf8) + hex(CRC32C.checksum(body))
  }

  private static func hex(_ checksum: UInt32) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return stride(from: 28, through: 0, by: -4).map { digits[Int(checksum >> UInt32($0) & 15)] }
  }

  /// An offset; -1 if it does not fit an Int.
  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    Int(
      exactly: bytes[place..<(place + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      ?? -1
  }

  private static func put(_ crc: UInt32, at place: Int, _ bytes: inout [UInt8]) {
    for shift in 0..<4 { bytes[place + shift] = UInt8(truncatingIfNeeded: crc >> (shift * 8)) }
  }
}
