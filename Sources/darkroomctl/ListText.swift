// SPDX-License-Identifier: Apache-2.0
// The output of `list`, and the line that other commands print for a list.

package import Steer
internal import Vocabulary

package enum ListText {
  /// The newest list first; for programs the order stays. `users` returns the name of a user, if it has one.
  package static func table(
    _ lists: [ListSummary], _ screen: ToolScreen, now: UInt64, users: (UInt32) -> String?
  ) -> String {
    if screen.isPlain { return lists.map { plain($0) }.joined() }
    if lists.isEmpty { return "There are no lists.\n" }
    let hasOwners = Set(lists.map(\.owner)).count > 1
    let owner = hasOwners ? [TextTable.Column("OWNER", isSpare: true, rank: 1)] : []
    var table = TextTable(
      [.init("ID", isRight: true), .init("NAME", least: 8, cut: .middle)] + owner + [
        .init("STATE"), .init("DONE", isRight: true),
        .init("FAILED", isRight: true, isSpare: true), .init("TIME", isSpare: true, rank: 1),
      ])
    for list in lists.sorted(by: { $0.id > $1.id }) {
      let owner: [TextTable.Cell] = hasOwners ? [.init(name(of: list.owner, users))] : []
      table.add(
        [.init("\(list.id)"), .init(Printable.text(list.name))] + owner + [
          .init(Printable.text(list.state), tone(list)), .init("\(done(list))/\(list.total)"),
          .init("\(list.failed)", list.failed > 0 ? .bad : nil), .init(time(list, now), .muted),
        ])
    }
    return table.text(screen)
  }

  static func name(of user: UInt32, _ users: (UInt32) -> String?) -> String {
    users(user).map { Printable.text($0) } ?? "\(user)"
  }

  /// When the list ended or, at the measured pace, will end; empty if that is unknown.
  private static func time(_ list: ListSummary, _ now: UInt64) -> String {
    if list.isFinal {
      return list.ended == 0 ? "" : "ended \(Amounts.age(since: list.ended, now: now)) ago"
    }
    return list.secondsLeft.map { "\(Amounts.span(milliseconds: $0 * 1000)) left" } ?? ""
  }

  /// Columns: id, name, owner, state, class, total, filtered, failed, time of acceptance (`-` for a list of another node)
  /// and, if its prints were removed for their age, the time of that.
  package static func plain(_ list: ListSummary) -> String {
    let expired = list.end.printsExpired.map { [DateText.utc(milliseconds: $0)] } ?? []
    return TextTable.plain(
      [
        "\(list.id)", Printable.text(list.name), "\(list.owner)", Printable.text(list.state),
        Printable.text(list.serviceClass), "\(list.total)", "\(list.filtered)", "\(list.failed)",
        list.accepted == 0 ? "-" : DateText.utc(milliseconds: list.accepted),
      ] + expired)
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
      + expired(list)
  }

  /// `; its prints have expired (KeepPrints=)`; empty if they have not.
  static func expired(_ list: ListSummary) -> String {
    list.end.printsExpired == nil ? "" : "; its prints have expired (KeepPrints=)"
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
