// SPDX-License-Identifier: Apache-2.0
// The words that name record kinds. They are part of the format: never renamed, never reused.

enum RecordKind: String, CaseIterable {
  // The most frequent first: the search goes in this order.
  case filtered, downloaded, failed, retry, accepted, finished, paused, resumed, cancelled, rejected
  case lost, died, quality
  /// A version that does not know it would bring back a list without files: it does not start.
  case removed = "Removed"

  /// Part of the format, and they change state, but this version neither writes nor reads them.
  static let reserved: Set = ["reopened"]

  private static let words = allCases.map { (kind: $0, bytes: Array($0.rawValue.utf8)) }

  static func named(_ bytes: ArraySlice<UInt8>) -> RecordKind? {
    for word in words where word.bytes.count == bytes.count && word.bytes.elementsEqual(bytes) {
      return word.kind
    }
    return nil
  }
}
