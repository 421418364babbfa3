// SPDX-License-Identifier: Apache-2.0
// The output of `status`.

package import Steer
internal import Vocabulary

package enum StatusText {
  package static func text(_ report: StatusReport, _ screen: ToolScreen, now: UInt64) -> String {
    screen.isTerminal ? words(report, screen, now: now) : plain(report)
  }

  private static func words(_ report: StatusReport, _ screen: ToolScreen, now: UInt64) -> String {
    let isWell = report.state == "running" && report.degraded.isEmpty
    let state = screen.tinted(Printable.text(report.state), isWell ? .good : .bad)
    let age = Amounts.span(milliseconds: now - min(now, report.since))
    var lines = [
      "darkroomd \(Printable.text(report.version)) is \(state), started \(age) ago",
      row("lists", count(report.work.lists, "list is", "lists are") + " not finished"),
      row("photos", "\(report.work.photosWaiting) waiting, \(report.work.photosRunning) begun"),
      row("begun", begun(report.work)),
      row("inbox", Printable.text(report.inbox)), row("prints", Printable.text(report.prints)),
      row("memory", Amounts.bytes(report.residentBytes)),
      row("sandbox", Printable.text(report.sandbox)),
    ]
    lines += report.hosts.map { row("waiting", host($0, now: now)) }
    if report.moreHosts > 0 { lines.append(row("", "and \(report.moreHosts) more hosts")) }
    lines += report.degraded.map { row("degraded", screen.tinted(Printable.text($0), .bad)) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Photos between two steps wait for a place in the next one.
  private static func begun(_ work: WorkCounts) -> String {
    let between = work.photosRunning &- work.downloads &- work.filters &- work.outputs
    return "\(work.downloads) downloading, \(work.filters) filtering, \(work.outputs) writing"
      + (between > 0 ? ", \(between) between two steps" : "")
  }

  /// The answer to `flush`.
  package static func flushed(_ hosts: Int, named host: String?) -> String {
    switch hosts {
    case 0: "No trouble with \(host.map { Printable.text($0) } ?? "any host") is known.\n"
    case 1: "Retrying 1 host that did not answer.\n"
    default: "Retrying \(hosts) hosts that did not answer.\n"
    }
  }

  private static func host(_ host: HostSummary, now: UInt64) -> String {
    let wait = host.until > now ? "in \(Amounts.span(milliseconds: host.until - now))" : "now"
    return "\(Printable.text(host.reason)); next attempt \(wait)"
  }

  private static func row(_ name: String, _ value: String) -> String {
    String(repeating: " ", count: 10 - name.count) + "\(name)  \(value)"
  }

  private static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  private static func plain(_ report: StatusReport) -> String {
    let rows: [[String]] =
      [
        ["version", Printable.text(report.version)], ["state", Printable.text(report.state)],
        ["since", DateText.utc(milliseconds: report.since)], ["lists", "\(report.work.lists)"],
        ["photosWaiting", "\(report.work.photosWaiting)"],
        ["photosRunning", "\(report.work.photosRunning)"],
        ["downloads", "\(report.work.downloads)"], ["filters", "\(report.work.filters)"],
        ["outputs", "\(report.work.outputs)"], ["inbox", Printable.text(report.inbox)],
        ["prints", Printable.text(report.prints)], ["residentBytes", "\(report.residentBytes)"],
        ["sandbox", Printable.text(report.sandbox)],
      ] + report.degraded.map { ["degraded", Printable.text($0)] }
      + report.hosts.map {
        [
          "host", Printable.text($0.name), Printable.text($0.code), "\($0.attempts)",
          "\($0.since)", "\($0.until)", Printable.text($0.reason),
        ]
      } + (report.moreHosts > 0 ? [["moreHosts", "\(report.moreHosts)"]] : [])
    return rows.map { TextTable.plain($0) }.joined()
  }
}
