// SPDX-License-Identifier: Apache-2.0
// The first line of a segment: its number, its state folder, and the record that it follows. The line has its
// own checksum, so that a reader can tell an unknown version from a flipped bit.

internal import Digests

package struct SegmentHeader: Equatable, Sendable {
  package static let version: UInt64 = 1

  package let segment: UInt64
  /// The permanent id of the state folder; 32 hex digits.
  package let stateID: String
  /// The boot in which the segment was begun.
  package let bootID: String
  /// The last sequence number that is durable without this segment. Later records in earlier segments were
  /// never acknowledged there.
  package let after: UInt64

  package init(segment: UInt64, stateID: String, bootID: String, after: UInt64) {
    self.segment = segment
    self.stateID = stateID
    self.bootID = bootID
    self.after = after
  }

  /// The seed for the checksums of the segment's records: no record of another segment or machine, or from a
  /// reused disk block, verifies here.
  package static func seed(stateID: String, segment: UInt64) -> UInt32 {
    CRC32C.checksum(Array("\(stateID) \(segment)".utf8))
  }

  package var line: [UInt8] {
    var text = LineText()
    text.add("#darkroom-journal ")
    text.add(Self.version)
    text.field("segment", segment)
    text.field("state", word: stateID)
    text.field("boot", word: bootID)
    text.field("after", after)
    let checksum = CRC32C.checksum(text.bytes)
    text.add(" crc=")
    text.add(hex: UInt64(checksum), digits: 8)
    text.add(byte: 0x0A)
    return text.bytes
  }

  package enum Reading: Equatable, Sendable {
    case header(SegmentHeader)
    /// Whole, but of a version that this one does not know.
    case newer(UInt64)
    case damaged
  }

  package static func read(_ bytes: [UInt8], _ range: Range<Int>) -> Reading {
    var cursor = LineCursor(bytes, range)
    let tail = range.upperBound - 13
    guard range.count > 13, range.count < JournalRecord.maximumBytes,
      cursor.take("#darkroom-journal "), let version = cursor.number(), cursor.at <= tail
    else { return .damaged }
    var end = LineCursor(bytes, tail..<range.upperBound)
    guard end.take(" crc="), let checksum = end.hex((tail + 5)..<range.upperBound, digits: 8),
      CRC32C.checksum(bytes[range.lowerBound..<tail]) == UInt32(checksum)
    else { return .damaged }
    guard version == Self.version else { return .newer(version) }
    guard let segment = cursor.number(field: "segment"), let state = cursor.text(field: "state"),
      let boot = cursor.text(field: "boot"), let after = cursor.number(field: "after")
    else { return .damaged }
    return .header(SegmentHeader(segment: segment, stateID: state, bootID: boot, after: after))
  }
}
