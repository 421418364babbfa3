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
      let claims = try bench.inbox.openFolder(ClaimFolder.name, creating: true)
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

  @Test(
    "A list's folder that cannot be read is left alone and said, and the others are seen to",
    arguments: [("", 5), ("", 13), ("/state", 5), ("/about", 5), ("/about", 13), ("/.state", 5)]
      as [(String, Int32)])
  func badFolder(_ thing: String, _ code: Int32) async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "a end")
      try bench.settle()
      try bench.inbox.put(ClaimBench.name, "b end")
      try bench.settle()
      bench.reception.state.withLock { $0.recorded = [:] }
      for list in ["1", "2"] {
        let folder = try bench.lists.openFolder(try #require(FileName(list)), creating: false)
        if thing == "/.state" { try folder.remove(ListFolder.state) }
        if thing != "/state" && thing != "/.state" { continue }
        bench.reception.state.withLock { state in
          state.recorded[ListID(list == "1" ? 1 : 2)] = try? AboutFile.read(from: folder)
        }
      }
      let path = "\(bench.scratch.path)/lists/1\(thing)"
      FaultPlan.set(.init("openat", on: path, code: code, isPermanent: true), for: path)
      defer { FaultPlan.set(nil, for: path) }
      let claim = try bench.fresh()
      for _ in 0..<2 { _ = try Recovery(claim: claim).run() }
      #expect(bench.reception.state.withLock { $0.skipped } == [ListID(1)])
      #expect(bench.reception.state.withLock { $0.setAside } == [])
      #expect(bench.reception.recorded[ListID(2)] != nil)
      #expect(try bench.lists.listing() == ["1", "2"])
    }
  }

  @Test("A file where a list's folder should be is left alone and said")
  func noFolder() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.lists.put(FileName(number: 9), "what is this")
      try bench.restart()
      #expect(bench.reception.state.withLock { $0.skipped } == [ListID(9)])
      try bench.inbox.put(ClaimBench.name, "a end")
      try bench.settle()
      #expect(try bench.acceptedTexts() == ["a end"])
    }
  }

  @Test("A machine out of descriptors is waited for, not taken for a bad folder")
  func outOfDescriptors() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "a end")
      try bench.settle()
      let path = "\(bench.scratch.path)/lists/1"
      FaultPlan.set(.init("openat", on: path, code: 24), for: path)
      defer { FaultPlan.set(nil, for: path) }
      let claim = try bench.fresh()
      #expect(throws: Attempt.self) { try Recovery(claim: claim).run() }
      _ = try Recovery(claim: claim).run()
      #expect(bench.reception.state.withLock { $0.skipped } == [])
    }
  }
}
