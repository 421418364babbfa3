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
      row("photos", "\(report.work.photosWaiting) waiting, \(report.work.photosRunning) running"),
      row(
        "at work",
        "\(report.work.downloads) downloading, \(report.work.filters) filtering, "
          + "\(report.work.outputs) writing"),
      row("inbox", Printable.text(report.inbox)), row("prints", Printable.text(report.prints)),
      row("memory", Amounts.bytes(report.residentBytes)),
      row("sandbox", Printable.text(report.sandbox)),
    ]
    lines += report.hosts.map { row("waiting", host($0, now: now)) }
    if report.moreHosts > 0 { lines.append(row("", "and \(report.moreHosts) more hosts")) }
    lines += report.degraded.map { row("degraded", screen.tinted(Printable.text($0), .bad)) }
    return lines.map { $0 + "\n" }.joined()
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
