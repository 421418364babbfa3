// SPDX-License-Identifier: Apache-2.0
// The state of the inbox after a sweep, and what a caller asks about it.

package import Vocabulary

/// The inbox's thread looks through all files for the answer: a report holds only some of very many.
package struct SweepQuestion: Sendable {
  /// The files of this user are shown first.
  package var user: UInt32?
  /// Only these files are shown, by the name of the list that each becomes.
  package var means: @Sendable (FileName) -> Bool

  package init(
    user: UInt32? = nil, means: @escaping @Sendable (FileName) -> Bool = { _ in true }
  ) {
    self.user = user
    self.means = means
  }
}

package struct SweepReport: Equatable, Sendable {
  package struct Waiting: Equatable, Sendable {
    package let name: FileName
    /// The name of the list that it becomes, or its own: a single picture is a list of its name.
    package let listName: FileName
    /// The reason for the wait, in words for people.
    package let waitsFor: OwnersReason
    package let owner: UInt32
    /// The list that the file became, if it only has to leave the inbox.
    package let list: ListID?
    /// The file was rejected, and stays until it changes.
    package let isRejected: Bool
    /// A person has to act.
    package let needsPerson: Bool
  }

  /// Files that may still become lists without help.
  package var candidates = 0
  /// Files for which a person has to act, such as files that the daemon may not open.
  package var helpless = 0
  /// The waiting and unreadable files that are asked for, or some of them: the user's own first, then the oldest.
  package var waiting: [Waiting] = []
  /// The number of files that wait, are unreadable, or were rejected and stay; and of ignored files.
  package var waitingCount = 0
  package var ignoredCount = 0
  /// Some of the ignored files that are asked for.
  package var ignored: [FileName: IgnoredReason] = [:]
  /// Of these, folders that changed a moment ago: pictures may still come into them.
  package var undecided: Set<FileName> = []
  /// The inbox could not be read, so nothing is known.
  package var isTroubled = false
  /// The inbox has stopped.
  package var isStopped = false

  /// No file is left to wait for.
  package var isEmpty: Bool { candidates == 0 && !isTroubled }

  package static let stopped = SweepReport(isStopped: true)
  static let maximumShown = 1_000
}

extension InboxState {
  /// - Parameter rolls: lists that have not left the inbox; their pictures may be in `.claim` alone.
  func report(
    _ question: SweepQuestion = SweepQuestion(), rolls: Int = 0, at now: Duration
  ) -> SweepReport {
    var report = SweepReport(candidates: rolls)
    report.ignored = ignored.filter { question.means($0.key) }
    report.ignoredCount = ignoredCount
    report.waitingCount = waiting.count
    var shown: [WaitingFile] = []
    for file in waiting.values {
      switch file.phase {
      case _ where file.needsPerson: report.helpless += 1
      case .leftBehind: break
      case .withoutPictures:
        report.waitingCount -= 1
        report.ignoredCount += 1
        if question.means(file.candidate.name) {
          report.ignored[file.candidate.name] = .noPictures
          if now - file.since < RollWalks.interval { report.undecided.insert(file.candidate.name) }
        }
        continue
      default: report.candidates += 1
      }
      guard question.means(file.listName ?? file.candidate.name) else { continue }
      shown.append(file)
      if shown.count == 2 * SweepReport.maximumShown { Self.cut(&shown, question.user) }
    }
    Self.cut(&shown, question.user)
    report.waiting = shown.map { SweepReport.Waiting($0) }
    return report
  }

  /// Keeps as many as are shown. Cut again and again, so that very many files are never sorted at once.
  private static func cut(_ files: inout [WaitingFile], _ user: UInt32?) {
    files.sort { one, other in
      let isOwn = one.candidate.status.owner == user
      return isOwn == (other.candidate.status.owner == user) ? one.isBefore(other) : isOwn
    }
    files.removeLast(max(0, files.count - SweepReport.maximumShown))
  }
}

extension SweepReport.Waiting {
  init(_ file: WaitingFile) {
    let place = file.candidate.key.place
    let list: ListID? = if case .claim(let list) = place { list } else { nil }
    self.init(
      name: file.candidate.name, listName: file.listName ?? file.candidate.name,
      waitsFor: file.waitsFor, owner: file.candidate.status.owner, list: list,
      isRejected: file.phase == .leftBehind, needsPerson: file.needsPerson)
  }
}
