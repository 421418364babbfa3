// SPDX-License-Identifier: Apache-2.0
// An inbox on a file system without RENAME_NOREPLACE, such as NFS, where a rename is a link and an
// unlink: killed at every step, and between these two.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct LinkedRenameTests {
  /// A bench on such a file system, killed at this step.
  private static func bench(cutAt step: Int) throws -> ClaimBench {
    let bench = try ClaimBench()
    FaultPlan.set(
      .init("renameat2", on: bench.scratch.path, code: 22, isPermanent: true),
      for: bench.scratch.path)
    bench.cut.set(.kill, at: step)
    return bench
  }

  private static func end(_ bench: ClaimBench) { FaultPlan.set(nil, for: bench.scratch.path) }

  /// If the cut step was such a rename, links the file under its new name, too, as a kill between link
  /// and unlink leaves it. Returns the direction of the rename.
  private static func leaveBothNames(_ bench: ClaimBench) throws -> [String] {
    let words = bench.cut.step?.split(separator: " ").map(String.init) ?? []
    guard words.count == 4, words[0] == "rename" else { return [] }
    let claims = try bench.inbox.openFolder(ClaimFolder.name, creating: false)
    let inbox: any Folder = bench.inbox
    var ways = [("failed", bench.failed as any Folder, bench.failed as any Folder)]
    for nest in try claims.names() {
      let nest = try claims.folder(nest, creating: false)
      ways += [("claim", inbox, nest), ("back", nest, inbox)]
    }
    let (old, new) = (try #require(FileName(words[1])), try #require(FileName(words[3])))
    return ways.compactMap { way, from, to in
      (try? from.link(old, to: to, as: new)).map { way }
    }
  }

  /// Cuts each step in turn. Returns the directions of the renames that were cut between link and
  /// unlink.
  private func everyStep(
    _ text: String, replacedBy other: String? = nil, _ check: (ClaimBench, String) throws -> Void
  ) async throws -> Set<String> {
    var (steps, renames) = (0, Set<String>())
    while true {
      steps += 1
      let bench = try Self.bench(cutAt: steps)
      defer { Self.end(bench) }
      try bench.inbox.put(ClaimBench.name, text)
      if let other {
        try bench.scratch.folder.put(FileName(literal: "new"), other)
        let (old, new) = ("\(bench.scratch.path)/new", "\(bench.inboxPath)/barn.plist")
        let isReplaced = Mutex(false)
        bench.cut.onStep { step in
          guard step == "rename barn.plist to barn.plist" else { return }
          isReplaced.withLock { isReplaced in
            if !isReplaced { User.rename(old, new) }
            isReplaced = true
          }
        }
      }
      try await bench.settle(rounds: 1)
      guard let step = bench.cut.step else { return renames }
      renames.formUnion(try Self.leaveBothNames(bench))
      try await bench.restart()
      try await bench.settle()
      try await bench.restart()
      try bench.expectTidy(step)
      try check(bench, step)
    }
  }

  @Test("A list is accepted once")
  func accepted() async throws {
    let renames = try await everyStep(ClaimTests.good) { (bench, step) throws in
      #expect(try bench.acceptedTexts() == [ClaimTests.good], "\(step)")
      #expect(bench.rules.state.withLock { $0.accepts } == 1, "\(step)")
    }
    #expect(renames == ["claim"])
  }

  @Test("A file that does not read as a list is set aside once")
  func rejected() async throws {
    let renames = try await everyStep("no list") { (bench, step) throws in
      #expect(
        try bench.failed.listing() == ["barn.plist", "barn.plist.reason.txt"], "\(step)")
      #expect(Set(bench.rules.rejectedCodes) == ["list.syntax"], "\(step)")
    }
    #expect(renames == ["claim", "failed"])
  }

  @Test("A file replaced just before it is claimed goes back and is a new list, accepted once")
  func replaced() async throws {
    let renames = try await everyStep(ClaimTests.good, replacedBy: "newer end") {
      (bench, step) throws in
      let texts = try bench.acceptedTexts()
      #expect(texts.contains("newer end"), "\(step)")
      #expect(Set(texts).count == texts.count, "\(step)")
    }
    #expect(renames == ["claim", "back"])
  }
}
