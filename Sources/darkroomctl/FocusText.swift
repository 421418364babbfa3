// SPDX-License-Identifier: Apache-2.0
// The output of `focus` and `unfocus`.

package import Steer
internal import Vocabulary

package enum FocusText {
  package static func text(_ report: FocusReport, _ screen: ToolScreen, now: UInt64) -> String {
    guard screen.isTerminal else { return plain(report) }
    let name = ListText.name(report.list)
    if report.until == 0 { return "No photo of \(name) is in your focus.\n" }
    if report.left == 0 { return "Every one of these photos of \(name) is done.\n" }
    let time = Amounts.span(milliseconds: report.until - min(now, report.until))
    return
      "\(report.left) of \(Amounts.photos(report.photos)) of \(name) are not done, and go first "
      + "for \(time).\n"
  }

  /// Columns: id, name, photos, left, end of the lease.
  private static func plain(_ report: FocusReport) -> String {
    TextTable.plain([
      "\(report.list.id)", Printable.text(report.list.name), "\(report.photos)", "\(report.left)",
      "\(report.until)",
    ])
  }
}
