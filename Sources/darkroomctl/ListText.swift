// SPDX-License-Identifier: Apache-2.0
// The output of `list`, and the line that other commands print for a list.

package import Steer
internal import Vocabulary

package enum ListText {
  /// `users` returns the name of a user, if it has one.
  package static func table(
    _ lists: [ListSummary], _ screen: ToolScreen, now: UInt64, users: (UInt32) -> String?
  ) -> String {
    guard screen.isTerminal else { return lists.map { plain($0) }.joined() }
    if lists.isEmpty { return "There are no lists.\n" }
    var table = TextTable([
      .init("ID", isRight: true), .init("NAME", least: 12), .init("OWNER", isSpare: true),
      .init("STATE"), .init("CLASS", isSpare: true), .init("DONE", isRight: true),
      .init("FAILED", isRight: true), .init("AGE", isRight: true, isSpare: true),
    ])
    for list in lists {
      let owner = users(list.owner).map { Printable.text($0) } ?? "\(list.owner)"
      let age = Amounts.span(milliseconds: now - min(now, list.accepted))
      table.add([
        .init("\(list.id)"), .init(Printable.text(list.name, limit: 60)), .init(owner),
        .init(Printable.text(list.state), tone(list)), .init(Printable.text(list.serviceClass)),
        .init("\(done(list))/\(list.total)"),
        .init("\(list.failed)", list.failed > 0 ? .bad : nil), .init(age, .muted),
      ])
    }
    return table.text(screen)
  }

  /// Columns: id, name, owner, state, class, total, filtered, failed, time of acceptance.
  package static func plain(_ list: ListSummary) -> String {
    TextTable.plain([
      "\(list.id)", Printable.text(list.name), "\(list.owner)", Printable.text(list.state),
      Printable.text(list.serviceClass), "\(list.total)", "\(list.filtered)", "\(list.failed)",
      DateText.utc(milliseconds: list.accepted),
    ])
  }

  /// `summer (list 17)`.
  package static func name(_ list: ListSummary) -> String {
    "\(Printable.text(list.name)) (list \(list.id))"
  }

  /// `summer (list 17) is paused: 40 of 100 photos filtered, 2 failed`.
  package static func sentence(_ list: ListSummary) -> String {
    let failed = list.failed > 0 ? ", \(list.failed) failed" : ""
    return "\(name(list)) is \(Printable.text(list.state)): "
      + "\(list.filtered) of \(photos(list)) filtered\(failed)"
  }

  static func photos(_ list: ListSummary) -> String { Amounts.photos(list.total) }

  package static func done(_ list: ListSummary) -> UInt64 {
    UInt64(list.filtered) + UInt64(list.failed)
  }

  static func tone(_ list: ListSummary) -> ToolScreen.Tone? {
    switch list.state {
    case ListState.finished.name: list.failed == 0 ? .good : .bad
    case ListState.cancelled.name, ListState.paused.name: .muted
    default: nil
    }
  }
}
