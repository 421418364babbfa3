// SPDX-License-Identifier: Apache-2.0
// Copies in `done`: each is made once, whatever happens, and marked.

import Files
import Linux
import Return
import Support
import Synchronization
import Testing
import Vocabulary

@Suite struct ReturnFolderTests {
  @Test func `a list that is over gets one copy in done, whichever step is killed`() throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ReturnBench("a end")
      bench.cut.set(.kill, at: steps)
      _ = try? bench.giveBack()
      if try bench.standing().isReturned {
        #expect(try bench.done.listing() == ["barn.plist"], "\(bench.cut.step ?? "end")")
      }
      guard let step = bench.cut.step else { break }
      try bench.restart()
      try bench.giveBack()
      #expect(try bench.done.listing() == ["barn.plist"], "\(step)")
      #expect(try bench.done.text("barn.plist") == "a end", "\(step)")
      #expect(try bench.standing().isReturned, "\(step)")
    }
    #expect(steps > 20)
  }

  @Test func `the copy is our own file with mode 0600, beside an older file of its name`() throws {
    let bench = try ReturnBench("a end")
    try bench.done.put(ReturnBench.name, "somebody else's")
    try bench.giveBack()
    #expect(try bench.done.listing() == ["barn.plist", "barn~1.plist"])
    #expect(try bench.done.text("barn.plist") == "somebody else's")
    let status = try bench.done.status(of: FileName(literal: "barn~1.plist"))
    #expect(status.mode == 0o600 && status.links == 1)
    #expect(try status.inode != bench.folder(1).status(of: ListFolder.list).inode)
  }

  @Test func `a list is returned once, and another one of its name and bytes shares its copy`()
    throws
  {
    let bench = try ReturnBench("a end")
    try bench.giveBack()
    try bench.done.remove(ReturnBench.name)
    try bench.giveBack()
    #expect(try bench.done.listing().isEmpty, "it is marked")
    for number in 2...3 as ClosedRange<UInt64> {
      try bench.add(number)
      try bench.giveBack(number)
    }
    #expect(try bench.done.listing() == ["barn.plist"])
  }

  @Test func `names that look alike are different lists`() throws {
    let bench = try ReturnBench()
    let stems: [[UInt8]] = [[0xC3, 0xA9], [0x65, 0xCC, 0x81], [0xFF], [0x0A]]
    for (number, stem) in zip(UInt64(1)..., stems) {
      let name = try #require(FileName(bytes: stem + Array(".PList".utf8)))
      try bench.add(number, "\(number) end")
      try bench.giveBack(number, named: name)
    }
    #expect(Set(try bench.done.names().map(\.bytes)) == Set(stems.map { $0 + ".PList".utf8 }))
  }

  @Test func `a list whose name is lost is returned under its number`() throws {
    let bench = try ReturnBench("a end")
    try bench.giveBack(named: nil)
    #expect(try bench.done.listing() == ["list-1.plist"])
  }

  @Test func `a list whose folder is gone, or empty, cannot be returned`() throws {
    let bench = try ReturnBench()
    _ = try bench.folder(2, creating: true)
    for number in 1...2 as ClosedRange<UInt64> {
      let failure = #expect(throws: Failure.self) { try bench.giveBack(number) }
      #expect(failure?.kind == .final && failure?.code == "list.gone")
    }
  }

  @Test func `a list that an earlier version has returned is not returned again`() throws {
    let bench = try ReturnBench("a end")
    try bench.folder(1).write(whole: Array("archived\n".utf8), as: ListFolder.state)
    try bench.giveBack()
    #expect(try bench.done.listing().isEmpty)
    #expect(try bench.folder(1).listing() == ["list.plist", "state"])
  }

  @Test func `a stop ends the copy, which is made at the next start`() async throws {
    let bench = try ReturnBench(String(repeating: "x", count: 1_000_000) + "end")
    let pieces = Mutex(0)
    let task = Mutex<Task<Void, Never>?>(nil)
    bench.cut.onStep { step in
      guard step.hasPrefix("write .archive") else { return }
      pieces.withLock { $0 += 1 }
      task.withLock { $0?.cancel() }
    }
    task.withLock {
      $0 = Task {
        #expect(throws: Failure.cancelled) {
          try bench.returns.giveBack(ListID(1), named: ReturnBench.name)
        }
      }
    }
    await task.withLock { $0 }?.value
    #expect(pieces.withLock { $0 } == 1)
    #expect(try !bench.standing().isReturned)
    bench.cut.onStep(nil)
    try bench.restart()
    #expect(try bench.done.listing().isEmpty)
    try bench.giveBack()
    #expect(try bench.done.listing() == ["barn.plist"])
  }

  @Test func `two lists of one name that are returned at once both get their files`() throws {
    let bench = try ReturnBench("one end")
    try bench.add(2, "two end")
    let isFirst = Mutex(true)
    bench.cut.onStep { step in
      // List 2 is returned after list 1 has found its name free.
      guard step.hasPrefix("rename .archive-1"), isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      _ = try? bench.giveBack(2)
    }
    try bench.giveBack(1)
    bench.cut.onStep(nil)
    #expect(!isFirst.withLock { $0 })
    #expect(try bench.done.listing() == ["barn.plist", "barn~1.plist"])
    #expect(try bench.done.text("barn.plist") == "two end")
    #expect(try bench.done.text("barn~1.plist") == "one end")
  }

  @Test func `a return that fails leaves no drafts on a full disk`() throws {
    let bench = try ReturnBench("a end")
    let path = "\(bench.scratch.path)/done"
    FaultPlan.set(
      .init("renameat2", on: path, code: 28, isPermanent: true), for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    #expect(throws: Failure.self) { try bench.giveBack() }
    #expect(try bench.done.listing().isEmpty)
  }

  @Test(arguments: ["pwrite", "fdatasync", "renameat2", "openat"])
  func `a copy that found no room is made at the next attempt`(call: String) throws {
    let bench = try ReturnBench("a end")
    let path = "\(bench.scratch.path)/done"
    FaultPlan.set(.init(call, on: path, code: 28, isPermanent: true), for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    for _ in 0..<2 {
      let failure = #expect(throws: Failure.self) { try bench.giveBack() }
      #expect(failure?.kind == .machine && failure?.code == "disk.full")
      #expect(try !bench.done.has(ReturnBench.name) && !bench.standing().isReturned)
    }
    FaultPlan.set(nil, for: bench.scratch.path)
    try bench.giveBack()
    #expect(try bench.done.listing() == ["barn.plist"])
    #expect(try bench.done.text("barn.plist") == "a end")
  }
}
