// SPDX-License-Identifier: Apache-2.0
// The questions of `submit`: where the inbox is, and what became of a file in it.

internal import Linux
internal import Steer
internal import Vocabulary

extension DaemonTalk {
  enum Fate {
    case list(UInt64)
    case rejected(why: String)
    /// It stays in the inbox, and becomes no list.
    case ignored(why: String)
  }

  private static let pause = Duration.milliseconds(100)

  /// The path of the inbox, the highest number of a list, and why pictures would stay in the inbox.
  func intake() throws(ControlFailure) -> (inbox: String, newest: UInt64, pictureRefusal: String?) {
    guard case .status(let report) = try ask(.status), case .lists(let lists) = try ask(.lists)
    else { throw Self.otherKind }
    return (report.inbox, lists.map(\.id).max() ?? 0, report.pictureRefusal)
  }

  /// Waits while the file is in the inbox; fails if the daemon cannot see it there. Goes by its name among the
  /// files that have left, not by the names of lists: another user may have a list of that name.
  func fate(
    of file: String, after newest: UInt64, until deadline: Duration?
  ) throws(ControlFailure) -> Fate {
    while true {
      guard case .inbox(let report) = try ask(.inbox) else { throw Self.otherKind }
      let own = report.files.filter { $0.name == file }
      if own.isEmpty, report.more == 0, !report.trouble.isEmpty {
        throw .refused(.notPossible(why: report.trouble))
      }
      if !own.contains(where: { $0.fate == InboxFile.Fate.waiting.rawValue }) {
        // An older number only if the file is a copy of a list at work.
        let gone = own.last { $0.fate == InboxFile.Fate.accepted.rawValue && $0.list > newest }
        let ignored = own.first { $0.fate == InboxFile.Fate.ignored.rawValue }
        if gone == nil, let ignored { return .ignored(why: ignored.why) }
        if let gone = gone ?? (report.more == 0 ? own.last : nil) {
          return gone.fate == InboxFile.Fate.rejected.rawValue
            ? .rejected(why: gone.why) : .list(gone.list)
        }
      }
      if let deadline, clock.uptime() >= deadline { throw .timeIsOver }
      _ = try? Poll.wait([], for: Self.pause)
    }
  }

  func summary(of list: ListReference) throws(ControlFailure) -> ListSummary {
    guard case .show(let report) = try ask(.show(ShowOrder(list: list, limit: 0))) else {
      throw Self.otherKind
    }
    return report.list
  }
}
