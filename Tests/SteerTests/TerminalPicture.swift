// SPDX-License-Identifier: Apache-2.0
// What a person sees on a terminal after a program has written to it: the few controls that darkroomctl uses. A
// value.

import darkroomctl

struct TerminalPicture {
  private let columns: Int
  private var rows: [[String]] = [[]]
  private var (row, column) = (0, 0)
  /// Lines that were longer than the terminal.
  private(set) var overflows: [String] = []

  init(columns: Int, _ text: String) {
    self.columns = columns
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() { take(scalar, &rest) }
  }

  /// Without spaces at the ends of lines, and without empty lines at the end.
  var lines: [String] {
    var lines = rows.map { cells in
      String(cells.joined().reversed().drop { $0 == " " }.reversed())
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private mutating func take(_ scalar: Unicode.Scalar, _ rest: inout ArraySlice<Unicode.Scalar>) {
    switch scalar {
    case "\r": column = 0
    case "\n":
      row += 1
      if row == rows.count { rows.append([]) }
    case "\u{1B}":
      guard rest.first == "[" else {
        rest.removeFirst()
        return
      }
      rest.removeFirst()
      let number = rest.prefix { !$0.properties.isAlphabetic }
      rest = rest.dropFirst(number.count)
      let count = Int(String(String.UnicodeScalarView(number))) ?? 1
      control(rest.popFirst(), count)
    default: show(scalar)
    }
  }

  private mutating func control(_ letter: Unicode.Scalar?, _ count: Int) {
    switch letter {
    case "A": row = max(0, row - count)
    case "J":
      rows[row].removeSubrange(min(column, rows[row].count)...)
      rows.removeSubrange((row + 1)...)
    case "K": rows[row].removeSubrange(min(column, rows[row].count)...)
    default: break
    }
  }

  private mutating func show(_ scalar: Unicode.Scalar) {
    let text = String(scalar)
    let width = TextTable.width(text)
    if column <= columns, column + width > columns { overflows.append(rows[row].joined()) }
    while rows[row].count < column { rows[row].append(" ") }
    rows[row].replaceSubrange(
      column..<min(column + width, rows[row].count),
      with: [text] + Array(repeating: "", count: width - 1))
    column += width
  }
}
