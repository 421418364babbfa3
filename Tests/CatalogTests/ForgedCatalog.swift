// SPDX-License-Identifier: Apache-2.0
// Catalogs as a hostile worker could write them: damaged, but with checksums that fit.

import Digests

enum ForgedCatalog {
  /// One photo with one more field of the right size.
  static func one(field tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    one(fields: [tag] + varint(value.count) + value)
  }

  /// One photo, `a`, with these bytes after its name and URL.
  static func one(fields more: [UInt8]) -> [UInt8] {
    let fields: [UInt8] = [1, 1, 0x61, 2, 1, 0x62] + more
    var bytes = Array("drcatlg".utf8) + [1] + varint(fields.count) + fields
    let options = bytes.count
    bytes += fixed(8) + [0, 0, 0, 0]
    bytes += fixed(options) + fixed(options) + [1, 0, 0, 0] + [0, 0, 0, 0]
    return sealed(bytes + Array("drcatend".utf8))
  }

  private static func varint(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }

  private static func fixed(_ value: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// Corrects the checksums of footer and blocks, as far as the offsets in the bytes allow.
  static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let footer = bytes.count - 32
    let options = number(bytes, footer)
    let index = number(bytes, footer + 8)
    var row = index
    while row >= 8, row + 12 <= footer {
      let start = number(bytes, row)
      let end = row + 24 <= footer ? number(bytes, row + 12) : options
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
