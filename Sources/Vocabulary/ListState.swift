// SPDX-License-Identifier: Apache-2.0
// The recorded state of a list. `accepted` becomes `running` with the first recorded change of a photo;
// that step has no record of its own.

package enum ListState: UInt8, Sendable, CaseIterable {
  case accepted = 0
  case running = 1
  /// No photo starts until the list is resumed. Survives a restart.
  case paused = 2
  /// Every photo is filtered or failed.
  case finished = 3
  /// Ended by its owner. Existing prints stay.
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
