// SPDX-License-Identifier: Apache-2.0
// Rows and columns of text: aligned under headings on a terminal, otherwise separated by one TAB and without
// headings. On a narrow terminal columns that allow it shrink, the widest first, or are left out. The caller
// must escape control characters in cells.

package struct TextTable: Sendable {
  package struct Column: Sendable {
    let title: String
    let isRight: Bool
    /// The width to which it may shrink; nil if it keeps its width.
    let least: Int?
    /// It may be left out, the last one first.
    let isSpare: Bool

    package init(
      _ title: String, isRight: Bool = false, least: Int? = nil, isSpare: Bool = false
    ) {
      (self.title, self.isRight, self.least, self.isSpare) = (title, isRight, least, isSpare)
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
    let natural = columns.indices.map { place in
      all.map { Self.width($0[place].text) }.max() ?? 0
    }
    let widths = fitted(natural, to: screen.columns)
    return all.map { line($0, widths, screen) + "\n" }.joined()
  }

  /// The widths of the columns that are shown.
  private func fitted(_ natural: [Int], to room: Int) -> [Int?] {
    var widths = natural.map(Int?.some)
    func excess(_ widths: [Int]) -> Int { widths.reduce(2 * (widths.count - 1), +) - room }
    for place in columns.indices.reversed() where columns[place].isSpare {
      let least = widths.indices.compactMap { place in
        widths[place].map { min($0, columns[place].least ?? $0) }
      }
      if excess(least) > 0 { widths[place] = nil }
    }
    for _ in 0..<max(0, excess(widths.compactMap { $0 })) {
      let wide = columns.indices.filter { (widths[$0] ?? 0) > (columns[$0].least ?? .max) }
      guard let widest = wide.max(by: { widths[$0] ?? 0 < widths[$1] ?? 0 }) else { break }
      widths[widest] = widths[widest].map { $0 - 1 }
    }
    return widths
  }

  private func line(_ row: [Cell], _ widths: [Int?], _ screen: ToolScreen) -> String {
    var parts: [String] = []
    for (place, cell) in row.enumerated() {
      guard let width = widths[place] else { continue }
      let isLast = place == row.count - 1
      let shown = Self.cut(cell.text, to: width)
      let gap = String(repeating: " ", count: width - Self.width(shown))
      let text = screen.tinted(shown, cell.tone)
      parts.append(columns[place].isRight ? gap + text : text + (isLast ? "" : gap))
    }
    var line = parts.joined(separator: "  ")
    while line.utf8.last == 0x20 { line.removeLast() }
    return line
  }

  /// A text that is too wide ends in `…`.
  private static func cut(_ text: String, to most: Int) -> String {
    if width(text) <= most { return text }
    var (cut, room) = ("", most - 1)
    for character in text {
      room -= width(String(character))
      if room < 0 { break }
      cut.append(character)
    }
    return cut + "…"
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
