// SPDX-License-Identifier: Apache-2.0
// The inbox when the kernel refuses: no leases, no watches, no room, system calls that fail for a
// time.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct KernelTroubleTests {
  /// Makes a system call fail on everything in the bench's scratch folder, from the `first` call
  /// on.
  private func fail(_ bench: InboxBench, _ call: String, _ code: Int32, first: Int = 1) {
    FaultPlan.set(
      .init(call, on: bench.scratch.path, code: code, first: first, isPermanent: true),
      for: bench.scratch.path)
  }

  private func heal(_ bench: InboxBench) { FaultPlan.set(nil, for: bench.scratch.path) }

  @Test(
    "Without leases, a list is accepted after its quiet time",
    arguments: [1, 13, 22, 37, 95] as [Int32])
  func noLeases(_ code: Int32) async throws {
    let bench = try InboxBench()
    defer { heal(bench) }
    fail(bench, "fcntl(F_SETLEASE)", code)
    User.put(bench.path("a.plist"), "a end")
    let report = await bench.settle()
    #expect(
      report.waiting.first?.waitsFor.words(for: 0).hasPrefix("it must stay unchanged") == true)
    await bench.pass(.seconds(4))
    User.put(bench.path("a.plist"), "a longer end")
    #expect(await bench.settle().candidates == 1)
    #expect(await bench.pass(.seconds(5)).isEmpty)
    #expect(try bench.accepted() == ["a.plist": "a longer end"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("Without leases, a file that is written over while it is recorded stays for the next list")
  func changedWithoutLease() async throws {
    let bench = try InboxBench()
    defer { heal(bench) }
    fail(bench, "fcntl(F_SETLEASE)", 95)
    let path = bench.path("a.plist")
    User.put(path, "old end")
    bench.rules.state.withLock { $0.onAccept = { User.put(path, "new end") } }
    for _ in 0..<2 {
      await bench.settle()
      await bench.pass(.seconds(5))
    }
    let folders = bench.rules.recorded.keys.sorted()
    let texts = try folders.map { list in
      try bench.lists.openFolder(ListFolder.name(list), creating: false).text(ListFolder.list)
    }
    #expect(texts == ["old end", "new end"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test func `a file under a mount becomes one list, is told, and leaves when the mount is gone`()
    async throws
  {
    let bench = try InboxBench()
    defer { heal(bench) }
    FaultPlan.set(
      .init("renameat2", on: bench.path("a.plist"), code: 16, isPermanent: true),
      for: bench.scratch.path)
    User.put(bench.path("a.plist"), "a end")
    let report = await bench.settle()
    #expect(report.candidates == 0 && report.helpless == 1)
    #expect(
      report.waiting.first?.waitsFor.words(for: ThisProcess.user)
        == "something is mounted over it. Unmount that, so that it can leave the inbox")
    #expect(await bench.pass(.seconds(5)).helpless == 1)
    #expect(bench.rules.waits == ["a.plist: list.covered"] && bench.rules.names == ["a.plist"])
    heal(bench)
    #expect(await bench.pass(.seconds(5)).helpless == 1, "the pauses grow")
    #expect(await bench.pass(.seconds(5)) == SweepReport())
    #expect(bench.rules.waits.last == "a.plist: over" && bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
  }

  @Test func `a picture under a mount stays alone, and its owner is told`() async throws {
    let bench = try ClaimBench()
    let barn = try bench.inbox.openFolder(FileName(literal: "Barn"), creating: true)
    for name in ["a.jpg", "b.jpg"] { User.put("\(barn.path)/\(name)", name) }
    FaultPlan.set(
      .init("renameat2", on: "\(bench.inboxPath)/Barn/a.jpg", code: 16, isPermanent: true),
      for: bench.inboxPath)
    defer { FaultPlan.set(nil, for: bench.inboxPath) }
    let candidate = try #require(try bench.candidates().first)
    #expect(await bench.claim.attempt(candidate, .quiet) == .covered)
    #expect(await !RollClaim(claim: bench.claim).finishAll(of: ThisProcess.user))
    #expect(bench.rules.waits == ["Barn: list.covered"])
    #expect(try barn.listing() == ["a.jpg"])
    FaultPlan.set(nil, for: bench.inboxPath)
    #expect(await RollClaim(claim: bench.claim).finishAll(of: ThisProcess.user))
    #expect(bench.rules.waits.last == "Barn: over")
    try bench.expectTidy("at the end")
  }

  @Test func `a folder under a mount keeps the list of its pictures, and its owner is told`()
    async throws
  {
    let bench = try ClaimBench()
    let barn = try bench.inbox.openFolder(FileName(literal: "Barn"), creating: true)
    let old = FileName(literal: "old")
    let inner = try barn.openFolder(old, creating: true)
    for path in ["\(barn.path)/a.jpg", "\(inner.path)/b.jpg"] { User.put(path, "a picture") }
    bench.rules.state.withLock { $0.onAccept = { [cut = bench.cut] in cut.mount(over: old) } }
    let candidate = try #require(try bench.candidates().first)
    #expect(await bench.claim.attempt(candidate, .quiet) == .covered)
    #expect(await !RollClaim(claim: bench.claim).finishAll(of: ThisProcess.user))
    #expect(bench.rules.waits == ["Barn: list.covered"])
    #expect(try inner.listing() == ["b.jpg"])
    bench.cut.mount(over: nil)
    #expect(await RollClaim(claim: bench.claim).finishAll(of: ThisProcess.user))
    #expect(bench.rules.waits.last == "Barn: over")
    try bench.expectTidy("at the end")
  }

  @Test("An inbox that cannot be watched is reported, and looked at every few seconds")
  func noWatch() async throws {
    let bench = try InboxBench { path in
      FaultPlan.set(.init("inotify_add_watch", on: path, code: 28, isPermanent: true), for: path)
    }
    defer { FaultPlan.set(nil, for: bench.folder.path) }
    _ = await bench.inbox.settled()
    User.put(bench.path("a.plist"), "a end")
    for _ in 0..<2 {
      await bench.pass(.seconds(5))
    }
    #expect(bench.rules.names == ["a.plist"])
    FaultPlan.set(nil, for: "\(bench.scratch.path)/inbox")
    // The watch is not retried at every look, but after a minute.
    _ = await bench.inbox.settled()
    #expect(bench.rules.state.withLock { $0.troubles } == ["inbox.watch"])
    #expect(!bench.rules.state.withLock { $0.isClosed }, "its files are seen")
    await bench.pass(.seconds(60))
    #expect(bench.rules.state.withLock { $0.troubles } == ["inbox.watch", nil])
    await bench.inbox.stop()
  }

  @Test(
    "A failing system call is not held against a list, which is accepted once it works",
    arguments: [
      ("openat", 24), ("openat", 5), ("fstat", 5), ("fcntl(F_SETLEASE)", 12),
      ("fcntl(F_GETLEASE)", 5), ("mkdirat", 28), ("pread", 5), ("pwrite", 28), ("fdatasync", 5),
      ("fsync", 5), ("renameat", 30), ("renameat2", 30), ("renameat2", 22), ("unlinkat", 5),
      ("rmdirat", 5), ("getdents64", 5),
    ] as [(String, Int32)])
  func failingCall(_ call: String, _ code: Int32) async throws {
    for first in 1...12 {
      let bench = try InboxBench()
      defer { heal(bench) }
      _ = await bench.inbox.settled()
      fail(bench, call, code, first: first)
      User.put(bench.path("a.plist"), "a end")
      for _ in 0..<3 {
        await bench.pass(.seconds(60))
        _ = await bench.settle()
      }
      heal(bench)
      #expect(bench.rules.rejectedCodes.isEmpty)
      for _ in 0..<3 {
        await bench.pass(.seconds(60))
        _ = await bench.settle()
      }
      #expect(try bench.accepted() == ["a.plist": "a end"], "\(call) \(first)")
      #expect(bench.rules.recorded.count == 1, "\(call) \(first)")
      #expect(try bench.left().isEmpty, "\(call) \(first)")
      #expect(try bench.hidden().isEmpty, "\(call) \(first)")
      await bench.inbox.stop()
    }
  }

  @Test(
    "The acts of an owner on a file at any time concern that owner alone",
    arguments: [("openat", 11), ("openat", 16), ("openat", 107), ("fstatat", 13), ("fstatat", 107)]
      as [(String, Int32)])
  func ownersFile(_ call: String, _ code: Int32) async throws {
    for first in 1...8 {
      let bench = try InboxBench()
      defer { heal(bench) }
      _ = await bench.inbox.settled()
      FaultPlan.set(
        .init(call, on: bench.path("a.plist"), code: code, first: first, isPermanent: true),
        for: bench.scratch.path)
      User.put(bench.path("a.plist"), "a end")
      User.put(bench.path("b.plist"), "b end")
      for _ in 0..<3 {
        await bench.pass(.seconds(60))
        _ = await bench.settle()
      }
      #expect(bench.rules.names.contains("b.plist"), "\(first)")
      #expect(bench.troubles.allSatisfy { $0 == nil }, "\(first): \(bench.troubles)")
      let codes = Set(bench.rules.waits)
      #expect(
        codes.isSubset(of: ["a.plist: list.unreadable", "a.plist: over"]), "\(first): \(codes)")
      #expect(code != 11 || codes.isEmpty, "\(first)")
      heal(bench)
      for _ in 0..<3 {
        await bench.pass(.seconds(300))
        _ = await bench.settle()
      }
      #expect(try bench.accepted() == ["a.plist": "a end", "b.plist": "b end"], "\(first)")
      await bench.inbox.stop()
    }
  }

  @Test("A list whose owner was faster with another of its name is tried again, without a word")
  func late() async throws {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), "a end")
    bench.rules.state.withLock { $0.isLate = true }
    for _ in 0..<5 {
      let report = await bench.settle()
      await bench.pass(.seconds(5))
      #expect(
        report.waiting.map { $0.waitsFor.words(for: 0) }
          == ["another list of its name was accepted or removed at the same time"])
    }
    bench.rules.state.withLock { $0.isLate = false }
    #expect(await bench.pass(.seconds(5)).isEmpty)
    #expect(bench.rules.names == ["a.plist"])
    #expect(bench.rules.waits.isEmpty && bench.troubles.allSatisfy { $0 == nil })
    await bench.inbox.stop()
  }

  @Test(
    "A staging folder that could not be removed goes at a later look",
    arguments: ["unlinkat", "rmdirat"])
  func leftoverFolder(_ call: String) async throws {
    let bench = try InboxBench()
    defer { heal(bench) }
    _ = await bench.inbox.settled()
    FaultPlan.set(
      .init(call, on: "\(bench.lists.path)/.staged", code: 5, isPermanent: true),
      for: bench.scratch.path)
    User.put(bench.path("a.plist"), "rotten")
    for _ in 0..<3 {
      _ = await bench.settle()
      await bench.pass(.seconds(60))
    }
    #expect(bench.rules.rejectedCodes == ["list.syntax"])
    #expect(try !bench.hidden().isEmpty)
    heal(bench)
    await bench.pass(.seconds(60))
    _ = await bench.settle()
    #expect(try bench.hidden().isEmpty)
    await bench.inbox.stop()
  }

  @Test("A probe for leases that could not be removed goes at a later look")
  func leftoverProbe() async throws {
    let bench = try InboxBench { path in
      FaultPlan.set(
        .init("unlinkat", on: "\(path)/.claim/.probe", code: 5, first: 2, isPermanent: true),
        for: path)
    }
    let inbox = "\(bench.scratch.path)/inbox"
    defer { FaultPlan.set(nil, for: inbox) }
    _ = await bench.inbox.settled()
    #expect(try bench.hidden() == [".probe"])
    FaultPlan.set(nil, for: inbox)
    _ = await bench.inbox.settled()
    #expect(try bench.hidden().isEmpty)
    await bench.inbox.stop()
  }

  @Test(
    "A list that cannot be accepted is reported once, and accepted when the cause is gone",
    arguments: [
      ("pwrite", "/lists", 28, "disk.full"), ("openat", "/inbox/a.plist", 13, "list.unreadable"),
    ] as [(String, String, Int32, String)])
  func told(_ call: String, _ thing: String, _ error: Int32, _ code: String) async throws {
    let bench = try InboxBench()
    defer { heal(bench) }
    let path = "\(bench.scratch.path)\(thing)"
    FaultPlan.set(.init(call, on: path, code: error, isPermanent: true), for: bench.scratch.path)
    User.put(bench.path("a.plist"), "a end")
    for _ in 0..<20 {
      _ = await bench.settle()
      await bench.pass(.seconds(60))
    }
    #expect(bench.rules.waits == ["a.plist: \(code)"])
    // The attempt that the clock started ends before the heal; then its pause has to end.
    _ = await bench.inbox.settled()
    heal(bench)
    // A file that may not be opened rests for five minutes at most.
    #expect(await bench.pass(.seconds(300)).isEmpty)
    #expect(try bench.accepted() == ["a.plist": "a end"])
    #expect(bench.rules.waits == ["a.plist: \(code)", "a.plist: over"])
    await bench.inbox.stop()
  }
}
