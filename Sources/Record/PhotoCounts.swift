// SPDX-License-Identifier: Apache-2.0
// Counts the photos of a list by state. Moving a photo does not change the sum.

package import Vocabulary

package struct PhotoCounts: Equatable, Sendable {
  private var numbers: [4 of UInt32]

  package init(new: UInt32, downloaded: UInt32 = 0, filtered: UInt32 = 0, failed: UInt32 = 0) {
    numbers = [new, downloaded, filtered, failed]
  }

  package subscript(_ state: PhotoState) -> UInt32 { numbers[Int(state.rawValue)] }

  package var new: UInt32 { self[.new] }
  package var downloaded: UInt32 { self[.downloaded] }
  package var filtered: UInt32 { self[.filtered] }
  package var failed: UInt32 { self[.failed] }
  /// Photos with work left.
  package var unfinished: UInt32 { new + downloaded }

  package var total: UInt64 { numbers.indices.reduce(0) { $0 + UInt64(numbers[$1]) } }

  mutating func add(_ photos: UInt32, to state: PhotoState) {
    numbers[Int(state.rawValue)] += photos
  }

  mutating func move(from: PhotoState, to: PhotoState) {
    numbers[Int(from.rawValue)] -= 1
    numbers[Int(to.rawValue)] += 1
  }

  /// Photos that were only downloaded count as new.
  mutating func dropOriginals() {
    numbers[Int(PhotoState.new.rawValue)] += downloaded
    numbers[Int(PhotoState.downloaded.rawValue)] = 0
  }

  package static func == (a: PhotoCounts, b: PhotoCounts) -> Bool {
    PhotoState.allCases.allSatisfy { a[$0] == b[$0] }
  }
}
