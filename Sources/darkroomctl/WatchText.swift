// SPDX-License-Identifier: Apache-2.0
// The output of `watch` and `cache`. A report of `watch` fits the screen, since the next one overwrites it.

package import Steer
internal import Vocabulary

package enum WatchText {
  /// The most transfers shown on a terminal; the others are counted.
  private static let shown = 20

  /// - Parameter hold: the reason for which all work, or the downloads through the proxy, wait.
  package static func text(_ report: WatchReport, _ screen: ToolScreen, hold: String? = nil)
    -> String
  {
    guard screen.isTerminal else {
      return report.lists.map { "list\t" + ListText.plain($0) }.joined()
        + report.transfers.map { "transfer\t" + plain($0) }.joined()
    }
    // The last row is the cursor's; transfers have half of the others at least.
    let rows = max(2, screen.rows - 1)
    let transfers = report.transfers.isEmpty ? 0 : min(report.transfers.count, shown) + 2
    let room = rows - min(transfers, rows / 2) - (hold == nil ? 0 : 1)
    let lists = part(of: report.lists, in: room).map { ProgressBar.line($0, screen) + "\n" }
    var text = lists.joined()
    if report.lists.isEmpty { text += "No list has work left.\n" }
    if report.lists.count > lists.count {
      let more = report.lists.count - lists.count
      text += "and \(Amounts.counted(more, "list", more: true))\n"
    }
    if let hold {
      text +=
        screen.tinted(TextTable.cut("waiting: \(hold)", to: max(1, screen.columns - 1)), .muted)
        + "\n"
    }
    if report.transfers.isEmpty { return text }
    let left = rows - 1 - text.utf8.count { $0 == 0x0A }
    var table = TextTable([
      .init("PHOTO", least: 8), .init("FROM", least: 8, isSpare: true),
      .init("BYTES", isRight: true), .init("OF", isRight: true, isSpare: true),
      .init("RATE", isRight: true, isSpare: true), .init("LEFT", isRight: true),
    ])
    let most = part(of: report.transfers, in: min(shown + 1, left))
    for transfer in most {
      let others = transfer.photos > 1 ? " and \(transfer.photos - 1) more" : ""
      table.add([
        .init(Printable.text(transfer.name, limit: 30) + others),
        .init(Printable.text(transfer.server, limit: 40)), .init(Amounts.bytes(transfer.received)),
        .init(transfer.total.map { Amounts.bytes($0) } ?? ""),
        .init("\(Amounts.bytes(transfer.rate))/s"),
        .init(transfer.secondsLeft.map { Amounts.span(milliseconds: $0 * 1000) } ?? "", .muted),
      ])
    }
    text += table.text(screen)
    let more = report.transfers.count - most.count
    return more > 0 ? text + "and \(more) more\n" : text
  }

  /// As many as have a line each, or one less and a line for the number of the others.
  private static func part<Row>(of all: [Row], in lines: Int) -> ArraySlice<Row> {
    all.count <= lines ? all[...] : all.prefix(max(0, lines - 1))
  }

  /// Columns: list, photo, name, photos, server, received, total (0 if unknown), rate, seconds left.
  private static func plain(_ transfer: TransferSummary) -> String {
    TextTable.plain([
      "\(transfer.list)", "\(transfer.photo)", Printable.text(transfer.name),
      "\(transfer.photos)", Printable.text(transfer.server), "\(transfer.received)",
      "\(transfer.total ?? 0)", "\(transfer.rate)",
      transfer.secondsLeft.map { "\($0)" } ?? "",
    ])
  }
}

package enum CacheText {
  package static func text(_ report: CacheReport, _ screen: ToolScreen) -> String {
    guard screen.isTerminal else {
      return [
        ("limit", report.limit), ("entries", UInt64(report.entries)), ("bytes", report.bytes),
        ("hits", report.hits), ("misses", report.misses),
      ].map { TextTable.plain([$0, "\($1)"]) }.joined()
    }
    if report.limit == 0 { return "The cache is off; Cache= under [Download] sets its size.\n" }
    let size = "\(Amounts.bytes(report.bytes)) of \(Amounts.bytes(report.limit))"
    let hits = Amounts.counted(report.hits, "hit")
    let misses = Amounts.counted(report.misses, "miss", "misses")
    return [
      "The cache holds \(Amounts.counted(report.entries, "original")), \(size).",
      "Since the start: \(hits), \(misses).",
    ].map { Prose.folded($0, screen) + "\n" }.joined()
  }
}
