// SPDX-License-Identifier: Apache-2.0
// Reads a list in CSV: the first line names the columns, each further line is a photo. Raises `list.syntax`,
// `list.truncated`, `list.option`, `list.duplicate`, and the errors of the builder.

internal import Vocabulary

struct TableListReader {
  static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

  private static let columnAdvice =
    "The columns are url, name, sha256, filter, quality, metadata and qualityOfService; "
    + "remove the others"

  private var rows: TableRows
  private var builder: ListBuilder
  /// Nil for a column without a name.
  private var columns: [PhotoDraft.Field?] = []

  init(
    _ source: ListSource, separator: UInt8, _ builder: consuming ListBuilder, limits: ListLimits
  ) {
    rows = TableRows(source, separator: separator, isQuoting: true, limits: limits)
    self.builder = builder
  }

  /// True if the cell names the column of the URLs.
  static func isURLColumn(_ cell: ArraySlice<UInt8>) -> Bool {
    var name = ListText(Array(cell)).trimmed
    let quote = UInt8(ascii: "\"")
    if name.bytes.count > 2, name.bytes.first == quote, name.bytes.last == quote {
      name = ListText(Array(name.bytes.dropFirst().dropLast()))
    }
    return PhotoDraft.Field(name, .usual) == .url
  }

  mutating func read() throws(Failure) {
    try builder.take(.openArray, at: .spot(line: 1, column: 1))
    while let row = try rows.next() {
      if row.isBlank { continue }
      if columns.isEmpty { try takeNames(row) } else { try builder.add(photo(row)) }
    }
    try builder.take(.close, at: .spot(line: 1, column: 1))
    try builder.finish()
  }

  private mutating func takeNames(_ row: TableRow) throws(Failure) {
    var places: [PhotoDraft.Field: ListPlace] = [:]
    for cell in row.cells {
      let name = cell.text.trimmed
      guard name.length > 0 else {
        columns.append(nil)
        continue
      }
      guard let field = PhotoDraft.Field(name, .usual) else {
        let near = Suggestion.words(
          for: name.string, among: PhotoDraft.Field.allCases.map(\.rawValue))
        throw ListRefusal.option(
          cell.place, "\(name.shown) is not a column of a list\(near)", advice: Self.columnAdvice)
      }
      if let first = places.updateValue(cell.place, forKey: field) {
        throw ListRefusal.twoColumns(field.words, first, cell.place)
      }
      columns.append(field)
    }
  }

  private func photo(_ row: TableRow) -> PhotoDraft {
    var draft = PhotoDraft(place: row.place, name: nil)
    if row.count != columns.count {
      draft.note("its line has \(row.count) columns, the first line has \(columns.count)")
    }
    for (cell, field) in zip(row.cells, columns) {
      let isEmpty = cell.text.length == 0
      if let field {
        // Only the URL must be given.
        if !isEmpty || field == .url { draft.take(.string(cell.text), for: field, at: cell.place) }
      } else if !isEmpty {
        draft.note("the column of \(cell.text.shown) has no name", at: cell.place)
      }
    }
    return draft
  }
}
