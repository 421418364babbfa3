// SPDX-License-Identifier: Apache-2.0
// Runs every file of the fuzzing corpus, seeds and findings, through its target: inputs that once
// stopped the process no longer do.

import Foundation
import FuzzTargets
import Support
import Testing

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
}
