// SPDX-License-Identifier: Apache-2.0
// The planted bugs of `make mutants` fit the sources, and the tests that must find them exist.

import Foundation
import Support
import Testing

@Suite struct MutantTests {
  private struct Edit {
    let file: String
    var old: [String] = []
    var isOver = false
  }

  /// The lines of mutants.txt after a word, such as `test`.
  private func values(_ word: String) -> [String] {
    Repository.text("Tests/Mutants/mutants.txt").split(separator: "\n").compactMap { line in
      line.hasPrefix("\(word) ") ? String(line.dropFirst(word.count + 1)) : nil
    }
  }

  private var edits: [Edit] {
    var (edits, file): ([Edit], String) = ([], "")
    for line in Repository.text("Tests/Mutants/mutants.txt").split(separator: "\n") {
      if line.hasPrefix("file ") {
        file = String(line.dropFirst(5))
      } else if line.hasPrefix("-") {
        if edits.last?.file != file || edits.last?.isOver == true { edits.append(Edit(file: file)) }
        edits[edits.count - 1].old.append(String(line.dropFirst()))
      } else if !edits.isEmpty {
        edits[edits.count - 1].isOver = true
      }
    }
    return edits
  }

  /// The types in whose lines a test stands, in one file.
  private func suites(of text: String, with test: Substring) -> [Substring] {
    var (suite, found): (Substring, [Substring]) = ("", [])
    for line in text.split(separator: "\n") {
      if let match = line.firstMatch(of: /^(?:@Suite.* )?(?:struct|class|extension) (\w+)/) {
        suite = match.1
      }
      if line.contains("`\(test)`") || line.contains("\"\(test)\"") { found.append(suite) }
    }
    return found
  }

  @Test func `the lines that a planted bug replaces stand in their file once`() {
    let stale = edits.filter { edit in
      let old = edit.old.joined(separator: "\n") + "\n"
      return Repository.text(edit.file).components(separatedBy: old).count != 2
    }
    #expect(stale.isEmpty, "\(stale.map { "\($0.file): \($0.old)" })")
    #expect(edits.count >= 40)
  }

  @Test func `each planted bug stands behind its own number`() {
    var (number, strangers): (Substring, [Substring]) = ("", [])
    for line in Repository.text("Tests/Mutants/mutants.txt").split(separator: "\n") {
      if let match = line.prefixMatch(of: #/(\d+) /#) { number = match.1 }
      guard line.hasPrefix("+") else { continue }
      for match in line.matches(of: #/(?:Mutant\.on|is_planted)\((\d+)\)/#)
      where match.1 != number { strangers.append(line) }
    }
    #expect(strangers.isEmpty, "\(strangers)")
  }

  /// All bugs are planted in one copy of the sources.
  @Test func `no line is changed by two planted bugs`() {
    let overlaps = Dictionary(grouping: edits, by: \.file).flatMap { file, edits in
      let text = Repository.text(file)
      let places = edits.compactMap { text.range(of: $0.old.joined(separator: "\n") + "\n") }
        .sorted { $0.lowerBound < $1.lowerBound }
      return zip(places, places.dropFirst())
        .filter { $0.upperBound > $1.lowerBound }.map { "\(file): \(text[$1])" }
    }
    #expect(overlaps.isEmpty, "\(overlaps)")
  }

  @Test func `each planted bug has a number and a test that exists`() {
    let numbers = Repository.text("Tests/Mutants/mutants.txt").split(separator: "\n")
      .compactMap { line in line.split(separator: " ").first.flatMap { Int($0) } }
    #expect(numbers == Array(1...numbers.count) && numbers.count >= 40)
    let tests = values("test")
    #expect(tests.count == numbers.count)
    let missing = tests.filter { test in
      let parts = test.split(separator: ": ", maxSplits: 1)
      let places = parts[0].split(separator: ".")
      return !Repository.tests.contains { file in
        file.path.hasPrefix("Tests/\(places[0])/") && file.text.contains(parts[1])
          && suites(of: file.text, with: parts[1]).contains(places[1])
      }
    }
    #expect(missing.isEmpty, "\(missing)")
  }
}
