// SPDX-License-Identifier: Apache-2.0
// The state of the inbox after a sweep.

package import Vocabulary

package struct SweepReport: Equatable, Sendable {
  package struct Waiting: Equatable, Sendable {
    package let name: FileName
    /// The name of the list that it becomes, or its own: a single picture is a list of its name.
    package let listName: FileName
    /// The reason for the wait, in words for people.
    package let waitsFor: OwnersReason
    /// The list that the file became, if it only has to leave the inbox.
    package let list: ListID?
    /// The file was rejected, and stays until it changes.
    package let isRejected: Bool
    /// The daemon may not open it; a person has to act.
    package let isUnreadable: Bool
  }

  /// Files that may still become lists without help; unreadable files do not count.
  package var candidates = 0
  /// Files that the daemon may not open.
  package var unreadable = 0
  /// Some of the waiting and unreadable files, to show.
  package var waiting: [Waiting] = []
  /// The number of files that wait, are unreadable, or were rejected and stay; and of ignored files.
  package var waitingCount = 0
  package var ignoredCount = 0
  /// Some of the ignored files, to show.
  package var ignored: [FileName: IgnoredReason] = [:]
  /// The inbox could not be read, so nothing is known.
  package var isTroubled = false
  /// The inbox has stopped.
  package var isStopped = false

  /// No file is left to wait for.
  package var isEmpty: Bool { candidates == 0 && !isTroubled }

  package static let stopped = SweepReport(isStopped: true)
  static let maximumShown = 1_000
}

extension SweepReport.Waiting {
  init(_ file: WaitingFile) {
    let place = file.candidate.key.place
    let list: ListID? = if case .claim(let list) = place { list } else { nil }
    self.init(
      name: file.candidate.name, listName: file.listName ?? file.candidate.name,
      waitsFor: file.waitsFor, list: list,
      isRejected: file.phase == .leftBehind, isUnreadable: file.isUnreadable)
  }
}
