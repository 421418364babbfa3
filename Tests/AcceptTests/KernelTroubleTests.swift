// SPDX-License-Identifier: Apache-2.0
// What the inbox does when the kernel refuses: no leases, no watches, no room, calls that fail once.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct KernelTroubleTests {
  /// A fault on things in one scratch folder only.
  private func fail(_ bench: InboxBench, _ call: String, _ code: Int32, first: Int = 1) {
    FaultPlan.set(
      .init(call, on: bench.scratch.path, code: code, first: first, isPermanent: true),
      for: bench.scratch.path)
  }

  private func heal(_ bench: InboxBench) { FaultPlan.set(nil, for: bench.scratch.path) }

  @Test(
    "Where no lease is to be had, a list is accepted once it was quiet",
    arguments: [1, 13, 22, 37, 95] as [Int32])
  func noLeases(_ code: Int32) async throws {
    let bench = try InboxBench()
    defer { heal(bench) }
    fail(bench, "fcntl(F_SETLEASE)", code)
    User.put(bench.path("a.plist"), "a end")
    let report = await bench.settle()
    #expect(report.waiting.first?.waitsFor.hasPrefix("it must be quiet") == true)
    bench.clock.advance(by: .seconds(4))
    User.put(bench.path("a.plist"), "a longer end")
    #expect(await bench.settle().candidates == 1)
    bench.clock.advance(by: .seconds(5))
    #expect(await bench.inbox.sweepNow().isEmpty)
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
    bench.reception.state.withLock { $0.onAccept = { User.put(path, "new end") } }
    for _ in 0..<2 {
      await bench.settle()
      bench.clock.advance(by: .seconds(5))
      _ = await bench.inbox.sweepNow()
    }
    let folders = bench.reception.recorded.keys.sorted()
    let texts = try folders.map { list in
      try bench.lists.openFolder(ListFolder.name(list), creating: false).text(ListFolder.list)
    }
    #expect(texts == ["old end", "new end"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("An inbox that cannot be watched is said so, and looked at every few seconds")
  func noWatch() async throws {
    let bench = try InboxBench { path in
      FaultPlan.set(.init("inotify_add_watch", on: path, code: 28, isPermanent: true), for: path)
    }
    defer { FaultPlan.set(nil, for: bench.folder.path) }
    _ = await bench.inbox.sweepNow()
    User.put(bench.path("a.plist"), "a end")
    for _ in 0..<2 {
      bench.clock.advance(by: .seconds(5))
      _ = await bench.inbox.sweepNow()
    }
    #expect(bench.reception.names == ["a.plist"])
    FaultPlan.set(nil, for: "\(bench.scratch.path)/inbox")
    // Not asked for at every look, but again in a minute.
    _ = await bench.inbox.sweepNow()
    #expect(bench.reception.state.withLock { $0.troubles } == ["inbox.watch"])
    bench.clock.advance(by: .seconds(60))
    _ = await bench.inbox.sweepNow()
    #expect(bench.reception.state.withLock { $0.troubles } == ["inbox.watch", nil])
    await bench.inbox.stop()
  }

  @Test(
    "A call that fails holds nothing against the list: it is accepted once the machine is well",
    arguments: [
      ("openat", 24), ("openat", 5), ("fstat", 5), ("fcntl(F_SETLEASE)", 12),
      ("fcntl(F_GETLEASE)", 5), ("mkdirat", 28), ("pread", 5), ("pwrite", 28), ("fdatasync", 5),
      ("fsync", 5), ("renameat", 30), ("unlinkat", 5), ("rmdirat", 5), ("getdents64", 5),
    ] as [(String, Int32)])
  func failingCall(_ call: String, _ code: Int32) async throws {
    for first in 1...12 {
      let bench = try InboxBench()
      defer { heal(bench) }
      _ = await bench.inbox.sweepNow()
      fail(bench, call, code, first: first)
      User.put(bench.path("a.plist"), "a end")
      for _ in 0..<3 {
        bench.clock.advance(by: .seconds(60))
        _ = await bench.settle()
      }
      heal(bench)
      #expect(bench.reception.rejectedCodes.isEmpty)
      for _ in 0..<3 {
        bench.clock.advance(by: .seconds(60))
        _ = await bench.settle()
      }
      #expect(try bench.accepted() == ["a.plist": "a end"], "\(call) \(first)")
      #expect(bench.reception.recorded.count == 1, "\(call) \(first)")
      #expect(try bench.left().isEmpty, "\(call) \(first)")
      await bench.inbox.stop()
    }
  }

  @Test(
    "A list that cannot be accepted here is told once, and accepted by itself once it can",
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
      bench.clock.advance(by: .seconds(60))
    }
    #expect(bench.reception.waits == ["a.plist: \(code)"])
    // A try that the clock began is over before anything heals; then its wait has to end.
    _ = await bench.inbox.sweepNow()
    heal(bench)
    bench.clock.advance(by: .seconds(60))
    #expect(await bench.inbox.sweepNow().isEmpty)
    #expect(try bench.accepted() == ["a.plist": "a end"])
    #expect(bench.reception.waits == ["a.plist: \(code)", "a.plist: over"])
    await bench.inbox.stop()
  }

  @Test("A copy to done that found no room is made when it is asked for again")
  func archiveAgain() async throws {
    let bench = try InboxBench()
    defer { heal(bench) }
    User.put(bench.path("a.plist"), "a end")
    await bench.settle()
    let path = "\(bench.scratch.path)/done"
    for call in ["pwrite", "fdatasync", "renameat", "openat"] {
      FaultPlan.set(.init(call, on: path, code: 28, isPermanent: true), for: bench.scratch.path)
      for _ in 0..<2 {
        let failure = await #expect(throws: Failure.self) {
          try await bench.inbox.archive(ListID(1))
        }
        #expect(failure?.kind == .machine && failure?.code == "disk.full")
      }
      #expect(try bench.done.has(FileName(literal: "a.plist")) == false)
    }
    heal(bench)
    for _ in 0..<2 { try await bench.inbox.archive(ListID(1)) }
    #expect(try bench.done.listing() == ["a.plist"])
    #expect(try bench.done.text("a.plist") == "a end")
    await bench.inbox.stop()
  }
}
