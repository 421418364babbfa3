// SPDX-License-Identifier: Apache-2.0
// The XML reader alone: its events are the same however the bytes arrive.

import Testing

@testable import Markup

@Suite("Reading XML")
struct MarkupTests {
  struct Stop: Error, Equatable {}

  /// The events of the reader, abbreviated.
  final class Notes {
    var words: [String] = []
    var text: [UInt8] = []
    var stopsAt = ""

    func endText() {
      if !text.isEmpty { words.append(String(decoding: text, as: UTF8.self)) }
      text = []
    }
  }

  static func read(
    _ text: String, piece: Int = .max, notes: Notes
  ) throws(Stop) -> MarkupFault? {
    let reader = MarkupReader<Stop>(
      open: { (name, hasAttributes, line) throws(Stop) in
        notes.endText()
        let bytes = name.indices.map { name[$0] }
        let name = String(decoding: bytes, as: UTF8.self)
        notes.words.append("<\(name)\(hasAttributes ? " …" : "")> \(line)")
        if name == notes.stopsAt { throw Stop() }
      },
      text: { (bytes, _) throws(Stop) in
        for index in bytes.indices { notes.text.append(bytes[index]) }
      },
      close: { (line) throws(Stop) in
        notes.endText()
        notes.words.append("</> \(line)")
      })
    var rest = Array(text.utf8)[...]
    return try reader.read { () throws(Stop) in
      let next = rest.prefix(piece)
      rest = rest.dropFirst(next.count)
      return Array(next)
    }
  }

  static let document = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- a comment --><a x="1"><b>caf\u{E9} &lt;&#x263A;<![CDATA[<&>]]></b
    ><c/></a>
    """

  @Test("a document gives the same events in pieces of any size")
  func pieces() throws {
    let expected = [
      "<a …> 2", "<b> 2", "caf\u{E9} <\u{263A}<&>", "</> 2", "<c> 3", "</> 3", "</> 3",
    ]
    for piece in 1...Self.document.utf8.count {
      let notes = Notes()
      #expect(try Self.read(Self.document, piece: piece, notes: notes) == nil)
      #expect(notes.words == expected)
    }
  }

  @Test("an error of a handler ends the reading and is thrown unchanged")
  func stop() {
    let notes = Notes()
    notes.stopsAt = "b"
    #expect(throws: Stop()) { try Self.read(Self.document, notes: notes) }
    #expect(notes.words == ["<a …> 2", "<b> 2"])
  }

  @Test("an empty element whose start is refused has no end")
  func stopInEmptyElement() {
    let notes = Notes()
    notes.stopsAt = "c"
    #expect(throws: Stop()) { try Self.read(Self.document, notes: notes) }
    #expect(notes.words.last == "<c> 3")
  }

  /// Expat converts such a text in pieces, and goes on after a stop.
  @Test("the pieces of a text that is refused are not passed on")
  func stopInText() {
    var pieces = 0
    let reader = MarkupReader<Stop>(
      open: { (_, _, _) throws(Stop) in },
      text: { (_, _) throws(Stop) in
        pieces += 1
        throw Stop()
      }, close: { (_) throws(Stop) in })
    let long = [UInt8](repeating: 0xE9, count: 50_000)
    var rest = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8) + long
    rest += Array("</a>".utf8)
    #expect(throws: Stop()) {
      try reader.read { () throws(Stop) in
        defer { rest = [] }
        return rest
      }
    }
    #expect(pieces == 1)
  }

  @Test("an error of the source of bytes ends the reading")
  func sourceError() {
    let reader = MarkupReader<Stop>(
      open: { (_, _, _) throws(Stop) in }, text: { (_, _) throws(Stop) in },
      close: { (_) throws(Stop) in })
    #expect(throws: Stop()) { try reader.read { () throws(Stop) in throw Stop() } }
  }

  @Test("an error has its line, column and offset")
  func position() throws {
    let trouble = try Self.read("<a>\n  <b></c></a>", notes: Notes())
    #expect(
      trouble
        == MarkupFault(
          kind: .malformed, line: 2, column: 8, offset: 11,
          words: "it is not well-formed XML (mismatched tag)"))
  }

  @Test("elements a million levels deep cost no stack")
  func depth() throws {
    let notes = Notes()
    let deep =
      String(repeating: "<a>", count: 1_000_000) + String(repeating: "</a>", count: 1_000_000)
    #expect(try Self.read(deep, piece: 65536, notes: notes) == nil)
    #expect(notes.words.count == 2_000_000)
  }
}
