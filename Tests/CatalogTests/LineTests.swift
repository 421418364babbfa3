// SPDX-License-Identifier: Apache-2.0
// Texts of URLs, plain and as aria2 reads them, and the names of their photos.

import Catalog
import Digests
import Support
import Testing
import Vocabulary

@Suite("Texts of URLs")
struct LineTests {
  static let texts: [(String, [String])] = [
    ("http://x/a.jpg", ["a.jpg = http://x/a.jpg"]),
    ("http://x/a.jpg\nhttp://x/b\n", ["a.jpg = http://x/a.jpg", "b = http://x/b"]),
    ("http://x/a\tThe Barn\r\nhttp://x/b\t\r\n", ["The Barn = http://x/a", "b = http://x/b"]),
    ("\u{FEFF}http://x/a\n", ["a = http://x/a"]),
    (
      "# of 2025\n\n  \t\nhttp://x/a#part\n\t# indented\nhttp://x/b \t b \n",
      ["a = http://x/a#part", "b = http://x/b"]
    ),
    ("  http://x/a\n\thttp://x/?b=1\n", ["a = http://x/a", "x = http://x/?b=1"]),
    (
      "http://x/image.jpg\nhttp://y/image.jpg\n",
      ["image.jpg = http://x/image.jpg", "image.jpg = http://y/image.jpg"]
    ),
    (
      "http://x/1\n  out=The Barn.jpg\n  dir=/tmp\n\tsplit=5\nhttp://x/2\n\tout=b\n",
      ["The Barn.jpg = http://x/1", "b = http://x/2"]
    ),
    (
      "http://x/1\n  checksum=md5=00\n  checksum=sha-256=12\n",
      [
        "1 ! its 'SHA256' is '12'; it must be 64 hex digits, as sha256sum prints them (line 3, column 1)"
      ]
    ),
    (
      "http://x/1\nnot a URL\nhttp://x/2 The Barn\nhttp://x/3 http://x/4",
      [
        "1 = http://x/1",
        "not a URL ! its URL contains a space; a name follows after a tab (line 2, column 1)",
        "2 The Barn ! its URL contains a space; a name follows after a tab (line 3, column 1)",
        "4 ! its URL contains a space; a name follows after a tab (line 4, column 1)",
      ]
    ),
    (
      "http://x/1\thttp://y/1\n",
      ["http://y/1 ! a second URL is in its line; a photo has one (line 1, column 12)"]
    ),
    (
      "http://x/é\ta\tb\n",
      ["a ! its line has 3 parts; a tab is only between the URL and the name (line 1, column 12)"]
    ),
    ("http://x/1\ta\n out=b\n", ["b ! its name is given twice (line 2, column 1)"]),
    (
      "http://x/1\ta\u{7}b\n",
      ["a\u{7}b ! its name contains a control character (line 1, column 1)"]
    ),
  ]

  @Test("each line is a photo", arguments: texts)
  func text(text: String, photos: [String]) {
    #expect(ReadList.text(text).photos == photos)
  }

  static let names: [(String, String)] = [
    ("http://x/a/b.jpg", "b.jpg"), ("http://x/a/b.jpg/", "b.jpg"),
    ("http://x/a%20b.jpg", "a b.jpg"),
    ("http://x/caf%C3%A9", "café"), ("http://x/%FF", "%FF"), ("http://x/%0A", "%0A"),
    ("http://x/a%2Fb", "a/b"), ("http://x/100%", "100%"), ("http://x/a?b/c", "a"),
    ("http://x", "x"),
    ("http://x/", "x"), ("http://u:p@x/", "x"), ("a:b", "a:b"),
    (
      "http://x/\(String(repeating: "é", count: 150))",
      String(repeating: "é", count: 100)
    ),
  ]

  @Test("a photo without a name has the last part of its URL's path", arguments: names)
  func name(url: String, name: String) {
    #expect(ReadList.text("# names\n\(url)\n").photos == ["\(name) = \(url)"])
  }

  static let refused: [(String, ListOutcome)] = [
    (
      "# http://x/\n out=a\n",
      .refused("list.syntax", "line 2, column 1: the option 'out' has no URL before it", "")
    ),
    (
      "# http://x/\n" + String(repeating: "\t", count: 64) + "http://x/a",
      .refused("list.syntax", "line 2, column 1: its line begins with more than 63 tabs", "")
    ),
    (
      "# nothing\n",
      .refused(
        "list.empty", "it names no photos",
        "Write one URL a line; a line that begins with # is a comment")
    ),
  ]

  @Test("a text is refused with its line and column", arguments: refused)
  func isRefused(text: String, outcome: ListOutcome) {
    #expect(ReadList.text(text) == outcome)
  }

  @Test("a checksum that aria2 would check is the photo's")
  func checksum() throws {
    let sum = String(repeating: "0f", count: 32)
    let entries = try ReadList.entries(Array("http://x/1\n checksum=sha-256=\(sum)\n".utf8))
    #expect(entries.first?.options.checksum?.hex == sum)
    #expect(entries.first?.place == .spot(line: 1, column: 1))
  }

  @Test("limits hold for every line, and a line of 3 MiB costs its photo alone")
  func limits() {
    let two = "http://x/1\nhttp://x/2\n"
    #expect(
      ReadList.text(two, limits: ListLimits(photos: 1))
        == .refused("list.limit", "line 2, column 1: it names more than 1 photos", "Split it"))
    let long = "http://x/" + String(repeating: "é", count: 3 << 19)
    #expect(
      ReadList.text("\(long)\nhttp://x/2\r\n").photos == [
        "\(String(repeating: "é", count: 100)) ! its URL is 3145737 bytes long; "
          + "the limit is 16384 (line 1, column 1)",
        "2 = http://x/2",
      ])
  }

  @Test("a URL that is too long, and is cut within a character, costs its photo alone")
  func cutCharacter() {
    let folder = "http://x/" + String(repeating: "a", count: 16_301) + "/"
    let long = folder + String(repeating: "é", count: 100)
    #expect(
      ReadList.text("\(long)\nhttp://x/2\n").photos == [
        "\(String(repeating: "é", count: 36)) ! its URL is 16511 bytes long; "
          + "the limit is 16384 (line 1, column 1)",
        "2 = http://x/2",
      ])
  }
}
