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

  @Test func `the lines that a planted bug replaces stand in their file once`() {
    let stale = edits.filter { edit in
      let old = edit.old.joined(separator: "\n") + "\n"
      return Repository.text(edit.file).components(separatedBy: old).count != 2
    }
    #expect(stale.isEmpty, "\(stale.map { "\($0.file): \($0.old)" })")
    #expect(edits.count >= 40)
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
        file.path.hasPrefix("Tests/\(places[0])/") && file.text.contains(" \(places[1]) ")
          && (file.text.contains("`\(parts[1])`") || file.text.contains("\"\(parts[1])\""))
      }
    }
    #expect(missing.isEmpty, "\(missing)")
  }
}
