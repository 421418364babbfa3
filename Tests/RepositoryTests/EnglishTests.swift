// SPDX-License-Identifier: Apache-2.0
// Tell-tale patterns of sentences that must be read twice, counted in comments, messages and documents. A
// good sentence may contain one, so a few are allowed.

import Foundation
import Support
import Testing

@Suite struct EnglishTests {
  private struct Pattern {
    let name: String
    let regex: Regex<Substring>
  }

  private static var patterns: [Pattern] {
    [
      Pattern(name: "somebody", regex: #/\b(?:some|no|any|every)body\b|\b[wW]hoever\b/#),
      Pattern(
        name: "is no X", regex: #/\b(?:is|are|was|were|be) no (?!longer|more|less|such|later)\w+/#),
      Pattern(
        name: "so many", regex: #/\bso (?:many|long|far|large|often|soon|much)\b(?! as)(?! that)/#),
      Pattern(name: "told of", regex: #/\b(?:told|tells?) of\b/#),
      Pattern(name: "goes on with", regex: #/\b(?:go|goes|gone|going|went) on with\b/#),
      Pattern(name: "anew", regex: #/\banew\b|\bonce more\b|\bfor ever\b/#),
      Pattern(
        name: "what-sentence",
        regex: #/(?:^|[.:;!?] )(?:What|Whatever|Who|Whose)\b(?![^.?]*\?)/#),
      Pattern(name: "who comes", regex: #/\bwho (?:comes|waits|asks|looks|sees|has|holds)\b/#),
    ]
  }

  /// The comments and messages of a source file, a paragraph each.
  private func sentences(_ file: SourceFile) -> [String] {
    var found: [String] = []
    var comment: [Substring] = []
    for line in file.lines {
      let text = line.drop { $0 == " " }
      // Regular expressions are slow: most lines need none.
      if let first = text.first, "/*#".contains(first),
        let match = text.prefixMatch(of: #/(?:\/\/\/?|\/?\*+\/?|#)\s?/#)
      {
        comment.append(text[match.range.upperBound...])
        continue
      }
      if !comment.isEmpty { found.append(comment.joined(separator: " ")) }
      comment = []
      if line.utf8.contains(UInt8(ascii: "\"")) {
        found += line.matches(of: #/"((?:\\.|[^"\\])*)"/#).map { String($0.1) }
      }
    }
    return found + [comment.joined(separator: " ")]
  }

  private func hits(_ path: String, _ paragraphs: [String]) -> [String] {
    let patterns = Self.patterns
    return paragraphs.flatMap { paragraph in
      patterns.flatMap { pattern in
        paragraph.matches(of: pattern.regex).filter { match in
          // "There is no photo" is plain.
          let before = paragraph[..<match.range.lowerBound].suffix(6).lowercased()
          return pattern.name != "is no X" || before != "there "
        }.map { "\(path): [\(pattern.name)] \($0.0)" }
      }
    }
  }

  @Test func `comments and messages name their subject`() {
    let files = (Repository.sources + Repository.shims).map { ($0.path, sentences($0)) }
    let found = files.flatMap { hits($0, $1) }
    #expect(found.count <= 9, "\(found.joined(separator: "\n"))")
    let words = files.flatMap(\.1).joined(separator: " ").split(separator: " ").count
    #expect(words > 20_000, "\(words) words looked at")
  }

  @Test func `the comments of the tests do, too`() {
    let found = Repository.tests.filter { !$0.path.contains("RepositoryTests/English") }
      .flatMap { hits($0.path, sentences($0)) }
    #expect(found.count <= 26, "\(found.joined(separator: "\n"))")
  }

  @Test func `the documents do, too`() {
    let files =
      Repository.files(under: "man", ending: ["1", "5", "7", "8"])
      + Repository.files(under: "etc", ending: ["conf"])
      + Repository.files(under: "systemd", ending: ["catalog", "service"])
      + ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map {
        SourceFile(path: $0, lines: [Repository.text($0)])
      }
    #expect(files.count > 10)
    let found = files.flatMap { file in
      hits(
        file.path,
        file.text.split(separator: "\n\n").map { String($0).replacing("\n", with: " ") })
    }
    #expect(found.count <= 8, "\(found.joined(separator: "\n"))")
  }
}
