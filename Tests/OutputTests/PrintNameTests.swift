// SPDX-License-Identifier: Apache-2.0
// File names, made from arbitrary names of photos and lists.

import Testing
import Vocabulary

@testable import Output

@Suite struct PrintNameTests {
  @Test(
    arguments: [
      ("Rolling Hills", "Rolling Hills"),
      ("Barn.JPG", "Barn"), ("Barn.jpeg", "Barn"), ("Barn.png", "Barn"),
      ("Barn.gif", "Barn.gif"), ("v1.2", "v1.2"), ("Barn.jpg.png", "Barn.jpg"),
      (".jpg", "%2Ejpg"), (".hidden", "%2Ehidden"), (".", "%2E"), ("..", "%2E."),
      ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"), ("/", "%2F"), ("a/b", "a%2Fb"),
      ("-rf", "%2Drf"), ("a-b", "a-b"), ("100%", "100%25"), ("Barn~3", "Barn%7E3"),
      ("a~b~", "a~b~"), ("~~1", "~%7E1"), ("%2F", "%252F"),
      ("two\nlines", "two%0Alines"), ("tab\there", "tab%09here"), ("bell\u{7}", "bell%07"),
      ("gone\u{7F}", "gone%7F"), ("carriage\r\nreturn", "carriage%0D%0Areturn"),
      ("escape\u{1B}[31m", "escape%1B[31m"), ("", "%"), (" ", " "),
      ("Küche", "Küche"), ("日本", "日本"), ("\"quoted\" 'too' $(x) `y`", "\"quoted\" 'too' $(x) `y`"),
    ])
  func `a name becomes one safe component`(name: String, stem: String) {
    #expect(PrintName.stem(of: name) == stem)
    let file = PrintName.file(stem: stem, number: nil, format: .jpeg)
    #expect(file.bytes == Array("\(stem).jpg".utf8))
  }

  @Test(
    arguments: [
      // A reader would see `annexe.jpg` or `Barn`.
      ("ann\u{202E}gpj.exe", "ann%E2%80%AEgpj.exe"), ("\u{2066}a\u{2069}", "%E2%81%A6a%E2%81%A9"),
      ("Ba\u{200B}rn", "Ba%E2%80%8Brn"), ("\u{FEFF}Barn", "%EF%BB%BFBarn"),
      ("a\u{200E}\u{200F}b", "a%E2%80%8E%E2%80%8Fb"), ("a\u{2028}\u{2029}", "a%E2%80%A8%E2%80%A9"),
      ("so\u{AD}ft", "so%C2%ADft"), ("a\u{2060}b", "a%E2%81%A0b"), ("a\u{61C}", "a%D8%9C"),
      ("\u{3164}", "%E3%85%A4"), ("next\u{85}line", "next%C2%85line"),
      ("🏴\u{E0067}\u{E007F}", "🏴%F3%A0%81%A7%F3%A0%81%BF"),
      // Joiners and selectors, where none belongs and where one does.
      ("Ba\u{200D}rn", "Ba%E2%80%8Drn"), ("Barn\u{200C}", "Barn%E2%80%8C"),
      ("日\u{200D}", "日%E2%80%8D"), ("日\u{200D}\u{200D}本", "日%E2%80%8D%E2%80%8D本"),
      ("a\u{FE0F}", "a%EF%B8%8F"), ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}%EF%B8%8F"),
      ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"), ("👩\u{200D}❤\u{FE0F}\u{200D}👨", "👩\u{200D}❤\u{FE0F}\u{200D}👨"),
      ("👍🏽", "👍🏽"), ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("क्\u{200D}ष", "क्\u{200D}ष"),
    ])
  func `a name has no character that is not seen, but those that scripts and emoji need`(
    name: String, stem: String
  ) {
    #expect(PrintName.stem(of: name) == stem)
    #expect(PrintName.folder(list: name, number: nil) == FileName(stem))
  }

  @Test(arguments: [
    (PictureFormat.jpeg, "Barn.jpg", "Barn~7.jpg"), (.png, "Barn.png", "Barn~7.png"),
  ])
  func `the extension follows the format, a number tells namesakes apart`(
    format: PictureFormat, plain: String, numbered: String
  ) {
    #expect(PrintName.file(stem: "Barn", number: nil, format: format) == FileName(plain))
    #expect(PrintName.file(stem: "Barn", number: 7, format: format) == FileName(numbered))
  }

  @Test(arguments: ["a", "é", "日", "👨‍👩‍👧‍👦", "/", "%", "e\u{301}", "\n"])
  func `a long name is cut between characters, at 200 bytes at most`(piece: String) {
    let stem = PrintName.stem(of: String(repeating: piece, count: 500))
    #expect(stem.utf8.count <= 200)
    #expect(stem.utf8.count > 200 - 30)
    let whole = PrintName.stem(of: piece)
    #expect(stem.utf8.count % whole.utf8.count == 0, "no character is cut in two")
    let longest = PrintName.file(stem: stem, number: .max, format: .jpeg)
    #expect(longest.bytes.count <= 254, "room for a temporary's dot")
  }

  @Test(arguments: ["\u{301}", "\u{200D}", "\u{E007F}", "\u{FE0F}"])
  func `one endless character keeps its beginning, without a part of an escape`(mark: String) {
    for count in Array(1...220) + [5000] {
      let name = "e" + String(repeating: mark, count: count)
      #expect(name.count == 1)
      let stem = PrintName.stem(of: name)
      let whole = String(decoding: PrintName.stem(of: "e" + mark).utf8.dropFirst(), as: UTF8.self)
      let most = (200 - 1) / whole.utf8.count
      #expect(stem == "e" + String(repeating: whole, count: min(count, most)))
      #expect(PrintName.folder(list: name, number: nil) == FileName(stem))
    }
  }

  @Test(arguments: ["a", "é", "日", "%", "\u{202E}", "👨‍👩‍👧‍👦", "e\u{301}\u{301}", "\r\n"])
  func `a name of any length is cut at a whole escape`(piece: String) {
    for start in ["", "a", "bc"] {
      for count in 1...210 {
        let name = start + String(repeating: piece, count: count)
        let stem = PrintName.stem(of: name)
        #expect((1...200).contains(stem.utf8.count))
        let decoded = HexDigits.percentDecoded(Array(stem.utf8))
        #expect(decoded.map { name.utf8.starts(with: $0) } == true, "\(stem)")
      }
    }
  }

  @Test(
    arguments: [
      ("summer", nil, "summer"), ("summer", 17, "summer~17"), ("..", nil, "%2E."),
      ("a/b", 3, "a%2Fb~3"), ("summer~2", nil, "summer%7E2"), ("summer~2", 4, "summer%7E2~4"),
      ("", nil, "%"), ("photos.jpg", nil, "photos.jpg"),
    ] as [(String, UInt64?, String)])
  func `a list's folder is one safe component`(list: String, number: UInt64?, folder: String) {
    #expect(PrintName.folder(list: list, number: number) == FileName(folder))
  }
}

@Suite struct NameCollisionTests {
  private func numbers(_ names: [String]) -> [UInt32] {
    var collisions = NameCollisions()
    for (number, name) in zip(1..., names) { collisions.add(name, number: UInt32(number)) }
    return collisions.numbers()
  }

  @Test(
    arguments: [
      (["a", "b", "c"], []),
      (["Barn", "barn", "BARN"], [2, 3]),
      (["Barn.jpg", "Barn.png", "Barn"], [2, 3]),
      (["\u{E9}t\u{E9}", "e\u{301}te\u{301}"], [2]),
      (["\u{C9}t\u{E9}", "e\u{301}te\u{301}"], [2]),
      (["Stra\u{DF}e", "STRASSE"], [2]),
      (["a/b", "a%2Fb"], []),
      (["\n", "\r"], []),
      (["b", "a", "B", "A", "c"], [3, 4]),
      ([], []),
    ])
  func `the later of two namesakes gets a number`(names: [String], expected: [UInt32]) {
    #expect(numbers(names) == expected)
  }

  @Test func `names that differ only beyond the cut get different files`() {
    let long = String(repeating: "x", count: 300)
    #expect(numbers([long + "1", long + "2", long]) == [2, 3])
  }

  /// A name with a number may equal the own name of another photo.
  @Test func `a numbered name never equals another photo's own name`() {
    let names = ["Barn~3", "barn", "Barn", "x", "X~5", "x"]
    let taken = Set(numbers(names))
    let files = zip(1..., names).map { number, name in
      PrintName.file(
        stem: PrintName.stem(of: name),
        number: taken.contains(UInt32(number)) ? UInt32(number) : nil,
        format: .jpeg)
    }
    let folded = files.map { "\($0)".lowercased() }
    #expect(Set(folded).count == names.count, "\(folded)")
  }
}
