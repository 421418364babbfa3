// SPDX-License-Identifier: Apache-2.0
// The forms a list may have, and the outcome of each entry.

import Catalog
import Support
import Testing
import Vocabulary

@Suite("The forms of a list")
struct FormTests {
  private static let photosA =
    "<key>Photos</key><dict><key>a</key><string>http://x/a</string></dict></dict>"

  static let forms: [(String, [String], ListOptions)] = [
    (
      "<dict><key>b</key><string>http://x/b</string><key>a</key><string>http://x/a</string></dict>",
      ["b = http://x/b", "a = http://x/a"], ListOptions()
    ),
    (
      """
      <dict><key>Photos</key><array>
      <dict><key>Name</key><string>b</string><key>URL</key><string>http://x/b</string></dict>
      <dict><key>URL</key><string>http://x/a</string><key>Name</key><string>a</string></dict>
      </array></dict>
      """, ["b = http://x/b", "a = http://x/a"], ListOptions()
    ),
    (
      """
      <dict><key>Title</key><string>Summer</string><key>QualityOfService</key>
      <string>background</string><key>Photos</key><dict>
      <key>b</key><string>http://x/b</string><key>a</key><string>http://x/a</string></dict>
      <key>Filter</key><string>sepia(50%)</string></dict>
      """, ["b = http://x/b", "a = http://x/a"],
      ListOptions(
        title: "Summer", serviceClass: .background, filter: .sepia(thousandths: 500))
    ),
    (
      "<dict><key>Quality</key><integer>85</integer><key>Metadata</key><string>strip</string>"
        + photosA, ["a = http://x/a"], ListOptions(quality: .level(85), metadata: .strip)
    ),
    (
      "<dict><key>Quality</key><string>1</string><key>Metadata</key><string>copyright</string>"
        + photosA, ["a = http://x/a"], ListOptions(quality: .level(1), metadata: .copyright)
    ),
    (
      "<dict><key>Quality</key><string>source</string><key>Metadata</key><string>keep</string>"
        + photosA, ["a = http://x/a"], ListOptions(quality: .source, metadata: .keep)
    ),
    (
      "<dict><key>Quality</key><string>http://x/q</string></dict>", ["Quality = http://x/q"],
      ListOptions()
    ),
    (
      "<dict><key>a</key><dict><key>URL</key><string>http://x/a</string></dict></dict>",
      ["a = http://x/a"], ListOptions()
    ),
    (
      "<dict><key>Photos</key><string>http://x/p</string><key>Title</key>"
        + "<string>http://x/t</string></dict>",
      ["Photos = http://x/p", "Title = http://x/t"], ListOptions()
    ),
    (
      "<dict><key>Title</key><string>http://x/t</string><key>Filter</key>"
        + "<string>http://x/f</string></dict>",
      ["Title = http://x/t", "Filter = http://x/f"], ListOptions()
    ),
    (
      "<dict><key>Private</key><string>file:/srv/p</string><key>Title</key>"
        + "<string>FILE:///srv/t</string></dict>",
      ["Private = file:/srv/p", "Title = FILE:///srv/t"], ListOptions()
    ),
    (
      "<dict><key>Title</key><string>http://x/t</string><key>a</key><string>http://x/a</string>"
        + "<key>Filter</key><string>http://x/f</string></dict>",
      ["Title = http://x/t", "a = http://x/a", "Filter = http://x/f"], ListOptions()
    ),
    (
      "<dict><key>a</key><string>\n  http://x/a?b=1&amp;c=2 \n</string>"
        + "<key>b</key><string><![CDATA[http://x/b?c&d]]></string></dict>",
      ["a = http://x/a?b=1&c=2", "b = http://x/b?c&d"], ListOptions()
    ),
    (
      "<dict><key>Photos</key><array>"
        + "<dict><key>Name</key><string>a</string><key>URL</key><string>http://x/1</string></dict>"
        + "<dict><key>Name</key><string>a</string><key>URL</key><string>http://x/2</string></dict>"
        + "</array></dict>",
      ["a = http://x/1", "a = http://x/2"], ListOptions()
    ),
    (
      "<dict><key>Photos</key><array><string>http://x/1.jpg</string>"
        + "<dict><key>URL</key><string>http://x/2.jpg?a</string></dict></array></dict>",
      ["1.jpg = http://x/1.jpg", "2.jpg = http://x/2.jpg?a"], ListOptions()
    ),
    (
      "<array><string>http://x/1.jpg</string>"
        + "<dict><key>Name</key><string>b</string><key>URL</key><string>http://x/2</string></dict>"
        + "</array>",
      ["1.jpg = http://x/1.jpg", "b = http://x/2"], ListOptions()
    ),
  ]

  @Test("each form gives its photos in the order of the file", arguments: forms)
  func form(body: String, photos: [String], options: ListOptions) {
    #expect(ReadList.inside(body) == .photos(photos, options))
  }

  static let badEntries: [(String, String)] = [
    ("<key>a</key><integer>1</integer>", "a ! its URL is a number, not a string (line 4)"),
    ("<key>a</key><real>1</real>", "a ! its URL is a number, not a string (line 4)"),
    ("<key>a</key><true/>", "a ! its URL is true or false, not a string (line 4)"),
    ("<key>a</key><date>x</date>", "a ! its URL is a date, not a string (line 4)"),
    ("<key>a</key><data>QQ==</data>", "a ! its URL is data, not a string (line 4)"),
    (
      "<key>a</key><array><array><string>x</string></array></array>",
      "a ! its URL is an array, not a string (line 4)"
    ),
    ("<key>a</key><dict/>", "a ! its dictionary has no 'URL' (line 4)"),
    (
      "<key>a</key><dict><key>Url</key><string>x</string></dict>",
      "a ! its dictionary has the unknown key 'Url' (did you mean 'URL'?) (line 4)"
    ),
    (
      "<key>a</key><dict><key>SHA256</key><dict><key>x</key><array/></dict></dict>",
      "a ! its 'SHA256' is a dictionary, not a string (line 4)"
    ),
    (
      "<key>a</key><dict><key>URL</key><string>x</string><key>URL</key><string>y</string></dict>",
      "a ! its URL is given twice (line 4)"
    ),
    (
      "<key>a</key><dict><key>URL</key><array/></dict>",
      "a ! its URL is an array, not a string (line 4)"
    ),
    ("<key>a</key><string></string>", "a ! its URL is empty (line 4)"),
    ("<key>a</key><string> \n </string>", "a ! its URL is empty (line 4)"),
    (
      "<key>a</key><string>http://x/\u{7F}</string>",
      "a ! its URL contains a control character (line 4)"
    ),
    (
      "<key>a</key><string>http://x/\nb</string>",
      "a ! its URL contains a control character (line 4)"
    ),
    (
      "<key>a</key><string>http://x/123456789012345678901234567890</string>",
      "a ! its URL is 39 bytes long; the limit is 30 (line 4)"
    ),
    ("<key></key><string>http://x/</string>", " ! its name is empty (line 4)"),
    (
      "<key>a&#10;b</key><string>http://x/</string>",
      "a\nb ! its name contains a control character (line 4)"
    ),
    (
      "<key>a\u{85}b</key><string>http://x/</string>",
      "a\u{85}b ! its name contains a control character (line 4)"
    ),
    (
      "<key>a</key><string>http://x/\u{9B}2J</string>",
      "a ! its URL contains a control character (line 4)"
    ),
    (
      "<key>1234567890123456789é</key><string>http://x/</string>",
      "1234567890123456789 ! its name is 21 bytes long; the limit is 20 (line 4)"
    ),
  ]

  @Test("a bad entry fails alone and says why", arguments: badEntries)
  func badEntry(body: String, words: String) {
    let limits = ListLimits(keyBytes: 20, valueBytes: 30)
    let good = "<key>good</key><string>http://x/good</string>"
    #expect(
      ReadList.inside("<dict>\(body)\(good)</dict>", limits: limits).photos
        == [words, "good = http://x/good"])
  }

  static let badElements: [(String, String)] = [
    (
      "<array><dict/></array>", " ! it is an array, not a URL or a dictionary with one (line 4)"
    ),
    ("<dict/>", " ! its dictionary has no 'URL' (line 4)"),
    ("<string></string>", " ! its URL is empty (line 4)"),
    ("<dict><key>URL</key><string>http://</string></dict>", " ! its name is empty (line 4)"),
    ("<dict><key>Name</key><string>a</string></dict>", "a ! its dictionary has no 'URL' (line 4)"),
    (
      "<dict><key>Name</key><integer>5</integer><key>URL</key><string>x</string></dict>",
      "x ! its name is a number, not a string (line 4)"
    ),
    (
      "<dict><key>nmae</key><string>5</string></dict>",
      " ! its dictionary has the unknown key 'nmae' (did you mean 'Name'?) (line 4)"
    ),
    (
      "<dict><key>Name</key><string>a</string><key>Name</key><string>b</string></dict>",
      "b ! its name is given twice (line 4)"
    ),
  ]

  @Test("a bad element of Photos fails alone and says why", arguments: badElements)
  func badElement(body: String, words: String) {
    let good =
      "<dict><key>Name</key><string>g</string><key>URL</key><string>http://x/g</string></dict>"
    let outcome = ReadList.inside("<dict><key>Photos</key><array>\(body)\(good)</array></dict>")
    #expect(outcome.photos == [words, "g = http://x/g"])
  }

  /// The readers never give such events: an end before its beginning, or anything behind the end.
  @Test("events out of their order are refused")
  func disorder() throws {
    let key = ListEvent.key(ListText("a"))
    for (event, words) in [(ListEvent.close, "an end"), (key, "a key")] {
      var form = ListForm()
      let failure = #expect(throws: Failure.self) { try form.take(event, at: .byte(8)) }
      #expect(failure?.code == "list.form")
      #expect(failure?.reason == "byte 8: the list is \(words), not a dictionary or an array")
    }
    var form = ListForm()
    try form.take(.openDictionary, at: .byte(8))
    #expect(throws: Failure.self) { try form.finish() }
    try form.take(.close, at: .byte(9))
    try form.finish()
    let failure = #expect(throws: Failure.self) { try form.take(key, at: .byte(10)) }
    #expect(failure?.reason == "byte 10: something follows the end of the list")
    var reader = MarkupListReader(
      try ListBuilder(catalog: MemoryFile(), limits: ListLimits()), limits: ListLimits())
    let end = #expect(throws: Failure.self) { try reader.close(line: 3) }
    #expect(end?.reason == "line 3: an end tag has no start tag")
  }

  @Test("a list that ends in the middle of its events is unfinished")
  func unfinishedForm() throws {
    var form = ListForm()
    try form.take(.openDictionary, at: .byte(8))
    let failure = #expect(throws: Failure.self) { try form.finish() }
    #expect(failure?.code == "list.truncated" && failure?.reason == "it ends early")
  }

  /// A text, the limit, and how many of its bytes are kept.
  static let cuts: [(String, Int, Int)] = [
    ("abc", 0, 0), ("abc", 2, 2), ("abc", 3, 3), ("abc", 9, 3), ("aé", 2, 1), ("aé", 3, 3),
    ("éé", 3, 2), ("€€", 3, 3), ("€€", 4, 3), ("€€", 5, 3), ("🌄🌄", 4, 4), ("🌄🌄", 5, 4),
    ("🌄🌄", 7, 4), ("🌄", 3, 0),
  ]

  @Test("a text is cut between characters", arguments: cuts)
  func cut(text: String, limit: Int, kept: Int) {
    let bytes = Array(text.utf8)
    #expect(ListText(bytes).cut(to: limit) == Array(bytes.prefix(kept)))
    // Of a text that was not kept whole, the last character may be incomplete.
    #expect(
      ListText(Array(bytes.prefix(limit)), length: 99).cut(to: limit) == Array(bytes.prefix(kept)))
  }

  @Test("bytes that are no characters are cut at the limit")
  func cutBroken() {
    let bytes = [UInt8](repeating: 0x80, count: 9)
    #expect(ListText(bytes).cut(to: 6).count == 6)
  }

  static let names = [
    ".", "..", "../../etc/passwd", "a/b", "CON", "-rf", " a ", "%s%n", "\u{202E}gpj.exe", "~root",
    "\u{A0}", "\u{200F}a", "\u{FEFF}", "\u{E000}", "..\\..\\x", "é\u{301}\u{301}", "\u{10FFFF}",
  ]

  @Test("a strange name is kept as given", arguments: names)
  func strangeName(name: String) {
    let body = "<dict><key>\(name)</key><string>http://x/</string></dict>"
    #expect(ReadList.inside(body).photos == ["\(name) = http://x/"])
  }

  @Test(
    "a strange URL is kept as given, for the download to judge",
    arguments: [
      "javascript:alert(1)", "data:,x", "file:///etc/passwd", "//x/a", "http://u:p@x/", "x",
      "http://[::1]/", "http://x/\u{202E}", "http://bücher.example/", "gopher://x:70/1",
    ])
  func strangeURL(url: String) {
    let body = "<dict><key>a</key><string>\(url)</string></dict>"
    #expect(ReadList.inside(body).photos == ["a = \(url)"])
  }

  @Test("two spellings of a name in the array are two photos, like two equal names")
  func twinsInArray() {
    let rows = ["caf\u{E9}", "cafe\u{301}"].map {
      "<dict><key>Name</key><string>\($0)</string><key>URL</key><string>u</string></dict>"
    }
    let outcome = ReadList.inside("<dict><key>Photos</key><array>\(rows.joined())</array></dict>")
    #expect(outcome.photos?.map { Array($0.utf8).count } == [9, 10])
  }

  @Test("names that differ only by case are two photos")
  func casing() {
    let body = "<dict><key>a</key><string>u</string><key>A</key><string>v</string></dict>"
    #expect(ReadList.inside(body).photos == ["a = u", "A = v"])
  }

  @Test("a value of 64 MiB costs its entry, not the list")
  func longValue() {
    let long = String(repeating: "x", count: 64 << 20)
    let body =
      "<dict><key>a</key><string>\(long)</string><key>b</key><string>http://x/b</string></dict>"
    #expect(
      ReadList.inside(body).photos
        == ["a ! its URL is 67108864 bytes long; the limit is 16384 (line 4)", "b = http://x/b"])
  }
}
