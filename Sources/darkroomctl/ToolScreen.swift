// SPDX-License-Identifier: Apache-2.0
// The kind of output: a terminal gets aligned columns that fit it, and maybe colour. A pipe gets the same tables
// in their full width, and columns for programs where there is no table. `plain` gets such columns everywhere.

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
  /// Columns for programs, even in place of a table.
  package private(set) var isPlain = false
  package var hasColour: Bool
  package var columns: Int
  package var rows: Int

  package init(isTerminal: Bool, hasColour: Bool = false, columns: Int = 80, rows: Int = 24) {
    self.isTerminal = isTerminal
    self.hasColour = hasColour
    self.columns = isTerminal ? columns : .max
    self.rows = rows
  }

  package static let plain: ToolScreen = {
    var screen = ToolScreen(isTerminal: false)
    screen.isPlain = true
    return screen
  }()

  static func of(_ stream: StandardStream) -> ToolScreen {
    let isTerminal = stream.isTerminal
    let refused = (Surroundings.variable("NO_COLOR") ?? "").isEmpty == false
    let isDumb = Surroundings.variable("TERM") == "dumb"
    let (columns, rows) = isTerminal ? stream.size : (80, 24)
    return ToolScreen(
      isTerminal: isTerminal, hasColour: isTerminal && !refused && !isDumb, columns: columns,
      rows: rows)
  }

  package func tinted(_ text: String, _ tone: Tone?) -> String {
    guard hasColour, let tone, !text.isEmpty else { return text }
    return "\u{1B}[\(tone.code)m\(text)\u{1B}[0m"
  }
}
