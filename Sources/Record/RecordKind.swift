// SPDX-License-Identifier: Apache-2.0
// The words that name record kinds. They are part of the format: never renamed, never reused.

enum RecordKind: UInt8, CaseIterable {
  // The most frequent first: the search goes in this order.
  case filtered, downloaded, failed, retry, accepted, finished, paused, resumed, cancelled, rejected
  case lost, died
  /// Part of the format, and they change state, but this version does not write them.
  case reopened, quality

  var name: String {
    switch self {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .paused: "paused"
    case .resumed: "resumed"
    case .cancelled: "cancelled"
    case .reopened: "reopened"
    case .finished: "finished"
    case .quality: "quality"
    case .downloaded: "downloaded"
    case .filtered: "filtered"
    case .failed: "failed"
    case .retry: "retry"
    case .lost: "lost"
    case .died: "died"
    }
  }

  private static let words = allCases.map { (kind: $0, bytes: Array($0.name.utf8)) }

  /// The word as bytes; the cases count from 0.
  var bytes: [UInt8] { Self.words[Int(rawValue)].bytes }

  static func named(_ bytes: ArraySlice<UInt8>) -> RecordKind? {
    for word in words where word.bytes.count == bytes.count && word.bytes.elementsEqual(bytes) {
      return word.kind
    }
    return nil
  }
}
