// SPDX-License-Identifier: Apache-2.0
// The folders of the record are where a start looks for them, or no list is accepted.

import Accept
import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct HeldFoldersTests {
  @Test(arguments: [
    ("state", false), ("state", true), ("state/lists", false), ("state/journal", true),
    ("state/claims", false), ("state/claims", true),
  ])
  func `a folder that was moved is trouble until its path leads to it again`(
    _ name: String, isReplaced: Bool
  ) async throws {
    try await PartBench.use { bench in
      var intake = bench.intake
      intake.footing = bench.ground.footing
      func fullness() async -> Failure? { await intake.fullness(for: 1000, besides: 0, adding: 0) }
      #expect(await intake.standing()?.record == nil)
      #expect(await fullness() == nil)
      let root = try LinuxFolder.open(path: "\(bench.scratch.path)/daemon")
      let parts = name.split(separator: "/").map { FileName(made: String($0)) }
      let home = parts.count == 1 ? root : try root.openFolder(parts[0], creating: false)
      let (moved, away) = (parts[parts.count - 1], FileName(literal: "away"))
      try home.rename(moved, to: home, as: away, replacing: false)
      if isReplaced { try home.makeFolder(moved) }
      let trouble = try #require(await intake.standing()?.record)
      #expect(trouble.code == "state.moved")
      #expect(await fullness() == trouble)
      let what = isReplaced ? "was replaced by another folder" : "was removed or renamed"
      #expect(trouble.reason == "the folder \(root.path)/\(name) \(what)")
      let remedy = moved == FileName(literal: "claims") ? ", or restart" : " before darkroomd ends"
      #expect(trouble.advice.hasPrefix("Move it back\(remedy)"))
      if isReplaced { try home.removeFolder(moved) }
      try home.rename(away, to: home, as: moved, replacing: false)
      #expect(await intake.standing()?.record == nil)
      #expect(await fullness() == nil)
    }
  }
}
