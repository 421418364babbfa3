// SPDX-License-Identifier: Apache-2.0
// Lists in CSV: separators, quotation marks, columns, and what is wrong with them.

import Catalog
import Digests
import Support
import Testing
import Vocabulary

@Suite("Lists in CSV")
struct TableTests {
  static let tables: [(String, [String])] = [
    ("url,name\nhttp://x/a,A\nhttp://x/b,\n", ["A = http://x/a", "b = http://x/b"]),
    ("Name;URL\r\nA;http://x/a\r\n", ["A = http://x/a"]),
    ("title\thref\nA\thttp://x/a", ["A = http://x/a"]),
    ("link\nhttp://x/a\n", ["a = http://x/a"]),
    ("\"url\";\"name\"\r\n\"http://x/a\";\"A = 1\"\r\n", ["A = 1 = http://x/a"]),
    ("\"\";\"url\"\n\"\";\"http://x/a\"\n", ["a = http://x/a"]),
    (
      "\u{FEFF}\"url\",\"file name\"\n\"http://x/a,b\",\"the \"\"A\"\"\"\r\n",
      ["the \"A\" = http://x/a,b"]
    ),
    ("url,name\n\n,\n \nhttp://x/a,A\n", ["A = http://x/a"]),
    ("\n url , name ,\nhttp://x/a,A,\n", ["A = http://x/a"]),
    (
      "url,name\n\"http://x/\na\",\"é\"\nhttp://x/b,é\n",
      ["é ! its URL contains a control character (line 2, column 1)", "é = http://x/b"]
    ),
    ("url,name\n,A\n", ["A ! its URL is empty (line 2, column 1)"]),
    (
      "url,name\nhttp://x/a\n",
      ["a ! its line has 1 columns, the first line has 2 (line 2, column 1)"]
    ),
    (
      "url\nhttp://x/a" + String(repeating: ",", count: 64) + "\n",
      ["a ! its line has 65 columns, the first line has 1 (line 2, column 1)"]
    ),
    ("url,,name\nhttp://x/a,x,A\n", ["A ! the column of 'x' has no name (line 2, column 12)"]),
    (
      "name,url,quality\né,http://x/a,101\n",
      [
        "é ! its 'Quality' is '101': the quality is a whole number from 1 to 100, or source (line 2, column 14)"
      ]
    ),
  ]

  @Test("each line is a photo", arguments: tables)
  func table(text: String, photos: [String]) {
    #expect(ReadList.text(text).photos == photos)
  }

  @Test("the columns are the options of a photo")
  func options() throws {
    let sum = String(repeating: "0f", count: 32)
    let text =
      "url;SHA-256;filter;quality;metadata;quality_of_service\n"
      + "http://x/a;\(sum);sepia(50%);80;strip;utility\nhttp://x/b;;;;;\n"
    let entries = try ReadList.entries(Array(text.utf8))
    #expect(entries[0].options.checksum?.hex == sum)
    #expect(entries[0].options.filter == .sepia(thousandths: 500))
    #expect(entries[0].options.quality == .level(80))
    #expect(entries[0].options.metadata == .strip)
    #expect(entries[0].options.serviceClass == .utility)
    #expect(entries[1].options == PhotoOptions())
    #expect(entries[1].place == .spot(line: 3, column: 1))
  }

  static let columns =
    "The columns are url, name, sha256, filter, quality, metadata and qualityOfService; "
    + "remove the others"

  static let refused: [(String, ListOutcome)] = [
    (
      "url,nmae\n",
      .refused(
        "list.option", "line 1, column 5: 'nmae' is not a column of a list (did you mean 'Name'?)",
        columns)
    ),
    (
      "url,name,href\n",
      .refused(
        "list.duplicate", "two columns are the URL, at line 1, column 1 and line 1, column 10",
        "Remove one of them")
    ),
    (
      "url,name\n",
      .refused(
        "list.empty", "it names no photos", "Write one photo a line, below the names of the columns"
      )
    ),
    (
      "url\nhttp://x/\"a\"\n",
      .refused(
        "list.syntax", "line 2, column 10: a quotation mark is inside a cell",
        "Put the whole cell into quotation marks, and write each mark in it twice")
    ),
    (
      "url\n\"http://x/a\"b\n",
      .refused(
        "list.syntax",
        "line 2, column 13: something follows the quotation mark that ends a cell",
        "Write each quotation mark inside a cell twice")
    ),
    (
      "url\n\"http://x/a\"\rb\n",
      .refused(
        "list.syntax",
        "line 2, column 13: something follows the quotation mark that ends a cell",
        "Write each quotation mark inside a cell twice")
    ),
    (
      "url,name\nhttp://x/a,\"b\nc\n",
      .refused(
        "list.truncated", "line 2, column 12: the quotation mark here has no end",
        "The file may be incomplete; write it again")
    ),
  ]

  @Test("a table is refused with its line and column", arguments: refused)
  func isRefused(text: String, outcome: ListOutcome) {
    #expect(ReadList.text(text) == outcome)
  }

  @Test("a cell of 3 MiB costs its photo alone, in quotation marks or not")
  func longCell() {
    let long = String(repeating: "x", count: 3 << 20)
    for cell in [long, "\"\(long)\""] {
      #expect(
        ReadList.text("name,url\na,\(cell)\nb,http://x/b\n").photos == [
          "a ! its URL is 3145728 bytes long; the limit is 16384 (line 2, column 1)",
          "b = http://x/b",
        ])
    }
  }
}
