// SPDX-License-Identifier: Apache-2.0
// The kind of output: a terminal gets headings, aligned columns and maybe colour; everything else gets stable
// columns.

internal import Linux

package struct ToolScreen: Equatable, Sendable {
  package enum Tone: Sendable {
    case heading, good, bad, muted

    fileprivate var code: String {
      switch self {
      case .heading: "1"
      case .good: "32"
      case .bad: "31"
      case .muted: "2"
      }
    }
  }

  package var isTerminal: Bool
  package var hasColour: Bool
  package var columns: Int
  package var rows: Int

  package init(isTerminal: Bool, hasColour: Bool = false, columns: Int = 80, rows: Int = 24) {
    self.isTerminal = isTerminal
    self.hasColour = hasColour
    self.columns = columns
    self.rows = rows
  }

  static func of(_ stream: StandardStream) -> ToolScreen {
    let isTerminal = stream.isTerminal
    let refused = (Surroundings.variable("NO_COLOR") ?? "").isEmpty == false
    let isDumb = Surroundings.variable("TERM") == "dumb"
    var screen = ToolScreen(
      isTerminal: isTerminal, hasColour: isTerminal && !refused && !isDumb)
    if isTerminal { (screen.columns, screen.rows) = stream.size }
    return screen
  }

  package func tinted(_ text: String, _ tone: Tone?) -> String {
    guard hasColour, let tone else { return text }
    return "\u{1B}[\(tone.code)m\(text)\u{1B}[0m"
  }
}
