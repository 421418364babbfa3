// SPDX-License-Identifier: Apache-2.0
// Names of files, names shown to people, and what somebody meant.

import Testing
import Vocabulary

@Suite struct FileNameTests {
  @Test(
    arguments: [
      "", ".", "..", "/", "a/b", "a/", "/a", "a\0b", "\0", String(repeating: "x", count: 256),
      String(repeating: "é", count: 128),
    ])
  func `a name that could leave its folder, or that the kernel refuses, is none`(text: String) {
    #expect(FileName(text) == nil)
  }

  @Test(
    arguments: [
      "a", "...", ".a", "a b", "-", "%", "\n", "é", String(repeating: "x", count: 255), "~",
    ])
  func `every other name is kept byte by byte`(text: String) {
    #expect(FileName(text)?.bytes == Array(text.utf8))
  }

  @Test func `bytes that are no text are a name, and shown safely`() throws {
    let name = try #require(FileName(bytes: [0x61, 0xFF, 0x0A]))
    #expect("\(name)" == "a\\xff\\n")
    #expect(FileName(number: 42) == FileName("42"))
    #expect(FileName(number: 0) == FileName("0"))
    #expect(FileName(number: 42, digits: 9) == FileName("000000042"))
    #expect(FileName(number: .max, digits: 9) == FileName("18446744073709551615"))
  }

  @Test(arguments: [("a.plist", true), (".plist", false), ("plist", false), ("a.PLIST", false)])
  func `a suffix leaves something before it`(text: String, hasSuffix: Bool) throws {
    #expect(try #require(FileName(text)).hasSuffix(".plist") == hasSuffix)
  }
}

@Suite struct PrintableTests {
  @Test(
    arguments: [
      ("plain", "plain"), ("Küche 日本", "Küche 日本"), ("two\nlines", "two\\nlines"),
      ("\u{1B}[31mred", "\\x1b[31mred"), ("back\\slash", "back\\\\slash"), ("\u{7F}", "\\x7f"),
      ("\u{85}", "\\u{85}"), ("\u{202E}evil", "\\u{202e}evil"), ("a\u{200B}b", "a\\u{200b}b"),
      ("\u{FEFF}", "\\u{feff}"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"), ("", ""),
      ("\0", "\\x00"), ("tab\t", "tab\\t"),
    ])
  func `nothing shown moves the cursor or hides itself`(text: String, shown: String) {
    #expect(Printable.text(text) == shown)
  }

  @Test(
    arguments: [
      ([0xFF], "\\xff"), ([0x61, 0xC3], "a\\xc3"), ([0xC0, 0xAF], "\\xc0\\xaf"),
      ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"), ([0xC3, 0xA9], "é"), ([0xE9, 0x74], "\\xe9t"),
    ] as [([UInt8], String)])
  func `bytes that are no UTF-8 are shown as bytes`(bytes: [UInt8], shown: String) {
    #expect(Printable.text(bytes) == shown)
  }

  @Test func `what is long is cut, and says so`() {
    #expect(Printable.text("abcdef", limit: 6) == "abcdef")
    #expect(Printable.text("abcdef", limit: 5) == "abcde…")
    #expect(Printable.text(String(repeating: "x", count: 10_000)).count == 401)
  }
}

@Suite struct SuggestionTests {
  private let known = ["Connections", "ConnectionsPerHost", "Timeout", "Title", "Filter"]

  @Test(
    arguments: [
      ("Tilte", "Title"), ("title", "Title"), ("Timeou", "Timeout"), ("Filtre", "Filter"),
      ("Filters", "Filter"), ("Conections", "Connections"), ("Tim", "Timeout"),
      ("connections", "Connections"),
    ])
  func `a slip of the finger finds what was meant`(word: String, meant: String) {
    #expect(Suggestion.nearest(to: word, among: known) == meant)
    #expect(Suggestion.words(for: word, among: known) == " (did you mean '\(meant)'?)")
  }

  @Test(arguments: ["", "T", "Ti", "Quality", "xyz", String(repeating: "Title", count: 7)])
  func `what is nobody's neighbour suggests nothing`(word: String) {
    #expect(Suggestion.nearest(to: word, among: known) == nil)
    #expect(Suggestion.words(for: word, among: known).isEmpty)
  }

  @Test func `the suggestion does not depend on the order of what is known`() {
    for word in ["Tit", "Con", "Fimeout"] {
      let one = Suggestion.nearest(to: word, among: known)
      #expect(Suggestion.nearest(to: word, among: known.reversed()) == one)
    }
    #expect(Suggestion.nearest(to: "a", among: []) == nil)
  }
}
