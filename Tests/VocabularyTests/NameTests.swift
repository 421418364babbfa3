// SPDX-License-Identifier: Apache-2.0
// Names of files, names shown to people, and suggestions for misspelt words.

import Testing
import Vocabulary

@Suite struct FileNameTests {
  @Test(
    arguments: [
      "", ".", "..", "/", "a/b", "a/", "/a", "a\0b", "\0", String(repeating: "x", count: 256),
      String(repeating: "é", count: 128),
    ])
  func `a name that could leave its folder, or that the kernel refuses, is rejected`(text: String) {
    #expect(FileName(text) == nil)
  }

  @Test(
    arguments: [
      "a", "...", ".a", "a b", "-", "%", "\n", "é", String(repeating: "x", count: 255), "~",
    ])
  func `every other name is kept byte by byte`(text: String) {
    #expect(FileName(text)?.bytes == Array(text.utf8))
  }

  @Test func `bytes that are not text are a name, and shown safely`() throws {
    let name = try #require(FileName(bytes: [0x61, 0xFF, 0x0A]))
    #expect("\(name)" == "a\\xff\\n")
    #expect(FileName(number: 42) == FileName("42"))
    #expect(FileName(number: 0) == FileName("0"))
    #expect(FileName(number: 42, digits: 9) == FileName("000000042"))
    #expect(FileName(number: .max, digits: 9) == FileName("18446744073709551615"))
  }

  @Test(arguments: [("a.plist", true), (".plist", false), ("plist", false), ("a.PLIST", false)])
  func `a suffix needs something before it`(text: String, hasSuffix: Bool) throws {
    #expect(try #require(FileName(text)).hasSuffix(".plist") == hasSuffix)
  }
}

@Suite struct ListNameTests {
  @Test(
    arguments: [
      ("barn.plist", "barn", ".plist"), ("BARN.PLIST", "BARN", ".PLIST"),
      ("a.b.pLiSt", "a.b", ".pLiSt"), ("é.plist", "é", ".plist"), ("..plist", ".", ".plist"),
      ("a.plist.plist", "a.plist", ".plist"), ("barn.txt", "barn", ".txt"),
      ("a.JSON", "a", ".JSON"), ("a.plist.Csv", "a.plist", ".Csv"), ("barn.text", "barn.text", ""),
      (".plist", ".plist", ""), ("barn", "barn", ""),
      ("barn.plists", "barn.plists", ""), ("barnNplist", "barnNplist", ""),
      ("barn\u{0E}plist", "barn\u{0E}plist", ""), ("barn.plis\u{14}", "barn.plis\u{14}", ""),
      ("barn.plist\u{301}", "barn.plist\u{301}", ""), ("", "", ""),
    ])
  func `the name of a list has an ending, in any case, after something else`(
    text: String, stem: String, ending: String
  ) {
    let name = ListName(text)
    #expect(name.text == stem)
    #expect(String(decoding: name.ending, as: UTF8.self) == ending)
    #expect(name.isList == !ending.isEmpty)
  }

  @Test func `bytes that are not text have an ending, too`() throws {
    let file = try #require(FileName(bytes: [0xFF] + Array(".Plist".utf8)))
    #expect(Array(ListName(file).stem) == [0xFF])
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
  func `shown text neither moves the cursor nor hides`(text: String, shown: String) {
    #expect(Printable.text(text) == shown)
    // A name in a sentence is escaped once, however often the sentence is.
    let sentence = "it names '\(shown)'"
    #expect(Printable.sentence(Printable.sentence(sentence)) == sentence)
    if !text.contains("\\") { #expect(Printable.sentence(text) == shown) }
  }

  @Test(
    arguments: [
      ([0xFF], "\\xff"), ([0x61, 0xC3], "a\\xc3"), ([0xC0, 0xAF], "\\xc0\\xaf"),
      ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"), ([0xC3, 0xA9], "é"), ([0xE9, 0x74], "\\xe9t"),
    ] as [([UInt8], String)])
  func `bytes that are not UTF-8 are shown as bytes`(bytes: [UInt8], shown: String) {
    #expect(Printable.text(bytes) == shown)
  }

  @Test func `long text is cut, and ends with an ellipsis`() {
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
  func `a typing error gets the right word as a suggestion`(word: String, meant: String) {
    #expect(Suggestion.nearest(to: word, among: known) == meant)
    #expect(Suggestion.words(for: word, among: known) == " (did you mean '\(meant)'?)")
  }

  @Test(arguments: ["", "T", "Ti", "Quality", "xyz", String(repeating: "Title", count: 7)])
  func `a word without a neighbour gets no suggestion`(word: String) {
    #expect(Suggestion.nearest(to: word, among: known) == nil)
    #expect(Suggestion.words(for: word, among: known).isEmpty)
  }

  @Test func `the suggestion does not depend on the order of the known words`() {
    for word in ["Tit", "Con", "Fimeout"] {
      let one = Suggestion.nearest(to: word, among: known)
      #expect(Suggestion.nearest(to: word, among: known.reversed()) == one)
    }
    #expect(Suggestion.nearest(to: "a", among: []) == nil)
  }
}
