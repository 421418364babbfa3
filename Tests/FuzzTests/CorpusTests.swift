// SPDX-License-Identifier: Apache-2.0
// Runs every file of the fuzzing corpus, seeds and findings, through its target: inputs that once
// stopped the process no longer do.

import Foundation
import FuzzTargets
import Support
import Testing

@Suite struct CorpusTests {
  private static let folder = Repository.root.appending(path: "Tests/Fuzz/corpus")

  private func files(of target: FuzzTarget) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: Self.folder.appendingPathComponent(target.rawValue), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `bytes that once stopped a target no longer do`(target: FuzzTarget) throws {
    let files = try files(of: target)
    #expect(!files.isEmpty)
    for file in files {
      let bytes = try [UInt8](Data(contentsOf: file))
      #expect(bytes.count <= target.longest, "\(file.lastPathComponent) is not small")
      target.run(bytes)
      for cut in [1, bytes.count / 2] { target.run(target.mended(bytes.dropLast(cut))) }
    }
  }
}
