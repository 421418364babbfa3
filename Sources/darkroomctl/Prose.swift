// SPDX-License-Identifier: Apache-2.0
// Sentences of any length on a terminal: folded between words, as wide as it is.

package enum Prose {
  /// The lines after the first one begin with `indent` spaces, unless the terminal is narrow. A word that is
  /// wider than a line is cut into lines. The tone belongs to `part`, or to the whole text.
  package static func folded(
    _ text: String, _ screen: ToolScreen, indent: Int = 0, tone: ToolScreen.Tone? = nil,
    of part: String? = nil
  ) -> String {
    let lines = lines(
      text, within: max(10, screen.columns), indent: min(indent, screen.columns / 3))
    guard let part else { return lines.map { screen.tinted($0, tone) }.joined(separator: "\n") }
    return lines.joined(separator: "\n")
      .replacing(part, with: screen.tinted(part, tone), maxReplacements: 1)
  }

  static func lines(_ text: String, within room: Int, indent: Int = 0) -> [String] {
    if TextTable.width(text) <= room { return [text] }
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line: String?
    for word in words(text) {
      let longer = line.map { "\($0) \(word)" } ?? String(word)
      if let full = line, TextTable.width(longer) > room {
        lines.append(full)
        line = margin + word
      } else {
        line = longer
      }
      while let wide = line, TextTable.width(wide) > room {
        let part = TextTable.start(of: wide, within: room)
        lines.append(part)
        line = margin + wide.dropFirst(part.count)
      }
    }
    return lines + [line ?? ""]
  }

  private static let units: Set = ["s", "min", "h", "d", "B", "KiB", "MiB", "GiB", "TiB"]

  /// The parts between spaces; a number and its unit are one.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if words.last?.last?.isNumber == true, units.contains(String(word.prefix(while: \.isLetter)))
      {
        words[words.count - 1] += " \(word)"
      } else {
        words.append(String(word))
      }
    }
    return words
  }
}
