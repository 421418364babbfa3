// SPDX-License-Identifier: Apache-2.0
// The state of a photo as users see it: the recorded one, or unknown. A list that is over keeps the states in the rows
// of its results alone, so a row that is lost takes the state with it.

package enum SeenState: String, Sendable, CaseIterable {
  case new, downloaded, filtered, failed
  /// The photo has ended, and the row with its end is missing or cannot be read.
  case unknown

  package init(_ state: PhotoState) {
    self =
      switch state {
      case .new: .new
      case .downloaded: .downloaded
      case .filtered: .filtered
      case .failed: .failed
      }
  }

  package var name: String { rawValue }

  package var isFinal: Bool { self != .new && self != .downloaded }

  /// As in the reply to `States`: the number of the recorded state, then that of `unknown`.
  package var digit: UInt8 {
    let place: UInt8 =
      switch self {
      case .new: 0
      case .downloaded: 1
      case .filtered: 2
      case .failed: 3
      case .unknown: 4
      }
    return 0x30 + place
  }
}
