// SPDX-License-Identifier: Apache-2.0
// How far the newest segment is durable, in a file of one line beside it. It is written after each sync of the
// segment and is not synced itself: an old line is also true, since a segment only grows. It tells damage at
// the end of the segment, whose records were acknowledged, from an append that a crash interrupted.

internal import Digests
internal import Vocabulary

struct SegmentEnd: Equatable {
  let bytes: UInt64
  /// The last record.
  let sequence: UInt64

  private static let head = Array("#darkroom-end 1 sequence=".utf8)
  private static let middle = Array(" bytes=".utf8)
  private static let check = Array(" crc=".utf8)
  private static let digits = 20
  static let length = head.count + digits + middle.count + digits + check.count + 8 + 1

  init(bytes: UInt64, sequence: UInt64) {
    self.bytes = bytes
    self.sequence = sequence
  }

  /// Nil if the line is not whole, or of another segment.
  init?(line: [UInt8], seed: UInt32) {
    guard line.count == Self.length else { return nil }
    func number(at start: Int) -> UInt64? {
      UInt64(String(decoding: line.dropFirst(start).prefix(Self.digits), as: UTF8.self))
    }
    let second = Self.head.count + Self.digits + Self.middle.count
    guard let sequence = number(at: Self.head.count), let bytes = number(at: second),
      max(sequence, bytes) <= LineCursor.largest
    else {
      return nil
    }
    self.init(bytes: bytes, sequence: sequence)
    if self.line(seed: seed) != line { return nil }
  }

  func line(seed: UInt32) -> [UInt8] {
    var line = Self.head
    line.append(decimal: sequence, digits: Self.digits)
    line += Self.middle
    line.append(decimal: bytes, digits: Self.digits)
    let checksum = CRC32C.checksum(line, seed: seed)
    line += Self.check
    line.append(hex: UInt64(checksum), digits: 8)
    line.append(0x0A)
    return line
  }
}
