// SPDX-License-Identifier: Apache-2.0
// The output of `inbox`: a line for every file.

package import Steer
internal import Vocabulary

package enum InboxText {
  package static func text(_ report: InboxReport, _ screen: ToolScreen) -> String {
    guard screen.isTerminal else { return plain(report) }
    let trouble = Prose.folded("\(Printable.sentence(report.trouble)).", screen, indent: 2) + "\n"
    var words = report.trouble.isEmpty ? "" : trouble
    if report.files.isEmpty { return words + "The inbox is empty.\n" }
    var table = TextTable([
      .init("FATE"), .init("NAME", least: 8, cut: .middle),
      .init("LIST", isRight: true, isSpare: true), .init("WHY", least: 14, fair: 40, cut: .nothing),
    ])
    for file in report.files {
      table.add([
        .init(Printable.text(file.fate), tone(file)), .init(Printable.text(file.name)),
        .init(file.list > 0 ? "\(file.list)" : ""), .init(Printable.sentence(file.why)),
      ])
    }
    words += table.text(screen)
    if report.more > 0 { words += "and \(report.more) more\n" }
    return words
  }

  /// Columns: fate, name, list, why. Then, if present, a line `more` with a number and a line `trouble`.
  private static func plain(_ report: InboxReport) -> String {
    var lines = report.files.map { file in
      TextTable.plain([
        Printable.text(file.fate), Printable.text(file.name), "\(file.list)",
        Printable.sentence(file.why),
      ])
    }
    if report.more > 0 { lines.append(TextTable.plain(["more", "\(report.more)"])) }
    if !report.trouble.isEmpty {
      lines.append(TextTable.plain(["trouble", Printable.sentence(report.trouble)]))
    }
    return lines.joined()
  }

  private static func tone(_ file: InboxFile) -> ToolScreen.Tone? {
    switch InboxFile.Fate(rawValue: file.fate) {
    case .accepted: .good
    case .rejected: .bad
    case .ignored: .muted
    case .waiting, nil: nil
    }
  }
}
