// SPDX-License-Identifier: Apache-2.0
// The durable length of the newest segment, in a file of one line beside it. It is written after each sync of
// the segment and is not synced itself: an old line is true, too, since a segment only grows. It tells damage
// at the end of the segment, whose records were acknowledged, from an append that a crash interrupted.

internal import Digests
internal import Vocabulary

enum SegmentEnd {
  private static let head = Array("#darkroom-end 1 bytes=".utf8)
  private static let check = Array(" crc=".utf8)
  private static let digits = 20
  static let length = head.count + digits + check.count + 8 + 1

  static func line(_ end: UInt64, seed: UInt32) -> [UInt8] {
    var bytes = head
    bytes.append(decimal: end, digits: digits)
    let checksum = CRC32C.checksum(bytes, seed: seed)
    bytes += check
    bytes.append(hex: UInt64(checksum), digits: 8)
    bytes.append(0x0A)
    return bytes
  }

  /// Nil if the line is not whole, or of another segment.
  static func read(_ bytes: [UInt8], seed: UInt32) -> UInt64? {
    guard bytes.count == length else { return nil }
    let number = bytes.dropFirst(head.count).prefix(digits)
    guard let end = UInt64(String(decoding: number, as: UTF8.self)) else { return nil }
    return bytes == line(end, seed: seed) ? end : nil
  }
}
