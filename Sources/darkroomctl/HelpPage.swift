// SPDX-License-Identifier: Apache-2.0
// The help on a terminal: its paragraphs and items, folded to the width of the terminal.

enum HelpPage {
  static func text(_ command: ToolCommand?, _ screen: ToolScreen) -> String {
    let text = HelpText.text(command)
    guard screen.isTerminal else { return text }
    return blocks(text).map { Prose.folded($0.text, screen, indent: $0.indent) + "\n" }.joined()
  }

  /// Each with the indent of its later lines.
  private static func blocks(_ text: String) -> [(text: String, indent: Int)] {
    var blocks: [(text: String, indent: Int)] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let margin = line.prefix { $0 == " " }.count
      let isNext = blocks.last.map { !$0.text.isEmpty && $0.indent == margin } ?? false
      if isNext, !line.isEmpty {
        blocks[blocks.count - 1].text += " " + line.dropFirst(margin)
      } else {
        blocks.append((String(line), margin == 0 ? 0 : column(of: line, behind: margin)))
      }
    }
    return blocks
  }

  /// Where the words about an item begin.
  private static func column(of line: Substring, behind margin: Int) -> Int {
    let item = line.dropFirst(margin)
    guard let gap = item.firstRange(of: "  ") else { return margin + 2 }
    let rest = item[gap.lowerBound...]
    return margin + item.count - rest.drop { $0 == " " }.count
  }
}
