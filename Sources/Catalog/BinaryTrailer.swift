// SPDX-License-Identifier: Apache-2.0
// The last 32 bytes of a binary property list, which locate its objects. Checked against the size of the
// file. Raises `list.syntax`, `list.truncated`.

internal import Vocabulary

struct BinaryTrailer: Equatable {
  static let size: UInt64 = 32
  static let headSize: UInt64 = 8

  /// The size in bytes of an entry in the offset table.
  let offsetSize: Int
  /// The size in bytes of a reference to an object.
  let referenceSize: Int
  let objectCount: UInt64
  let top: UInt64
  let tableOffset: UInt64

  init(_ bytes: [UInt8], fileSize: UInt64) throws(Failure) {
    guard bytes.count == Int(Self.size) else {
      throw ListRefusal.truncated("it is too short for a binary property list")
    }
    func number(_ start: Int) -> UInt64 {
      bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    offsetSize = Int(bytes[6])
    referenceSize = Int(bytes[7])
    objectCount = number(8)
    top = number(16)
    tableOffset = number(24)
    let place = ListPlace.byte(fileSize - Self.size)
    let table = objectCount.multipliedReportingOverflow(by: UInt64(offsetSize))
    let end = tableOffset.addingReportingOverflow(table.partialValue)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount >= 1,
      top < objectCount, tableOffset > Self.headSize, !table.overflow, !end.overflow,
      end.partialValue == fileSize - Self.size
    else {
      throw ListRefusal.syntax(
        place, "the last 32 bytes do not match the file",
        advice: "It is truncated, or data follows its end; write it again")
    }
  }
}
