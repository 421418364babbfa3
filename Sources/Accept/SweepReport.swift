// SPDX-License-Identifier: Apache-2.0
// What one sweep found, once everything it led to was done.

package import Vocabulary

package struct SweepReport: Equatable, Sendable {
  package struct Waiting: Equatable, Sendable {
    package let name: FileName
    /// In words, for people.
    package let waitsFor: String
  }

  /// Files that may still become lists by themselves. Those we may not read are not among them.
  package var candidates = 0
  /// Files we may not open.
  package var unreadable = 0
  /// Some of the waiting and unreadable ones, for showing.
  package var waiting: [Waiting] = []
  /// Some of the ignored ones, for showing.
  package var ignored: [FileName: IgnoredReason] = [:]
  /// The inbox could not be read, so nothing is known.
  package var isTroubled = false
  /// The inbox does not work any more.
  package var isStopped = false

  /// Nothing is left that needs waiting for.
  package var isEmpty: Bool { candidates == 0 && !isTroubled }

  package static let stopped = SweepReport(isStopped: true)
  static let maximumShown = 1_000
}
