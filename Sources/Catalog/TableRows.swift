// SPDX-License-Identifier: Apache-2.0
// The rows of a text and their cells: lines in which a separator divides cells, and quotation marks may surround
// a cell (RFC 4180). Memory does not grow with the text. Raises `list.syntax`, `list.truncated` and the errors of
// the source.

internal import Vocabulary

struct TableRow {
  struct Cell {
    let text: ListText
    let place: ListPlace
  }

  /// At most `TableRows.mostCells`.
  var cells: [Cell] = []
  var count = 0

  var place: ListPlace { cells[0].place }

  /// Nothing but separators and white space.
  var isBlank: Bool {
    count == cells.count && cells.allSatisfy { $0.text.bytes.allSatisfy(ListText.isSpace) }
  }
}

struct TableRows {
  static let mostCells = 64
  private static let quote = UInt8(ascii: "\"")
  private static let newline: UInt8 = 0x0A
  private static let ending: UInt8 = 0x0D

  private var source: ListSource
  private let separator: UInt8
  private let isQuoting: Bool
  private let longest: Int
  private var piece: [UInt8] = []
  private var position = 0
  private var line: UInt64 = 1
  private var column: UInt64 = 1

  init(_ source: ListSource, separator: UInt8, isQuoting: Bool, limits: ListLimits) {
    self.source = source
    self.separator = separator
    self.isQuoting = isQuoting
    longest = Int(max(limits.keyBytes, limits.valueBytes))
  }

  /// The next line, or several if a cell in quotation marks contains line breaks. Nil at the end.
  mutating func next() throws(Failure) -> TableRow? {
    if try peek() == nil { return nil }
    var row = TableRow()
    while true {
      let place = place
      let first = try peek()
      let text = try isQuoting && first == Self.quote ? quoted() : plain()
      row.count += 1
      if row.count <= Self.mostCells { row.cells.append(TableRow.Cell(text: text, place: place)) }
      guard try peek() == separator else { break }
      advance()
    }
    if try peek() != nil {
      position += 1
      endLine()
    }
    return row
  }

  private var place: ListPlace { .spot(line: line, column: column) }

  private mutating func peek() throws(Failure) -> UInt8? {
    if position == piece.count {
      piece = try source.next()
      position = 0
      if piece.isEmpty { return nil }
    }
    return piece[position]
  }

  private mutating func advance() {
    position += 1
    column += 1
  }

  private mutating func endLine() {
    line += 1
    column = 1
  }

  /// Up to a separator or the end of the line.
  private mutating func plain() throws(Failure) -> ListText {
    var bytes: [UInt8] = []
    var length = 0
    while let next = try peek(), next != separator, next != Self.newline {
      if isQuoting, next == Self.quote {
        throw ListRefusal.syntax(
          place, "a quotation mark is inside a cell",
          advice: "Put the whole cell into quotation marks, and write each mark in it twice")
      }
      take(into: &bytes, &length)
    }
    let end = try peek()
    if bytes.last == Self.ending, bytes.count == length, end != separator {
      bytes.removeLast()
      length -= 1
    }
    return ListText(bytes, length: UInt64(length))
  }

  /// Takes the rest of the piece up to a byte that may end a cell.
  private mutating func take(into bytes: inout [UInt8], _ length: inout Int) {
    let start = position
    while position < piece.count {
      let byte = piece[position]
      if byte == separator || byte == Self.newline || isQuoting && byte == Self.quote { break }
      if byte & 0xC0 != 0x80 { column += 1 }
      position += 1
    }
    length += position - start
    bytes.append(contentsOf: piece[start..<position].prefix(max(0, longest - bytes.count)))
  }

  /// Up to the mark that ends it; two marks are one in the cell.
  private mutating func quoted() throws(Failure) -> ListText {
    let start = place
    advance()
    var bytes: [UInt8] = []
    var length = 0
    while let next = try peek() {
      position += 1
      if next == Self.newline { endLine() } else if next & 0xC0 != 0x80 { column += 1 }
      if next == Self.quote {
        guard try peek() == Self.quote else {
          try endQuoted()
          return ListText(bytes, length: UInt64(length))
        }
        advance()
      }
      length += 1
      if bytes.count < longest { bytes.append(next) }
    }
    throw ListRefusal.truncated("\(start): the quotation mark here has no end")
  }

  private mutating func endQuoted() throws(Failure) {
    let start = place
    var next = try peek()
    if next == separator { return }
    if next == Self.ending {
      advance()
      next = try peek()
    }
    if next == nil || next == Self.newline { return }
    throw ListRefusal.syntax(
      start, "something follows the quotation mark that ends a cell",
      advice: "Write each quotation mark inside a cell twice")
  }
}
