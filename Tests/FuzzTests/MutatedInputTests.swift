// SPDX-License-Identifier: Apache-2.0
// Mutated inputs: the same ones from the same seed, small, and different from their corpus; a short run over each
// target. The long run is `make fuzz INPUTS=`.

import Foundation
import FuzzTargets
import Testing

@Suite struct MutatedInputTests {
  private func corpus(of target: FuzzTarget) throws -> [[UInt8]] {
    try Corpus.files(of: target).map { try [UInt8](Data(contentsOf: $0)) }
  }

  private func inputs(of target: FuzzTarget, seed: UInt64) throws -> MutatedInputs {
    let words = try? Data(contentsOf: Corpus.home.appending(path: "words/\(target.rawValue).dict"))
    return MutatedInputs(
      target, seed: seed, corpus: try corpus(of: target),
      words: words.map { FuzzWords.read([UInt8]($0)) } ?? [])
  }

  @Test(arguments: FuzzTarget.allCases)
  func `a mutated input stops no target`(target: FuzzTarget) throws {
    let inputs = try inputs(of: target, seed: 1)
    for number: UInt64 in 0..<200 { target.run(inputs.input(number)) }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `seed and number make the input`(target: FuzzTarget) throws {
    let (one, same, other) = (
      try inputs(of: target, seed: 1), try inputs(of: target, seed: 1),
      try inputs(of: target, seed: 2)
    )
    let corpus = Set(try corpus(of: target))
    var made: Set<[UInt8]> = []
    var differing = 0
    for number: UInt64 in 0..<200 {
      let input = one.input(number)
      #expect(same.input(number) == input && input.count <= target.longest + 64)
      if other.input(number) != input { differing += 1 }
      made.insert(input)
    }
    #expect(differing > 150 && made.count > 150 && made.subtracting(corpus).count > 150)
  }

  @Test func `a dictionary has a word in quotes a line`() {
    let text = """
      # comment "not a word"
      kw="a\\x0Ab"
      "\\"\\\\"
      broken
      ""
      """
    #expect(FuzzWords.read(Array(text.utf8)) == [[0x61, 0x0A, 0x62], [0x22, 0x5C], []])
  }
}
