// SPDX-License-Identifier: Apache-2.0
// Lists in JSON: their forms, the spellings of their keys, and what is wrong with them; and the stream of JSON
// events, which is the same however the bytes arrive.

import Catalog
import JSON
import Support
import Testing
import Vocabulary

@Suite("Lists in JSON")
struct JSONListTests {
  static let texts: [(String, [String], ListOptions)] = [
    (
      "{\"b\": \"http://x/b\", \"a\": \"http://x/a\"}", ["b = http://x/b", "a = http://x/a"],
      ListOptions()
    ),
    (
      "[\"http://x/b.jpg\", \"http://x/b.jpg\"]",
      ["b.jpg = http://x/b.jpg", "b.jpg = http://x/b.jpg"], ListOptions()
    ),
    (
      "[{\"name\": \"a\", \"url\": \"http://x/a\"}, {\"FileName\": \"b\", \"href\": \"http://x/b\"},\n"
        + "{\"src\": \"http:\\/\\/x/c\", \"title\": null, \"quality\": null}]",
      ["a = http://x/a", "b = http://x/b", "c = http://x/c"], ListOptions()
    ),
    (
      "{\"title\": \"Summer\", \"quality_of_service\": \"utility\", \"filter\": null, \"Quality\": 80,\n"
        + "\"photos\": [\"http://x/a\"], \"metadata\": \"strip\"}",
      ["a = http://x/a"],
      ListOptions(title: "Summer", serviceClass: .utility, quality: .level(80), metadata: .strip)
    ),
    (
      "{\"notify\": \"http://h/done?token=x\", \"photos\": [\"http://x/a\"]}", ["a = http://x/a"],
      ListOptions(notify: try? PhotoURL(parsing: "http://h/done?token=x"))
    ),
    (
      "{\"Photos\": {\"a\": {\"link\": \"http://x/a\"}}}", ["a = http://x/a"], ListOptions()
    ),
    ("{\"caf\\u00e9 \\ud83c\\udf04\": \"http://x/a\"}", ["café 🌄 = http://x/a"], ListOptions()),
    ("\u{FEFF} {\"title\": \"http://x/a\"}", ["title = http://x/a"], ListOptions()),
  ]

  @Test("each form gives its photos in the order of the file", arguments: texts)
  func text(text: String, photos: [String], options: ListOptions) {
    #expect(ReadList.text(text) == .photos(photos, options))
  }

  static let wrong: [(String, String)] = [
    ("3", "a ! its URL is a number, not a string (line 2, column 7)"),
    ("0.5", "a ! its URL is a number, not a string (line 2, column 7)"),
    ("true", "a ! its URL is true or false, not a string (line 2, column 7)"),
    ("null", "a ! its URL is null, not a string (line 2, column 7)"),
    ("[1, [2]]", "a ! its URL is an array, not a string (line 2, column 7)"),
    ("{}", "a ! its dictionary has no 'URL' (line 2, column 2)"),
    ("{\"url\": \"u\", \"href\": \"v\"}", "a ! its URL is given twice (line 2, column 28)"),
    (
      "{\"url\": \"u\", \"Name\": \"v\"}",
      "a ! its dictionary has the key 'Name', but the list already names it (line 2, column 20)"
    ),
    (
      "{\"url\": \"u\",\n \"qualiti\": 3}",
      "a ! its dictionary has the unknown key 'qualiti' (did you mean 'Quality'?) (line 3, column 2)"
    ),
    (
      "{\"url\": \"u\", \"output\": \"same\"}",
      "a ! its dictionary has the key 'Output', which is allowed only beside 'Photos' (line 2, column 20)"
    ),
    ("\"u\\n\"", "a = u"),
    ("\"u\\u0000v\"", "a ! its URL contains a control character (line 2, column 2)"),
  ]

  @Test("a bad entry fails alone and says why", arguments: wrong)
  func badEntry(value: String, words: String) {
    let photos = ReadList.text("{\n \"a\": \(value),\n\"good\": \"http://x/g\"}").photos
    #expect(photos == [words, "good = http://x/g"])
  }

  static let again = "The file may be incomplete; write it again"

  static let refused: [(String, ListOutcome)] = [
    ("[]", .refused("list.empty", "it names no photos", RefusalTests.formAdvice)),
    (
      "{\"é\": \"u\"\n \"b\": \"v\"}",
      .refused(
        "list.syntax", "line 2, column 2: it is not valid JSON: '\"' where ',' or '}' belongs",
        "Put a comma between the entries")
    ),
    (
      "{\u{201C}a\u{201D}: \"u\"}",
      .refused(
        "list.syntax",
        "line 1, column 2: it is not valid JSON: '\u{201C}' where a name or '}' belongs",
        "Names and values stand in straight double quotation marks")
    ),
    (
      "{'a': 'u'}",
      .refused(
        "list.syntax", "line 1, column 2: it is not valid JSON: ''' where a name or '}' belongs",
        "Names and values stand in straight double quotation marks")
    ),
    (
      "{\"a\": \"u\",\n}",
      .refused(
        "list.syntax", "line 2, column 1: it is not valid JSON: '}' where a name belongs",
        "Remove the comma before it")
    ),
    (
      "[\"u\",]",
      .refused(
        "list.syntax", "line 1, column 6: it is not valid JSON: ']' where a value belongs",
        "Remove the comma before it")
    ),
    (
      "[// photos\n]",
      .refused(
        "list.syntax", "line 1, column 2: it is not valid JSON: '/' where a value or ']' belongs",
        "JSON has no comments")
    ),
    (
      "{\"é\": \"u\\x\"}",
      .refused(
        "list.syntax", "line 1, column 10: it is not valid JSON (the string is not valid)", "")
    ),
    (
      "[1e999]",
      .refused(
        "list.syntax", "line 1, column 2: it is not valid JSON (the number is not valid)", "")
    ),
    (
      "[\"http://x/a\"]\n[]",
      .refused(
        "list.syntax", "line 2, column 1: something follows the end of the list",
        "A list in JSON is one value; put all photos into one array")
    ),
    (
      "[\"http://x/a\"",
      .refused("list.truncated", "line 1, column 14: the file ends in the middle", again)
    ),
    (
      "[\"http:", .refused("list.truncated", "line 1, column 8: the file ends in the middle", again)
    ),
    (
      "{\"a\": \"u\",\n\"a\": \"v\"}",
      .refused(
        "list.duplicate", "'a' occurs twice, at line 1, column 2 and line 2, column 1",
        RefusalTests.twiceAdvice)
    ),
    (
      "{\"photos\": [], \"barn\": \"u\"}",
      .refused(
        "list.option", "line 1, column 16: 'barn' is not an option of a list",
        RefusalTests.optionAdvice)
    ),
    (
      String(repeating: "[", count: 100_000),
      .refused(
        "list.limit", "line 1, column 33: it is nested more than 32 levels deep",
        RefusalTests.formAdvice)
    ),
  ]

  @Test("a text is refused with its line and column", arguments: refused)
  func isRefused(text: String, outcome: ListOutcome) {
    #expect(ReadList.text(text) == outcome)
  }

  @Test("a string of 3 MiB costs its photo alone")
  func longString() {
    let long = String(repeating: "\\u0078yz", count: 1 << 20)
    #expect(
      ReadList.text("{\"a\": \"\(long)\", \"b\": \"http://x/b\"}").photos == [
        "a ! its URL is 3145728 bytes long; the limit is 16384 (line 1, column 2)",
        "b = http://x/b",
      ])
  }

  private func events(_ text: String, piece: Int) throws -> [JSONEvent] {
    var stream = JSONStream(depth: 32, longestText: 700)
    var rest = Array(text.utf8)[...]
    var events: [JSONEvent] = []
    while true {
      let bytes = Array(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      stream.feed(bytes)
      while let (event, _) = try stream.next() { events.append(event) }
      if bytes.isEmpty { break }
    }
    #expect(stream.isOver)
    return events
  }

  @Test("a text gives the same events in pieces of any size")
  func pieces() throws {
    let text =
      "{\"\\u00e9\\ud83c\\udf04 é\": [true, false, null, -12.5e3, 17, {}],\n \"b\": \"x\\\\y\"}"
    let whole = try events(text, piece: .max - 1)
    #expect(whole.count == 14)
    for piece in 1...text.utf8.count { #expect(try events(text, piece: piece) == whole) }
  }

  @Test("a number that is longer than any is refused in pieces, too")
  func longNumber() {
    let text = "[" + String(repeating: "1", count: 2000) + "]"
    for piece in [1, 600, 4000] {
      #expect(throws: JSONSyntaxError(problem: .badNumber, offset: 1)) {
        try events(text, piece: piece)
      }
    }
  }
}
