// SPDX-License-Identifier: Apache-2.0
// Rows and columns of text, aligned under a heading. On a narrow terminal columns that allow it shrink, the
// widest first, or are left out. A long table comes page by page: its columns only grow, and the heading comes
// once. The caller must escape control characters in cells.

package struct TextTable: Sendable {
  package struct Column: Sendable {
    /// The part of a long text that is left out; nothing if it is folded into lines, in the last column.
    package enum Cut: Sendable { case end, middle, nothing }

    let title: String
    let isRight: Bool
    /// The width to which it may shrink; nil if it keeps its width.
    let least: Int?
    /// The width for which spare columns are left out, and other columns shrink first.
    let fair: Int?
    /// It may be left out: the highest rank first, and of one rank the last one.
    let isSpare: Bool
    let rank: Int
    let cut: Cut

    package init(
      _ title: String, isRight: Bool = false, least: Int? = nil, fair: Int? = nil,
      isSpare: Bool = false, rank: Int = 0, cut: Cut = .end
    ) {
      (self.title, self.isRight, self.least, self.fair) = (title, isRight, least, fair ?? least)
      (self.isSpare, self.rank, self.cut) = (isSpare, rank, cut)
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
  /// Of the pages before; empty before the first one.
  private var natural: [Int] = []

  package init(_ columns: [Column]) { self.columns = columns }

  package mutating func add(_ row: [Cell]) { rows.append(row) }

  /// The rows that were added since the last page, and above the first one the heading.
  package mutating func page(_ screen: ToolScreen) -> String {
    let isFirst = natural.isEmpty
    let page = isFirst ? [columns.map { Cell($0.title, .heading) }] + rows : rows
    natural = columns.indices.map { place in
      max(
        isFirst ? 0 : natural[place], page.map { Self.width($0[place].text) }.max() ?? 0)
    }
    rows = []
    let widths = fitted(natural, to: screen.columns)
    return page.map { line($0, widths, screen) + "\n" }.joined()
  }

  /// The whole table.
  package func text(_ screen: ToolScreen) -> String {
    var table = self
    return table.page(screen)
  }

  /// The widths of the columns that are shown.
  private func fitted(_ natural: [Int], to room: Int) -> [Int?] {
    var widths = natural.map(Int?.some)
    func excess(_ widths: [Int]) -> Int { widths.reduce(2 * (widths.count - 1), +) - room }
    let spare = columns.indices.filter { columns[$0].isSpare }
    for place in spare.sorted(by: { (columns[$0].rank, $0) > (columns[$1].rank, $1) }) {
      let fair = widths.indices.compactMap { place in
        widths[place].map { min($0, columns[place].fair ?? $0) }
      }
      if excess(fair) > 0 { widths[place] = nil }
    }
    for _ in 0..<max(0, excess(widths.compactMap { $0 })) {
      func widest(above limit: KeyPath<Column, Int?>) -> Int? {
        columns.indices.filter { (widths[$0] ?? 0) > (columns[$0][keyPath: limit] ?? .max) }
          .max { widths[$0] ?? 0 < widths[$1] ?? 0 }
      }
      guard let place = widest(above: \.fair) ?? widest(above: \.least) else { break }
      widths[place] = widths[place].map { $0 - 1 }
    }
    return widths
  }

  private func line(_ row: [Cell], _ widths: [Int?], _ screen: ToolScreen) -> String {
    var parts: [String] = []
    let last = widths.lastIndex { $0 != nil }
    for (place, cell) in row.enumerated() {
      guard let width = widths[place] else { continue }
      let column = columns[place]
      if column.cut == .nothing {
        let margin = widths[..<place].reduce(0) { $0 + ($1.map { $0 + 2 } ?? 0) }
        let lines = Prose.lines(cell.text, within: width)
        parts.append(
          lines.map { screen.tinted($0, cell.tone) }
            .joined(separator: "\n" + String(repeating: " ", count: margin)))
        continue
      }
      let shown =
        column.cut == .middle
        ? Self.shortened(cell.text, to: width) : Self.cut(cell.text, to: width)
      let pad = String(repeating: " ", count: width - Self.width(shown))
      let text = screen.tinted(shown, cell.tone)
      parts.append(column.isRight ? pad + text : place == last ? text : text + pad)
    }
    var line = parts.joined(separator: "  ")
    while line.utf8.last == 0x20 { line.removeLast() }
    return line
  }

  /// At most as wide as this, with an ellipsis in place of the end.
  static func cut(_ text: String, to most: Int) -> String {
    if width(text) <= most { return text }
    return start(of: text, within: most - 1) + "…"
  }

  /// At most as wide as this, with an ellipsis in the middle: names often differ at their ends.
  static func shortened(_ text: String, to most: Int) -> String {
    if width(text) <= most { return text }
    let end = start(of: String(text.reversed()), within: (most - 1) / 2)
    return start(of: text, within: most - 1 - width(end)) + "…" + String(end.reversed())
  }

  /// The longest beginning that is at most as wide as this.
  static func start(of text: String, within most: Int) -> String {
    var (start, room) = ("", most)
    for character in text {
      room -= width(String(character))
      if room < 0 { break }
      start.append(character)
    }
    return start
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
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { sum, character in
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
