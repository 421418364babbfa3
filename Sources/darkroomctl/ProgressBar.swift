// SPDX-License-Identifier: Apache-2.0
// The progress of a list, as one line on a terminal.

package import Steer
internal import Vocabulary

package enum ProgressBar {
  /// `summer [########------------] 42/100, 2 failed, 18 s left, 3.2/s, 31.4 MiB`; always narrower than the
  /// screen. A narrow screen shows only the first facts; the bar is the last to go.
  package static func line(_ list: ListSummary, _ screen: ToolScreen) -> String {
    var words = " \(ListText.done(list))/\(list.total)"
    if list.failed > 0 { words += ", \(list.failed) failed" }
    if list.state != ListState.running.name { words += ", \(Printable.text(list.state))" }
    let name = TextTable.shortened(Printable.text(list.name), to: 24)
    let room = screen.columns - TextTable.width(name) - 4
    for fact in facts(list) where room - TextTable.width(words + fact) - 2 >= leastBar {
      words += ", \(fact)"
    }
    let width = min(40, room - TextTable.width(words))
    guard width >= 5 else {
      return TextTable.cut(name + words, to: max(1, screen.columns - 1))
    }
    return "\(name) [\(bar(list, width, screen))]\(words)"
  }

  private static let leastBar = 10

  /// The most important first.
  private static func facts(_ list: ListSummary) -> [String] {
    let pace = list.pace
    return [
      list.secondsLeft.map { "\(Amounts.span(milliseconds: $0 * 1000)) left" },
      pace.photosPerHour > 0 && list.state == ListState.running.name
        ? Amounts.pace(photosPerHour: pace.photosPerHour) : nil,
      pace.bytes > 0 ? Amounts.bytes(pace.bytes) : nil,
    ].compactMap { $0 }
  }

  private static func bar(_ list: ListSummary, _ width: Int, _ screen: ToolScreen) -> String {
    let full = Int(ListText.done(list) * UInt64(width) / UInt64(max(1, list.total)))
    let done = String(repeating: "#", count: min(full, width))
    let rest = String(repeating: "-", count: width - done.utf8.count)
    return screen.tinted(done, list.failed > 0 ? .bad : .good) + rest
  }
}
