// SPDX-License-Identifier: Apache-2.0
// The progress of a list, as one line on a terminal.

package import Steer
internal import Vocabulary

package enum ProgressBar {
  /// `summer [########------------] 42/100, 2 failed, paused`; never wider than the screen.
  package static func line(_ list: ListSummary, _ screen: ToolScreen) -> String {
    let done = ListText.done(list)
    let total = UInt64(max(1, list.total))
    var words = " \(done)/\(list.total)"
    if list.failed > 0 { words += ", \(list.failed) failed" }
    if list.state != ListState.running.name { words += ", \(Printable.text(list.state))" }
    let name = Printable.text(list.name, limit: 24)
    let room = screen.columns - TextTable.width(name) - TextTable.width(words) - 4
    let width = UInt64(max(0, min(40, room)))
    guard width >= 5 else { return String((name + words).prefix(max(1, screen.columns - 1))) }
    let full = Int(min(width, done * width / total))
    let bar = String(repeating: "#", count: full)
    let rest = String(repeating: "-", count: Int(width) - full)
    return "\(name) [\(screen.tinted(bar, list.failed > 0 ? .bad : .good))\(rest)]\(words)"
  }
}
