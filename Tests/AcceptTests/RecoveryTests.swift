// SPDX-License-Identifier: Apache-2.0
// What a start makes of what it finds: lost records, damaged folders, files that could not go back.

import Linux
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct RecoveryTests {
  @Test("A list whose record was lost is recorded again from its folder")
  func healed() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "a end")
      try bench.settle()
      let before = bench.reception.recorded
      bench.reception.state.withLock { $0.recorded = [:] }
      let report = try Recovery(claim: bench.fresh()).run()
      #expect(report.healed == [ListID(1)] && report.finished.isEmpty)
      #expect(bench.reception.recorded == before)
      try bench.expectTidy("healed")
    }
  }

  @Test("Folders of lists that were never accepted go; what makes no sense is set aside")
  func strangers() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      for name in [".staged-7", "8", "9", "notes"] {
        let folder = try bench.lists.openFolder(try #require(FileName(name)), creating: true)
        try folder.put(ListFolder.list, "a end")
        if name == "9" { try ListFolder.setState(.accepted, of: folder) }
      }
      let report = try Recovery(claim: bench.fresh()).run()
      #expect(report.removed == 2)
      #expect(try bench.lists.listing() == [".damaged-9", "notes"])
      #expect(bench.reception.state.withLock { $0.setAside } == [ListID(9)])
    }
  }

  @Test("A file in .claim whose name is taken again is accepted from there, and both are")
  func nameTakenAgain() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      let claims = try bench.inbox.openFolder(Withdrawal.claims, creating: true)
      let nest = try claims.openFolder(FileName(number: 99), creating: true)
      try nest.put(ClaimBench.name, "first end")
      try bench.inbox.put(ClaimBench.name, "second end")
      try bench.restart()
      try bench.settle()
      #expect(Set(try bench.acceptedTexts()) == ["first end", "second end"])
      try bench.expectTidy("both")
    }
  }

  @Test("A list in the inbox that is linked there twice is two drops, also over a restart")
  func hardLinks() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "a end")
      User.link("\(bench.inboxPath)/barn.plist", "\(bench.inboxPath)/twin.plist")
      // The rename into .claim fails once, so the first is recorded and still in the inbox.
      FaultPlan.set(
        .init("renameat", on: "\(bench.inboxPath)/barn.plist", code: 5), for: bench.inboxPath)
      defer { FaultPlan.set(nil, for: bench.inboxPath) }
      _ = bench.claim.attempt(try bench.candidate(), .lease)
      #expect(try bench.inbox.has(ClaimBench.name))
      try bench.restart()
      try bench.settle()
      #expect(bench.reception.names == ["barn.plist", "twin.plist"])
      try bench.expectTidy("twins")
    }
  }
}
