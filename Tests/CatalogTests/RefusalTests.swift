// SPDX-License-Identifier: Apache-2.0
// The reasons for which a whole list is refused, in the words that people read.

import Catalog
import Testing
import Vocabulary

@Suite("What is refused")
struct RefusalTests {
  static let formAdvice =
    "A list is a dictionary of photo names and URLs, or an array of photos, or has either under "
    + "'Photos'"
  static let twiceAdvice = "Give each photo its own name"
  static let optionAdvice =
    "Beside 'Photos' a list may have 'Title', 'QualityOfService', 'Filter', "
    + "'Quality', 'Metadata', 'Output', 'Notify', 'Private' and 'ContactSheet'"
  static let photos = "<key>Photos</key><array><dict/></array>"

  static let bodies: [(String, ListOutcome)] = [
    (
      "<array/>", .refused("list.empty", "it names no photos", formAdvice)
    ),
    (
      "<string>x</string>",
      .refused(
        "list.form", "line 4: the list is a string, not a dictionary or an array", formAdvice)
    ),
    (
      "<integer>1</integer>",
      .refused(
        "list.form", "line 4: the list is a number, not a dictionary or an array", formAdvice)
    ),
    (
      "<date>x</date>",
      .refused("list.form", "line 4: the list is a date, not a dictionary or an array", formAdvice)
    ),
    (
      "<data></data>",
      .refused("list.form", "line 4: the list is data, not a dictionary or an array", formAdvice)
    ),
    (
      "<key>a</key>", .refused("list.syntax", "line 4: <key> outside <dict>", "")
    ),
    (
      "<dict><key>a</key><array><key>b</key></array></dict>",
      .refused("list.syntax", "line 4: <key> outside <dict>", "")
    ),
    (
      "<dictionary/>",
      .refused("list.syntax", "line 4: <dictionary> is not an element of a property list", "")
    ),
    ("<dict/>", .refused("list.empty", "it names no photos", formAdvice)),
    (
      "<dict><key>Title</key><string>x</string><key>Photos</key><array/></dict>",
      .refused("list.empty", "it names no photos", formAdvice)
    ),
    ("", .refused("list.syntax", "line 5: <plist> is empty", "")),
    ("<dict/><dict/>", .refused("list.syntax", "line 4: <plist> has a second value", "")),
    ("<plist/>", .refused("list.syntax", "line 4: <plist> inside <plist>", "")),
    ("<key>a</key>", .refused("list.syntax", "line 4: <key> outside <dict>", "")),
    (
      "<dict><string>x</string></dict>",
      .refused("list.syntax", "line 4: <string> has no <key> before it", "")
    ),
    ("<dict><key>a</key></dict>", .refused("list.syntax", "line 4: the key 'a' has no value", "")),
    (
      "<dict><key>a</key>\n<key>b</key></dict>",
      .refused("list.syntax", "line 5: the key 'a' has no value", "")
    ),
    (
      "<dict><key>a</key><string>b<string/></string></dict>",
      .refused("list.syntax", "line 4: <string> inside <string>", "")
    ),
    (
      "<dict>\nhello</dict>",
      .refused("list.syntax", "line 5: there is text between the elements", "")
    ),
    (
      "<dict><key>a</key><url>b</url></dict>",
      .refused("list.syntax", "line 4: <url> is not an element of a property list", "")
    ),
    (
      "<dict><key>a</key><string lang='de'>b</string></dict>",
      .refused("list.syntax", "line 4: <string> has an attribute; only <plist> may have one", "")
    ),
    (
      "<dict><key>a</key><string>http://x/?a=1&b=2</string></dict>",
      .refused(
        "list.syntax",
        "line 4, column 42: it is not well-formed XML (not well-formed (invalid token))",
        "Write an '&' in a URL as &amp;")
    ),
    (
      "<dict><key>a</key><string>http://x/?a=1&b;</string></dict>",
      .refused(
        "list.syntax", "line 4: it uses an entity that XML does not define",
        "Write the character itself, and '&' as &amp;")
    ),
    (
      "<dict><key>a</key>\n<string>x</dict>",
      .refused("list.syntax", "line 5, column 12: it is not well-formed XML (mismatched tag)", "")
    ),
    (
      "<dict><key>a&#0;</key></dict>",
      .refused(
        "list.syntax",
        "line 4, column 13: it is not well-formed XML (reference to invalid character number)", "")
    ),
    (
      "<dict><key>a&#x110000;</key></dict>",
      .refused(
        "list.syntax",
        "line 4, column 13: it is not well-formed XML (reference to invalid character number)", "")
    ),
    (
      "<dict><key>a</key><string>1</string>\n<key>b</key><string>2</string>\n<key>a</key>"
        + "<string>1</string></dict>",
      .refused("list.duplicate", "'a' occurs twice, at line 4 and line 6", twiceAdvice)
    ),
    (
      "<dict><key>caf\u{E9}</key><string>1</string>\n"
        + "<key>cafe\u{301}</key><string>2</string></dict>",
      .refused(
        "list.duplicate",
        "'cafe\u{301}' occurs twice, at line 4 and line 5, in different Unicode spellings",
        twiceAdvice)
    ),
    (
      "<dict><key>K</key><string>1</string>\n<key>\u{212A}</key><string>2</string></dict>",
      .refused(
        "list.duplicate",
        "'\u{212A}' occurs twice, at line 4 and line 5, in different Unicode spellings", twiceAdvice
      )
    ),
    (
      "<dict><key>Photos</key><dict><key>a</key><string>1</string>\n<key>a</key>"
        + "<string>1</string></dict></dict>",
      .refused("list.duplicate", "'a' occurs twice, at line 4 and line 5", twiceAdvice)
    ),
    (
      "<dict>\(photos)\n\(photos)</dict>",
      .refused("list.duplicate", "'Photos' occurs twice, at line 4 and line 5", twiceAdvice)
    ),
    (
      "<dict><key>Photos</key><string>u</string>\n\(photos)</dict>",
      .refused("list.duplicate", "'Photos' occurs twice, at line 4 and line 5", twiceAdvice)
    ),
    (
      "<dict><key>Title</key><string>u</string>\n<key>Title</key><string>v</string></dict>",
      .refused("list.duplicate", "'Title' occurs twice, at line 4 and line 5", twiceAdvice)
    ),
    (
      "<dict><key>Title</key><string>u</string>\n\(photos)"
        + "<key>Title</key><string>v</string></dict>",
      .refused("list.duplicate", "'Title' occurs twice, at line 4 and line 5", twiceAdvice)
    ),
    (
      "<dict><key>Titel</key><string>u</string>\n\(photos)</dict>",
      .refused(
        "list.option", "line 4: 'Titel' is not an option of a list (did you mean 'Title'?)",
        optionAdvice)
    ),
    (
      "<dict>\(photos)\n<key>qualityofservice</key><string>u</string></dict>",
      .refused(
        "list.option",
        "line 5: 'qualityofservice' is not an option of a list (did you mean 'QualityOfService'?)",
        optionAdvice)
    ),
    (
      "<dict>\(photos)\n<key>barn</key><string>u</string></dict>",
      .refused("list.option", "line 5: 'barn' is not an option of a list", optionAdvice)
    ),
    (
      "<dict><key>QualityOfService</key><string>Utility</string>\(photos)</dict>",
      .refused(
        "list.option",
        "line 4: 'QualityOfService' is 'Utility', which is not a class (did you mean 'utility'?)",
        "Write one of userInteractive, userInitiated, default, utility, background")
    ),
    (
      "<dict>\(photos)<key>Filter</key><string>blur(3)</string></dict>",
      .refused(
        "list.option",
        "line 4: 'Filter' is 'blur(3)': there is no filter 'blur'; "
          + "the only one is sepia(AMOUNT)",
        "")
    ),
    (
      "<dict>\(photos)<key>Quality</key><integer>101</integer></dict>",
      .refused(
        "list.option",
        "line 4: 'Quality' is '101': the quality is a whole number from 1 to 100, or source", "")
    ),
    (
      "<dict>\(photos)<key>Quality</key><real>0.9</real></dict>",
      .refused(
        "list.option",
        "line 4: 'Quality' is a number; it must be a whole number from 1 to 100, or source", "")
    ),
    (
      "<dict>\(photos)<key>Quality</key><array/></dict>",
      .refused(
        "list.option",
        "line 4: 'Quality' is an array; it must be a whole number from 1 to 100, or source", "")
    ),
    (
      "<dict>\(photos)<key>Metadata</key><string>stripp</string></dict>",
      .refused(
        "list.option", "line 4: 'Metadata' is 'stripp' (did you mean 'strip'?)",
        "Write keep, strip or copyright")
    ),
    (
      "<dict>\(photos)<key>Metadata</key><integer>1</integer></dict>",
      .refused("list.option", "line 4: 'Metadata' is a number; it must be a string", "")
    ),
    (
      "<dict>\(photos)<key>Title</key><integer>3</integer></dict>",
      .refused("list.option", "line 4: 'Title' is a number; it must be a string", "")
    ),
    (
      "<dict>\(photos)<key>Title</key><true/></dict>",
      .refused("list.option", "line 4: 'Title' is true or false; it must be a string", "")
    ),
    (
      "<dict>\(photos)<key>Private</key><integer>1</integer></dict>",
      .refused("list.option", "line 4: 'Private' is a number; it must be yes or no", "")
    ),
    (
      "<dict>\(photos)<key>Title</key><array/></dict>",
      .refused("list.option", "line 4: 'Title' is an array; it must be a string", "")
    ),
    (
      "<dict>\(photos)<key>Title</key><string>a\nb</string></dict>",
      .refused("list.option", "line 4: 'Title' contains a control character", "")
    ),
  ]

  @Test("a list is refused with its line, its key and what to do", arguments: bodies)
  func refused(body: String, outcome: ListOutcome) {
    #expect(ReadList.inside(body) == outcome)
  }

  static let formatAdvice =
    "Save it as a property list, as JSON, as CSV or as a text with one URL a line"

  static let notList =
    "its first line is neither a URL nor the names of columns with a column 'url'"

  static let formats: [(String, [UInt8], String)] = [
    ("old style", Array("{ a = \"http://x/\"; }".utf8), "it is an old-style property list"),
    ("a strings file", Array("\"a\" = \"http://x/\";".utf8), "it is an old-style property list"),
    ("a comment", Array("// nothing".utf8), "it is an old-style property list"),
    (
      "paths", Array("/home/me/a.jpg\n".utf8),
      "its first line is neither a URL nor the names of columns with a column 'url'"
    ),
    ("HTML", Array("<!DOCTYPE html><html></html>".utf8), "it is an HTML page"),
    ("HTML after XML", Array("<?xml version='1.0'?><html></html>".utf8), "it is an HTML page"),
    ("RSS", Array("<rss></rss>".utf8), "it is XML, but begins with <rss>, not with <plist>"),
    ("PDF", [0x25, 0x50, 0x44, 0x46], "it is a PDF document"),
    ("no text", [0xC3, 0x28], "it begins with bytes that are not text"),
    ("an old-style array", Array("( \"http://x/\" )".utf8), "it is an old-style property list"),
    (
      "bplist15", Array("bplist15....".utf8), "it is a binary property list of another version (15)"
    ),
    ("words", Array("hello".utf8), notList), ("two words", Array("\"a\",\"b\"\n".utf8), notList),
    ("CSV without URLs", Array("name,size\na,1\n".utf8), notList),
  ]

  @Test("another format is refused by its name", arguments: formats)
  func format(what: String, bytes: [UInt8], words: String) {
    #expect(ReadList.bytes(bytes) == .refused("list.format", words, Self.formatAdvice))
  }

  static let encodings: [(String, [UInt8], String, String)] = [
    ("gzip", [0x1F, 0x8B, 8, 0], "it is compressed with gzip", "Unpack it"),
    ("ZIP", [0x50, 0x4B, 3, 4], "it is a ZIP archive", "Unpack it"),
    (
      "JPEG", [0xFF, 0xD8, 0xFF, 0xE0], "it is a JPEG picture", "Give it a name that ends in .jpg"
    ),
    (
      "the beginning of JPEG", [0xFF, 0xD8], "it is a JPEG picture",
      "Give it a name that ends in .jpg"
    ),
    (
      "PNG", [0x89, 0x50, 0x4E, 0x47], "it is a PNG picture", "Give it a name that ends in .png"
    ),
    ("RTF", Array("{\\rtf1\\ansi http://x/a = b; }".utf8), "it is RTF", "Save it as plain text"),
    (
      "UTF-16 without a mark", [0, 0x3C, 0, 0x3F], "it is text in UTF-16 without a byte order mark",
      "Save it as UTF-8"
    ),
    (
      "UTF-16 without a mark", [0x3C, 0, 0x3F, 0], "it is text in UTF-16 without a byte order mark",
      "Save it as UTF-8"
    ),
    ("UTF-32", [0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0], "it is text in UTF-32", "Save it as UTF-8"),
    ("UTF-32", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x3C], "it is text in UTF-32", "Save it as UTF-8"),
    ("UTF-32", [0x3C, 0, 0, 0, 0x3F, 0, 0, 0], "it is text in UTF-32", "Save it as UTF-8"),
    ("UTF-32", [0, 0, 0, 0x3C, 0, 0, 0, 0x3F], "it is text in UTF-32", "Save it as UTF-8"),
  ]

  @Test("another format is refused with the way to a list or a picture", arguments: encodings)
  func encoding(what: String, bytes: [UInt8], words: String, advice: String) {
    #expect(ReadList.bytes(bytes) == .refused("list.format", words, advice))
  }

  static let unfinished: [([UInt8], String)] = [
    ([], "it is empty"),
    ([0x20], "it contains only white space"),
    ([0xFF, 0xFE], "it contains only white space"),
    (Array("{ \"a\"".utf8), "line 1, column 6: the file ends in the middle"),
    ([UInt8](repeating: 0, count: 5000), "it begins with NUL bytes only"),
    (Array("bpl".utf8), "it ends after 3 bytes"),
    (Array("bplist00".utf8), "it is too short for a binary property list"),
    (Array("<?xml".utf8), "line 1: the file ends in the middle"),
    (Array("<plist>\n<dict>".utf8), "line 2: the file ends in the middle"),
  ]

  @Test("a list that may still be growing is refused as unfinished", arguments: unfinished)
  func isUnfinished(bytes: [UInt8], words: String) {
    #expect(
      ReadList.bytes(bytes)
        == .refused(
          "list.truncated", words, "The file may be incomplete; write it again"))
  }

  static let good = ReadList.document("<dict><key>a</key><string>u</string></dict>")

  static let trailing: [(String, ListOutcome)] = [
    (
      good + "junk",
      .refused(
        "list.syntax", "line 6: something follows the end of the list",
        "Remove everything after it")
    ),
    (
      good + good,
      .refused(
        "list.syntax", "line 6: a second list follows the end", "Drop each list as its own file")
    ),
    (
      good + "<plist version=\"1.0\"><dict/></plist>",
      .refused(
        "list.syntax", "line 6: a second list follows the end", "Drop each list as its own file")
    ),
    (
      "\n" + good,
      .refused(
        "list.syntax",
        "line 2, column 1: it is not well-formed XML "
          + "(XML or text declaration not at start of entity)",
        "Remove everything before '<?xml'")
    ),
  ]

  @Test("a list without <plist> around it is refused")
  func bareDictionary() {
    #expect(
      ReadList.text("\n<dict><key>a</key><string>u</string></dict>")
        == .refused(
          "list.syntax", "line 2: it begins with <dict>; a property list begins with <plist>", ""))
  }

  @Test("text before or after a list is refused", arguments: trailing)
  func hasTrailing(text: String, outcome: ListOutcome) {
    #expect(ReadList.text(text) == outcome)
  }

  @Test("limits are named when they are reached")
  func limits() {
    let two = "<dict><key>a</key><string>u</string>\n<key>b</key><string>u</string></dict>"
    #expect(
      ReadList.inside(two, limits: ListLimits(photos: 1))
        == .refused("list.limit", "line 5: it names more than 1 photos", "Split it"))
    #expect(
      ReadList.text("<plist/>    ", limits: ListLimits(size: 10))
        == .refused(
          "list.limit", "it is 12 bytes long; the limit is 10",
          "Split it, or raise MaximumListSize= in the section [Inbox]"))
    let long = String(repeating: "x", count: 1001)
    #expect(
      ReadList.inside("<dict>\(Self.photos)<key>Title</key><string>\(long)</string></dict>").reason
        == "line 4: 'Title' is 1001 bytes long; the limit is 1000")
  }

  @Test("a list nested a million levels deep is refused at the limit")
  func depth() {
    for element in ["<array>", "<dict><key>a</key>"] {
      let deep = "<dict><key>a</key>" + String(repeating: element, count: 1_000_000)
      #expect(
        ReadList.inside(deep)
          == .refused(
            "list.limit", "line 4: it is nested more than 32 levels deep", Self.formAdvice))
    }
  }

  @Test("bad UTF-8 is refused with its line")
  func badText() {
    var bytes = Array("<plist><dict>\n<key>caf".utf8)
    bytes.append(0xE9)
    bytes += Array("</key><string>u</string></dict></plist>".utf8)
    #expect(
      ReadList.bytes(bytes)
        == .refused(
          "list.syntax",
          "line 2, column 9: it is not well-formed XML (not well-formed (invalid token))",
          ""))
  }
}
