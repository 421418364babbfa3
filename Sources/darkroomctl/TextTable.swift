// SPDX-License-Identifier: Apache-2.0
// Rows and columns of text: aligned under headings on a terminal, otherwise separated by one TAB and without
// headings. The caller must escape control characters in cells.

package struct TextTable: Sendable {
  package struct Column: Sendable {
    let title: String
    let isRight: Bool

    package init(_ title: String, isRight: Bool = false) {
      self.title = title
      self.isRight = isRight
    }
  }

  package struct Cell: Sendable, ExpressibleByStringLiteral {
    let text: String
    let tone: ToolScreen.Tone?

    package init(_ text: String, _ tone: ToolScreen.Tone? = nil) {
      self.text = text
      self.tone = tone
    }

    package init(stringLiteral text: String) { self.init(text) }
  }

  private let columns: [Column]
  private var rows: [[Cell]] = []

  package init(_ columns: [Column]) { self.columns = columns }

  package mutating func add(_ row: [Cell]) { rows.append(row) }

  package func text(_ screen: ToolScreen) -> String {
    let head = columns.map { Cell($0.title, .heading) }
    let all = [head] + rows
    let widths = columns.indices.map { place in
      all.map { Self.width($0[place].text) }.max() ?? 0
    }
    return all.map { line($0, widths, screen) + "\n" }.joined()
  }

  private func line(_ row: [Cell], _ widths: [Int], _ screen: ToolScreen) -> String {
    var parts: [String] = []
    for (place, cell) in row.enumerated() {
      let isLast = place == row.count - 1
      let gap = String(repeating: " ", count: widths[place] - Self.width(cell.text))
      let text = screen.tinted(cell.text, cell.tone)
      parts.append(columns[place].isRight ? gap + text : text + (isLast ? "" : gap))
    }
    var line = parts.joined(separator: "  ")
    while line.utf8.last == 0x20 { line.removeLast() }
    return line
  }

  /// Joins the values with TABs, unchanged.
  package static func plain(_ values: [String]) -> String {
    var line = ""
    for (place, value) in values.enumerated() {
      if place > 0 { line += "\t" }
      line += value
    }
    return line + "\n"
  }

  /// The width in terminal cells: wide East Asian characters and emoji take two.
  package static func width(_ text: String) -> Int {
    text.reduce(0) { sum, character in
      let isWide = character.unicodeScalars.contains { scalar in
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
          0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
          true
        default: false
        }
      }
      return sum + (isWide ? 2 : 1)
    }
  }
}
