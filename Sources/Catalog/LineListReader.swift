// SPDX-License-Identifier: Apache-2.0
// Reads a text of URLs: one a line, with a name after a tab; or as an input file of aria2, whose indented lines
// are options of the URL before them. Raises `list.syntax` and the errors of the builder.

internal import Vocabulary

struct LineListReader {
  private var rows: TableRows
  private var builder: ListBuilder
  /// The photo to which an indented line belongs.
  private var draft: PhotoDraft?

  init(_ source: ListSource, _ builder: consuming ListBuilder, limits: ListLimits) {
    rows = TableRows(source, separator: 0x09, isQuoting: false, limits: limits)
    self.builder = builder
  }

  mutating func read() throws(Failure) {
    try builder.take(.openArray, at: .spot(line: 1, column: 1))
    while let row = try rows.next() {
      let parts = row.cells.drop { $0.text.bytes.allSatisfy(ListText.isSpace) }
      if row.isBlank { continue }
      guard let first = parts.first else {
        throw ListRefusal.syntax(
          row.place, "its line begins with more than \(TableRows.mostCells - 1) tabs")
      }
      if first.text.trimmed.bytes.first == UInt8(ascii: "#") { continue }
      let isIndented = parts.startIndex > 0 || first.text.bytes.first == 0x20
      if isIndented, let (key, value) = Self.option(first.text.trimmed) {
        try takeOption(key, value, at: first.place)
      } else {
        try addDraft()
        draft = Self.photo(parts, count: row.count - parts.startIndex)
      }
    }
    try addDraft()
    try builder.take(.close, at: .spot(line: 1, column: 1))
    try builder.finish()
  }

  private mutating func addDraft() throws(Failure) {
    if let draft { try builder.add(draft) }
  }

  private static func photo(_ parts: ArraySlice<TableRow.Cell>, count: Int) -> PhotoDraft {
    let url = parts[parts.startIndex]
    var draft = PhotoDraft(place: url.place, name: nil)
    draft.take(.string(url.text), for: .url, at: url.place)
    if url.text.trimmed.bytes.contains(where: ListText.isSpace) {
      draft.note("its URL contains a space; a name follows after a tab", at: url.place)
    }
    guard count > 1, let name = parts.dropFirst().first else { return draft }
    if FormatGuess.contains(ArraySlice(name.text.bytes), "://") {
      draft.note("a second URL is in its line; a photo has one", at: name.place)
    } else if count > 2 {
      draft.note(
        "its line has \(count) parts; a tab is only between the URL and the name", at: name.place)
    }
    let text = name.text.trimmed
    if text.length > 0 { draft.take(.string(text), for: .name, at: name.place) }
    return draft
  }

  /// `key=value`, as aria2 writes its options; nil for any other text.
  private static func option(_ text: ListText) -> (key: String, value: ListText)? {
    guard let equals = text.bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0 else { return nil }
    let key = text.bytes[..<equals]
    guard key.allSatisfy({ $0 >= 0x61 && $0 <= 0x7A || $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2D })
    else { return nil }
    let value = ListText(
      Array(text.bytes[(equals + 1)...]), length: text.length - UInt64(equals) - 1)
    return (String(decoding: key, as: UTF8.self), value)
  }

  /// Other options of aria2 change the download, not the photo, and are ignored.
  private mutating func takeOption(
    _ key: String, _ value: ListText, at place: ListPlace
  ) throws(Failure) {
    guard draft != nil else {
      throw ListRefusal.syntax(place, "the option '\(key)' has no URL before it")
    }
    let sum = Array("sha-256=".utf8)
    if key == "out" {
      draft?.take(.string(value), for: .name, at: place)
    } else if key == "checksum", value.bytes.starts(with: sum) {
      draft?.take(.string(ListText(Array(value.bytes[sum.count...]))), for: .checksum, at: place)
    }
  }
}
