// SPDX-License-Identifier: Apache-2.0
// The encodings of a list: UTF-8 and UTF-16 with a mark, and XML that declares another.

import Catalog
import Support
import Testing
import Vocabulary

@Suite("The encodings of a list")
struct EncodingTests {
  static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBig ? bytes : bytes.reversed()
    }
  }

  static let lists = [
    "http://x/a\té €🌄\n", "url,name\nhttp://x/a,é €🌄\n", "{\"é €🌄\": \"http://x/a\"}",
    ReadList.document("<dict><key>é €🌄</key><string>http://x/a</string></dict>"),
  ]

  @Test("UTF-16 with a mark is read in every form", arguments: lists, [true, false])
  func wide(text: String, isBig: Bool) {
    #expect(ReadList.bytes(Self.utf16(text, isBig: isBig)).photos == ["é €🌄 = http://x/a"])
  }

  @Test("an error in XML in UTF-16 has its line and its advice")
  func wideError() {
    let list = ReadList.document("<dict><key>a</key><string>http://x/?a=1&b=2</string></dict>")
    let outcome = ReadList.bytes(Self.utf16(list, isBig: false))
    #expect(outcome.reason?.hasPrefix("line 4, column 42: ") == true)
    #expect(outcome.advice == "Write an '&' in a URL as &amp;")
  }

  @Test("a character is read whole, wherever a piece of the file ends", arguments: [0, 1, 2, 3])
  func boundaries(shift: Int) {
    // Pieces have 64 KiB.
    let name = String(repeating: "x", count: shift) + String(repeating: "🌄", count: 1000)
    let line = "http://x/a\t\(name)\n"
    let text = String(repeating: line, count: 40)
    let photos = [String](repeating: "\(name) = http://x/a", count: 40)
    #expect(ReadList.text(text).photos == photos)
    #expect(ReadList.bytes(Self.utf16(text, isBig: true)).photos == photos)
  }

  static let save = "Save the file as UTF-8"

  static let broken: [([UInt8], ListOutcome)] = [
    (
      Array("http://x/a\nhttp://x/b\tcaf".utf8) + [0xE9, 0x0A],
      .refused("list.syntax", "line 2, column 15: the text is not valid UTF-8", save)
    ),
    (
      Array("{\"é\": \"caf".utf8) + [0xE9, 0x22],
      .refused("list.syntax", "line 1, column 11: the text is not valid UTF-8", save)
    ),
    (
      Array("url\n\"http://x/caf".utf8) + [0xE9],
      .refused("list.syntax", "line 2, column 14: the text is not valid UTF-8", save)
    ),
    (
      Array("http://x/".utf8) + [0xE2, 0x82],
      .refused("list.syntax", "line 1, column 10: the text is not valid UTF-8", save)
    ),
    (
      // The last piece is half a character.
      Array("http://x/".utf8) + [UInt8](repeating: 0x61, count: 65536 - 9) + [0xC3],
      .refused("list.syntax", "line 1, column 65537: the text is not valid UTF-8", save)
    ),
    (
      utf16("http://x/", isBig: false) + [0x00, 0xD8, 0x41, 0x00],
      .refused("list.syntax", "line 1, column 10: the text is not valid UTF-16", save)
    ),
    (
      utf16("http://x/", isBig: true) + [0x00],
      .refused("list.syntax", "line 1, column 10: the text is not valid UTF-16", save)
    ),
  ]

  @Test("bytes that are no text are refused with their line and column", arguments: broken)
  func isBroken(bytes: [UInt8], outcome: ListOutcome) {
    #expect(ReadList.bytes(bytes) == outcome)
  }

  @Test("the text before bytes that are no text is read first")
  func before() {
    let bytes = Array("http://x/a\n\tout\u{7}\n out=b\n \"{".utf8) + [0xFF]
    #expect(ReadList.bytes(bytes).reason == "line 4, column 4: the text is not valid UTF-8")
    #expect(
      ReadList.bytes(Array("[\"a\" \"b".utf8) + [0xFF]).reason
        == "line 1, column 6: it is not valid JSON: '\"' where ',' or ']' belongs")
  }

  private func list(_ encoding: String, _ byte: UInt8) -> [UInt8] {
    Array("<?xml version=\"1.0\" encoding=\(encoding)?><plist><dict><key>caf".utf8) + [byte]
      + Array("</key><string>http://x/</string></dict></plist>".utf8)
  }

  @Test("XML in Latin-1 or windows-1252 that says so is read")
  func declared() {
    #expect(ReadList.bytes(list("\"ISO-8859-1\"", 0xE9)).photos == ["café = http://x/"])
    #expect(ReadList.bytes(list("'Windows-1252'", 0xE9)).photos == ["café = http://x/"])
    #expect(ReadList.bytes(list("\"cp1252\"", 0x80)).photos == ["caf€ = http://x/"])
    #expect(ReadList.bytes(list("\"cp1252\"", 0x8A)).photos == ["cafŠ = http://x/"])
    #expect(
      ReadList.bytes(list("\"windows-1252\"", 0x81)).photos
        == ["caf\u{81} ! its name contains a control character (line 1)"])
    #expect(ReadList.bytes(list("\"UTF-8\"", 0xE9)).code == "list.syntax")
  }

  @Test("a byte order mark of UTF-8 does not matter")
  func byteOrderMark() {
    let list = ReadList.document("<dict><key>a</key><string>u</string></dict>")
    #expect(ReadList.bytes([0xEF, 0xBB, 0xBF] + Array(list.utf8)).photos == ["a = u"])
  }

  /// The file that shrinks between two looks at it has no place to name.
  @Test("a list that becomes shorter while the place of an error is sought is refused all the same")
  func shrinking() {
    let bytes = Array("http://x/a\n".utf8) + [0xFF]
    let failure = #expect(throws: Failure.self) {
      try ListReader.read(
        list: ShrinkingFile(bytes, to: 11, afterReads: 2), catalog: MemoryFile(),
        limits: ListLimits())
    }
    #expect(failure?.code == "list.syntax")
  }
}
