// SPDX-License-Identifier: Apache-2.0
// Runs every file of the fuzzing corpus, seeds and findings, through its target: inputs that once
// stopped the process no longer do.

import Foundation
import Support
import Testing

@testable import FuzzTargets

enum Corpus {
  static let home = Repository.root.appending(path: "Tests/Fuzz")

  static func files(of target: FuzzTarget) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: home.appending(path: "corpus/\(target.rawValue)"), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }
}

@Suite struct CorpusTests {

  @Test(arguments: FuzzTarget.allCases)
  func `bytes that once stopped a target no longer do`(target: FuzzTarget) throws {
    let files = try Corpus.files(of: target)
    #expect(!files.isEmpty)
    for file in files {
      let bytes = try [UInt8](Data(contentsOf: file))
      #expect(bytes.count <= target.longest, "\(file.lastPathComponent) is not small")
      target.run(bytes)
      for cut in [1, bytes.count / 2] { target.run(target.mended(bytes.dropLast(cut))) }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `a long hostile input costs no target more than its length`(target: FuzzTarget) async throws
  {
    let corpus = try Corpus.files(of: target).prefix(4).map { try [UInt8](Data(contentsOf: $0)) }
    let inputs = LongInputs.inputs(of: target, corpus: corpus)
    #expect(inputs.contains { $0.count > target.longest / 2 })
    try await computing { for input in inputs { target.run(input) } }
  }

  /// The bound itself: one pass over all pairs of bytes is too much.
  @Test func `a target that is quadratic would stop`() async {
    await #expect(processExitsWith: .failure) {
      CostBound.check(.message, HostileText.all[1].bytes(60_000)) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for _ in 0..<8 { precondition(Set([text]).count == 1) }
      }
    }
  }

  /// The same input in letters cannot measure a text that has only letters.
  @Test func `a target that is slow with plain letters would stop`() async {
    await #expect(processExitsWith: .failure) {
      let letters = [UInt8](repeating: 0x61, count: 1000)
      CostBound.check(.message, letters) { _ in
        let start = ProcessorTime.ofThread
        while ProcessorTime.ofThread - start < CostBound.most(.message, letters.count) {}
      }
    }
  }
}
