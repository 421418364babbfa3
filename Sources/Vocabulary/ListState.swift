// SPDX-License-Identifier: Apache-2.0
// The recorded state of a list. `accepted` becomes `running` with the first recorded change of a photo;
// that step has no separate record.

package enum ListState: String, Sendable, CaseIterable {
  case accepted
  case running
  /// No photo starts until the list is resumed. Survives a restart.
  case paused
  /// Every photo is filtered or failed.
  case finished
  /// Ended by its owner. Existing prints stay.
  case cancelled

  package var name: String { rawValue }

  /// Nothing is left to do for the list.
  package var isFinal: Bool { self == .finished || self == .cancelled }
}
