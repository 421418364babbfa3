// SPDX-License-Identifier: Apache-2.0
// The output of `status`.

package import Steer
internal import Vocabulary

package enum StatusText {
  package static func text(
    _ report: StatusReport, _ screen: ToolScreen, now: UInt64, users: (UInt32) -> String?
  ) -> String {
    screen.isTerminal ? words(report, screen, now: now, users: users) : plain(report)
  }

  private static func words(
    _ report: StatusReport, _ screen: ToolScreen, now: UInt64, users: (UInt32) -> String?
  ) -> String {
    var rows = lists(report.work, users: users)
    rows += [
      ("inbox", Printable.text(report.inbox)),
      ("prints", Printable.text(report.prints)), ("memory", Amounts.bytes(report.residentBytes)),
      ("sandbox", Printable.text(report.sandbox)),
    ]
    if let cluster = report.cluster { rows.append(("cluster", Self.cluster(cluster, now: now))) }
    if let why = report.pictureRefusal {
      rows.append(("pictures", "stay in the inbox: \(Printable.sentence(why))"))
    }
    if report.waitingFiles > 0 { rows.append(("files", files(report))) }
    rows += report.expiring.map { ("expiring", Printable.sentence($0)) }
    rows += report.hosts.map { ("waiting", host($0, now: now)) }
    if report.moreHosts > 0 {
      rows.append(("", "and \(Amounts.counted(report.moreHosts, "host", more: true))"))
    }
    let age = Amounts.age(since: report.since, now: now)
    let lines =
      [title(report, ", started \(age) ago", screen)] + rows.map { row($0, $1, screen) }
      + report.degraded.map { row("degraded", Printable.sentence($0), screen, isBad: true) }
      + report.mistakes.map { row("mistake", Printable.sentence($0), screen) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// `darkroomd 1.0 is running`, and the tail.
  static func title(_ report: StatusReport, _ tail: String, _ screen: ToolScreen) -> String {
    let isWell = report.state == "running" && report.degraded.isEmpty
    let state = Printable.sentence(report.state)
    return Prose.folded(
      "darkroomd \(Printable.text(report.version)) is \(state)\(tail)", screen, indent: 2,
      tone: isWell ? .good : .bad, of: state)
  }

  private static func lists(
    _ work: WorkCounts, users: (UInt32) -> String?
  ) -> [(String, String)] {
    guard work.areKnown else {
      return [("lists", "not known yet: the journal file cannot be read before the start is over")]
    }
    var rows = [
      ("lists", "\(Amounts.counted(work.lists, "list is", "lists are")) not finished"),
      ("photos", "\(work.photosWaiting) waiting, \(work.photosRunning) begun"),
      ("begun", begun(work)),
    ]
    if work.pausedLists > 0 { rows.insert(("paused", paused(work, users: users)), at: 1) }
    return rows
  }

  private static func paused(_ work: WorkCounts, users: (UInt32) -> String?) -> String {
    let named = work.paused.reduce(0) { $0 + $1.lists }
    let owners =
      work.paused.map { "\($0.lists) of \(Printable.text(users($0.owner) ?? "user \($0.owner)"))" }
      + (work.pausedLists > named ? ["\(work.pausedLists - named) of other users"] : [])
    return "\(Amounts.counted(work.pausedLists, "list waits", "lists wait")) for resume: "
      + owners.joined(separator: ", ")
  }

  /// Photos between two steps wait for a place in the next one.
  private static func begun(_ work: WorkCounts) -> String {
    let between = work.photosRunning &- work.downloads &- work.filters &- work.outputs
    return "\(work.downloads) downloading, \(work.filters) filtering, \(work.outputs) writing"
      + (between > 0 ? ", \(between) between two steps" : "")
  }

  private static func files(_ report: StatusReport) -> String {
    "\(Amounts.counted(report.waitingFiles, "file waits", "files wait")) in the inbox"
      + (report.unreadableFiles > 0 ? "; \(unreadable(report.unreadableFiles))" : "")
  }

  static func unreadable(_ files: Int) -> String {
    "\(Amounts.counted(files, "file")) in the inbox cannot be read; see darkroomctl inbox"
  }

  /// The answer to `flush`.
  ///
  /// - Parameter hold: the reason for which all work, or the downloads through the proxy, wait.
  package static func flushed(_ hosts: Int, named host: String?, hold: String? = nil) -> String {
    let trouble = hold.map {
      host == nil
        ? "Trying again now: \($0).\n"
        : "Work waits: \($0). 'darkroomctl flush' without a host tries again now.\n"
    }
    if hosts > 0 {
      return "Retrying \(Amounts.counted(hosts, "host")) that did not answer.\n" + (trouble ?? "")
    }
    if let trouble, host == nil { return trouble }
    guard let host else { return "No trouble with any host is known.\n" }
    return "No trouble with \(Printable.text(host)) is known, and no photo is tried earlier.\n"
      + (trouble ?? "")
  }

  private static func cluster(_ cluster: ClusterSummary, now: UInt64) -> String {
    let outbox =
      cluster.outbox == 0
      ? "" : "; \(Amounts.counted(cluster.outbox, "photo waits", "photos wait")) to be told"
    let node = "node \(Printable.text(cluster.node))"
    guard cluster.since > 0 else {
      let shortage = cluster.shortage.map { "; \(Printable.sentence($0))" } ?? ""
      return "\(node), connected to the ledger\(shortage)\(outbox)"
    }
    return "\(node), waiting for the ledger since \(Amounts.age(since: cluster.since, now: now)): "
      + Printable.sentence(cluster.trouble) + outbox
  }

  private static func host(_ host: HostSummary, now: UInt64) -> String {
    let wait = host.until > now ? "in \(Amounts.span(milliseconds: host.until - now))" : "now"
    return "\(Printable.sentence(host.reason)); next attempt \(wait)"
  }

  private static func row(
    _ name: String, _ value: String, _ screen: ToolScreen, isBad: Bool = false
  ) -> String {
    Prose.folded(
      String(repeating: " ", count: 10 - name.count) + "\(name)  \(value)", screen, indent: 12,
      tone: isBad ? .bad : nil, of: value)
  }

  private static func plain(_ report: StatusReport) -> String {
    let rows: [[String]] =
      [
        ["version", Printable.text(report.version)], ["state", Printable.sentence(report.state)],
        ["since", DateText.utc(milliseconds: report.since)], ["lists", "\(report.work.lists)"],
        ["listsKnown", report.work.areKnown ? "yes" : "no"],
        ["pausedLists", "\(report.work.pausedLists)"],
        ["photosWaiting", "\(report.work.photosWaiting)"],
        ["photosRunning", "\(report.work.photosRunning)"],
        ["downloads", "\(report.work.downloads)"], ["filters", "\(report.work.filters)"],
        ["outputs", "\(report.work.outputs)"], ["inbox", Printable.text(report.inbox)],
        ["prints", Printable.text(report.prints)], ["residentBytes", "\(report.residentBytes)"],
        ["sandbox", Printable.text(report.sandbox)], ["waitingFiles", "\(report.waitingFiles)"],
        ["unreadableFiles", "\(report.unreadableFiles)"],
      ] + (report.pictureRefusal.map { [["pictureRefusal", Printable.sentence($0)]] } ?? [])
      + report.work.paused.map { ["paused", "\($0.owner)", "\($0.lists)"] }
      + (report.cluster.map { cluster in
        [
          [
            "cluster", Printable.text(cluster.node), "\(cluster.since)", "\(cluster.outbox)",
            Printable.sentence(cluster.trouble),
          ] + (cluster.shortage.map { [Printable.sentence($0)] } ?? [])
        ]
      } ?? [])
      + report.expiring.map { ["expiring", Printable.sentence($0)] }
      + report.degraded.map { ["degraded", Printable.sentence($0)] }
      + report.mistakes.map { ["mistake", Printable.sentence($0)] }
      + report.hosts.map {
        [
          "host", Printable.text($0.name), Printable.text($0.code), "\($0.attempts)",
          "\($0.since)", "\($0.until)", Printable.sentence($0.reason),
        ]
      } + (report.moreHosts > 0 ? [["moreHosts", "\(report.moreHosts)"]] : [])
    return rows.map { TextTable.plain($0) }.joined()
  }
}
