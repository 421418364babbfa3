// SPDX-License-Identifier: Apache-2.0
// A budget for turns of phrase that are rare in good English, in 1,000 words of documents, manual pages and
// comments. Measured in the prose of Postfix, redis, GRDB and postgres-nio: a good sentence may have one, a text
// with many is read twice.

import Foundation
import Support
import Testing

@Suite struct EnglishBudgetTests {
  enum Turn: String, CaseIterable, Sendable {
    case pronoun = "those of, of them"
    case own = "of its own"
    case cause = "for meaning because of"
    case telling = "things that tell, know and say"
    case too = "…, too."
    case perfect = "has been"
    case also = ", also how …"

    var regex: String {
      switch self {
      case .pronoun: #"\b(?:those|that) of\b|\bof (?:them|these|those|which|whom)\b"#
      case .own: #"\bof (?:its|their|his|our|your) own\b"#
      case .cause:
        // "Waits for a disk" is plain.
        #"\b(?:failed|fails|fail|killed|refused|refuses|left|removed|stopped)"#
          + #" (?:only )?for (?:it|an?|its|their|lack|that|them)\b"#
      case .telling:
        #"\b(?:page|print|status|unit|start|list|file|node|ledger|journal|row|store|folder|disk"#
          + #"|server|record|table|name|answer|reply|look|test|man page|result|results|label"#
          + #"|mark) (?:tells?|names|knows|says|sees|remembers|forgets|hears|wants)\b"#
      case .too: #", too[.,;:)]|, as well[.,;]"#
      case .perfect: #"\bhas (?:just )?(?:been )?\w+ed\b|\bhave (?:been )?\w+ed\b"#
      case .also: #"[,;(] also (?!known|see|called)\w+"#
      }
    }

    /// The most in 1,000 words, as in the prose of others.
    var most: Double {
      switch self {
      case .pronoun: 0.4
      case .own, .cause, .telling, .too, .also: 0.1
      case .perfect: 2
      }
    }

    func hits(in text: String) throws -> [String] {
      let words = text as NSString
      return try NSRegularExpression(pattern: regex).matches(
        in: text, range: NSRange(location: 0, length: words.length)
      ).map { match in
        let start = max(0, match.range.location - 40)
        let end = min(words.length, match.range.upperBound + 30)
        return "[\(rawValue)] …\(words.substring(with: NSRange(start..<end)))…"
      }
    }
  }

  /// The text in one line, with its paths for a reader who looks for a hit.
  private struct Prose {
    var texts: [(path: String, text: String)]

    var words: Int { texts.map { $0.text.split(separator: " ").count }.reduce(0, +) }

    func hits(_ turn: Turn) throws -> [String] {
      try texts.flatMap { item in try turn.hits(in: item.text).map { "\(item.path): \($0)" } }
    }
  }

  private static func plain(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func replacing(_ text: String, _ regex: String) -> String {
    text.replacingOccurrences(of: regex, with: "", options: .regularExpression)
  }

  /// Without code, and without the table of what not to write.
  private static let documents = Prose(
    texts: [
      "README.md", "CONTRIBUTING.md", "Benchmarks/README.md", "Tests/README.md", "SECURITY.md",
      "CHANGELOG.md",
    ].map { path in
      let text = replacing(Repository.text(path), "(?s)```.*?```|\\| not \\| but \\|.*?\n\n")
      return (path, plain(text))
    })

  private static let pages = Prose(
    texts: Repository.files(under: "man", ending: ["1", "5", "7", "8"]).map { page in
      let text = replacing(
        page.text, #"(?m)^\.\\".*$|^\.[A-Z]{1,2} ?|\\f[BIRP]|\\"#)
      return (page.path, plain(text))
    })

  private static let comments = Prose(
    texts: Repository.sources.map { file in
      let lines = file.lines.compactMap { line -> Substring? in
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("//"), !text.contains("SPDX") else { return nil }
        return text.drop { $0 == "/" }
      }
      return (file.path, plain(lines.joined(separator: " ")))
    })

  private func expect(_ prose: Prose, words: Int, most: (Turn) -> Double) throws {
    #expect(prose.words > words)
    for turn in Turn.allCases {
      let found = try prose.hits(turn)
      let rate = Double(found.count) * 1000 / Double(prose.words)
      #expect(
        rate <= most(turn),
        "\(found.count) of '\(turn.rawValue)':\n\(found.joined(separator: "\n"))")
    }
  }

  @Test func `the documents keep to the budget`() throws {
    try expect(Self.documents, words: 6_000) { $0.most }
  }

  @Test func `the manual pages keep to the budget`() throws {
    try expect(Self.pages, words: 25_000) { $0.most }
  }

  /// But for the perfect, whose number is what is reached: it may only go down.
  @Test func `the comments keep to the budget`() throws {
    try expect(Self.comments, words: 50_000) { $0 == .perfect ? 2.8 : $0.most }
  }

  @Test(arguments: [
    ("Its list, and those of others.", Turn.pronoun), ("a thread of its own", .own),
    ("A photo failed for it.", .cause), ("The print tells that.", .telling),
    ("The page is gone, too.", .too), ("The list has ended.", .perfect),
    ("It shows the page, also how to open it.", .also),
  ])
  func `a turn is found`(text: String, turn: Turn) throws {
    #expect(try turn.hits(in: text).count == 1)
    #expect(try turn.hits(in: "The daemon waits until the disk has room.").isEmpty)
  }
}
