// SPDX-License-Identifier: Apache-2.0
// What is recorded of one list. `accepted` becomes `running` when its first photo is admitted; that
// step alone is not recorded, since nothing is lost by it.

package enum ListState: UInt8, Sendable, CaseIterable {
  case accepted = 0
  case running = 1
  /// Nothing new starts until it is resumed. Kept over restarts.
  case paused = 2
  /// Every photo is filtered or failed.
  case finished = 3
  /// Given up by its owner. Prints that exist stay.
  case cancelled = 4

  package var name: String {
    switch self {
    case .accepted: "accepted"
    case .running: "running"
    case .paused: "paused"
    case .finished: "finished"
    case .cancelled: "cancelled"
    }
  }

  /// Nothing is left to do for the list.
  package var isFinal: Bool { self == .finished || self == .cancelled }
}
