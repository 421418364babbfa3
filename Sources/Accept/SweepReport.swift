// SPDX-License-Identifier: Apache-2.0
// What one sweep found, once everything it led to was done.

package import Vocabulary

package struct SweepReport: Equatable, Sendable {
  package struct Waiting: Equatable, Sendable {
    package let name: FileName
    /// In words, for people.
    package let waitsFor: String
    /// The list that it is already, where only its way out of the inbox is left.
    package let list: ListID?
    /// It was turned away, and stays until it changes.
    package let isRejected: Bool
    /// We may not open it: somebody has to do something.
    package let isUnreadable: Bool
  }

  /// Files that may still become lists by themselves. Those we may not read are not among them.
  package var candidates = 0
  /// Files we may not open.
  package var unreadable = 0
  /// Some of the waiting and unreadable ones, for showing.
  package var waiting: [Waiting] = []
  /// How many files wait, may not be read, or were turned away and stay; how many are ignored.
  package var waitingCount = 0
  package var ignoredCount = 0
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

extension SweepReport.Waiting {
  init(_ file: WaitingFile) {
    let place = file.candidate.key.place
    let list: ListID? = if case .claim(let list) = place { list } else { nil }
    self.init(
      name: file.candidate.name, waitsFor: file.waitsFor, list: list,
      isRejected: file.phase == .leftBehind, isUnreadable: file.isUnreadable)
  }
}
