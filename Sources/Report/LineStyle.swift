// SPDX-License-Identifier: Apache-2.0
// A message as one line of text, for journald's stream, a terminal or a file.

package enum LineStyle: Equatable, Sendable {
  /// `<4>words`: journald reads the priority from the prefix.
  case prefixed
  /// `warning: words`
  case plain
  /// Colour alone shows the priority.
  case coloured

  package static func choose(
    asked: LineStyle?, isJournalStream: Bool, isTerminal: Bool, environment: [String: String]
  ) -> LineStyle {
    if let asked { return asked }
    if isJournalStream { return .prefixed }
    let refusesColour =
      environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
    return isTerminal && !refusesColour ? .coloured : .plain
  }

  package func line(_ message: Message) -> [UInt8] {
    let (level, colour) = Self.marks(of: message.priority)
    let text =
      switch self {
      case .prefixed: "<\(message.priority.rawValue)>\(message.words)"
      case .plain: level + message.words
      case .coloured where colour.isEmpty: message.words
      case .coloured: "\u{1B}[\(colour)m\(message.words)\u{1B}[0m"
      }
    return Array(text.utf8) + [0x0A]
  }

  private static func marks(of priority: Priority) -> (level: String, colour: String) {
    switch priority {
    case .critical: ("critical: ", "1;31")
    case .error: ("error: ", "31")
    case .warning: ("warning: ", "33")
    case .notice: ("", "1")
    case .info: ("", "")
    case .debug: ("debug: ", "2")
    }
  }
}
