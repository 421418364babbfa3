// SPDX-License-Identifier: Apache-2.0
// The output of `darkroomctl` without a command: one line about the daemon, the lists at work, and the commands
// to begin with.

internal import Steer
internal import Vocabulary

enum BriefText {
  /// The newest ones.
  private static let mostLists = 10

  static func text(
    _ report: StatusReport, _ all: [ListSummary], _ screen: ToolScreen, at place: DaemonPlace,
    now: UInt64, users: (UInt32) -> String?
  ) -> String {
    let lists = report.work.lists
    let files = report.waitingFiles
    let open = ListFilter().pick(all, users: users).filter { !$0.isFinal }
    let work =
      lists > 0
      ? "\(Amounts.counted(lists, "list is", "lists are")) not finished"
      : files > 0
        ? "\(Amounts.counted(files, "file waits", "files wait")) in the inbox"
        : all.isEmpty ? "no list yet" : "every list is done"
    let head = StatusText.title(report, ": \(work)", screen) + "\n"
    if screen.isPlain { return plain(report, open) }
    var text = head
    if let first = report.degraded.first {
      let more = report.degraded.count - 1
      let tail = more > 0 ? "; \(more) more: \(place.tool) status" : ""
      text +=
        Prose.folded(
          "Degraded: \(Printable.sentence(first))\(tail)", screen, indent: 4, tone: .bad,
          of: "Degraded"
        )
        + "\n"
    }
    if !open.isEmpty {
      let shown = Array(open.suffix(mostLists))
      text += "\n" + ListText.table(shown, screen, now: now, users: users)
      let more = open.count - shown.count
      if more > 0 { text += "and \(Amounts.counted(more, "list", more: true))\n" }
    }
    let commands = [
      "To give it a list: \(place.tool) submit FILE"
        + (all.isEmpty ? ", or drop it into \(Printable.text(report.inbox))" : ""),
      "To wait for a list: \(place.tool) wait LIST",
      "To see all commands: \(place.tool) help",
    ].map { Prose.folded($0, screen, indent: 4) + "\n" }
    return text + "\n" + commands.joined()
  }

  /// Lines of a key and a value, then for each list a line `list` with the columns of `list`.
  private static func plain(_ report: StatusReport, _ open: [ListSummary]) -> String {
    TextTable.plain(["version", Printable.text(report.version)])
      + TextTable.plain(["state", Printable.sentence(report.state)])
      + open.map { "list\t" + ListText.plain($0) }.joined()
  }
}
