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
  private static let results = FileName(literal: "barn.result.plist")

  @Test func `a list that is over gets one copy in done, whichever step is killed`() async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ReturnBench("a end")
      bench.cut.set(.kill, at: steps)
      _ = try? await bench.giveBack()
      if try bench.standing().isReturned {
        #expect(try bench.done.listing() == ["barn.plist"], "\(bench.cut.step ?? "end")")
      }
      guard let step = bench.cut.step else { break }
      try bench.restart()
      try await bench.giveBack()
      #expect(try bench.done.listing() == ["barn.plist"], "\(step)")
      #expect(try bench.done.text("barn.plist") == "a end", "\(step)")
      #expect(try bench.standing().isReturned, "\(step)")
    }
    #expect(steps > 20)
  }

  @Test func `the copy is our own file with mode 0600, beside an older file of its name`()
    async throws
  {
    let bench = try ReturnBench("a end")
    try bench.done.put(ReturnBench.name, "another user's")
    try await bench.giveBack()
    #expect(try bench.done.listing() == ["barn.plist", "barn~1.plist"])
    #expect(try bench.done.text("barn.plist") == "another user's")
    let status = try bench.done.status(of: FileName(literal: "barn~1.plist"))
    #expect(status.mode == 0o600 && status.links == 1)
    #expect(try status.inode != bench.folder(1).status(of: ListFolder.list).inode)
  }

  @Test func `a list is returned once, and another one of its name and bytes shares its copy`()
    async throws
  {
    let bench = try ReturnBench("a end")
    try await bench.giveBack()
    try bench.done.remove(ReturnBench.name)
    try await bench.giveBack()
    #expect(try bench.done.listing().isEmpty, "it is marked")
    for number in 2...3 as ClosedRange<UInt64> {
      try bench.add(number)
      try await bench.giveBack(number)
    }
    #expect(try bench.done.listing() == ["barn.plist"])
  }

  @Test func `names that look alike are different lists`() async throws {
    let bench = try ReturnBench()
    let stems: [[UInt8]] = [[0xC3, 0xA9], [0x65, 0xCC, 0x81], [0xFF], [0x0A]]
    for (number, stem) in zip(UInt64(1)..., stems) {
      let name = try #require(FileName(bytes: stem + Array(".PList".utf8)))
      try bench.add(number, "\(number) end")
      try await bench.giveBack(number, named: name)
    }
    #expect(Set(try bench.done.names().map(\.bytes)) == Set(stems.map { $0 + ".PList".utf8 }))
  }

  @Test func `a list whose name is lost is returned under its number`() async throws {
    let bench = try ReturnBench("a end")
    try await bench.giveBack(named: nil)
    #expect(try bench.done.listing() == ["list-1.plist"])
  }

  @Test func `a list whose folder is gone cannot be returned`() async throws {
    let bench = try ReturnBench()
    let failure = await #expect(throws: Failure.self) { try await bench.giveBack(1) }
    #expect(failure?.kind == .final && failure?.code == "list.gone")
  }

  @Test func `the copy of a list that is missing from its folder waits for it, its results do not`()
    async throws
  {
    let bench = try ReturnBench("a end")
    try bench.folder(1).remove(ListFolder.list)
    let left = Mutex<[ReturnedNames]>([])
    func giveBack() async throws {
      _ = try await bench.returns.giveBack(
        ListID(1), named: ReturnBench.name, telling: { ListResultsTests.outcome(ListID(1)) },
        leaving: { names in left.withLock { $0.append(names) } })
    }
    for _ in 0..<2 {
      let failure = await #expect(throws: Failure.self) { try await giveBack() }
      #expect(failure?.kind == .machine && failure?.code == "list.missing")
      #expect(failure?.reason.contains("list.plist is missing from the list's folder") == true)
      #expect(try bench.done.listing() == ["barn.result.plist"])
      #expect(try bench.failed.listing() == ["barn.retry.plist"])
      #expect(try !bench.standing().isReturned && bench.returns.isPending(ListID(1)))
    }
    try bench.folder(1).put(ListFolder.list, "a end")
    try await giveBack()
    #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"])
    #expect(try bench.done.text("barn.plist") == "a end")
    #expect(try bench.standing().isReturned)
    let names = left.withLock { $0 }
    #expect(names.count == 1, "hooks are ordered once")
    #expect(names.first?.results == FileName(literal: "barn.result.plist"))
    #expect(names.first?.retry == FileName(literal: "barn.retry.plist"))
  }

  @Test func `results are given once, whatever becomes of them and of the list`() async throws {
    let bench = try ReturnBench("a end")
    try bench.folder(1).remove(ListFolder.list)
    // The name is another list's, and free when the list is back.
    try bench.done.put(Self.results, "another list's")
    let calls = Mutex(0)
    func giveBack() async throws {
      try await bench.giveBack {
        let count = calls.withLock { calls in
          calls += 1
          return calls
        }
        // A second time they would differ.
        let photos = ListResultsTests.photos.prefix(count == 1 ? 3 : 1)
        return ListResultsTests.outcome(ListID(1), photos: Array(photos))
      }
    }
    await #expect(throws: Failure.self) { try await giveBack() }
    #expect(try bench.done.listing() == ["barn.result.plist", "barn~1.result.plist"])
    try bench.done.remove(Self.results)
    try bench.folder(1).put(ListFolder.list, "a end")
    try await giveBack()
    #expect(calls.withLock { $0 } == 1)
    #expect(try bench.done.listing() == ["barn~1.plist", "barn~1.result.plist"])
    #expect(try bench.failed.listing() == ["barn~1.retry.plist"])
    let receipt = try #require(try bench.folder(1).text("returned")).split(separator: "\n")
    #expect(receipt.map { $0.split(separator: " ").first } == ["copy", "result", "retry"])
    #expect(
      receipt.map { $0.split(separator: " ").last } == [
        "barn~1.plist", "barn~1.result.plist", "barn~1.retry.plist",
      ])
  }

  @Test func `a copy that follows its results is not the copy of another list with the same bytes`()
    async throws
  {
    let bench = try ReturnBench("a end")
    try await bench.giveBack { ListResultsTests.outcome(ListID(1)) }
    // Its owner has taken the results away.
    try bench.done.remove(Self.results)
    let folder = try bench.add(2)
    try folder.remove(ListFolder.list)
    func giveBack() async throws {
      try await bench.giveBack(2) { ListResultsTests.outcome(ListID(2)) }
    }
    await #expect(throws: Failure.self) { try await giveBack() }
    #expect(try bench.done.listing() == ["barn.plist", "barn~2.result.plist"])
    try folder.put(ListFolder.list, "a end")
    try await giveBack()
    #expect(
      try bench.done.listing() == ["barn.plist", "barn~2.plist", "barn~2.result.plist"])
  }

  @Test func `a copy whose results are gone is not that of a list that has their name since`()
    async throws
  {
    let bench = try ReturnBench("a end")
    let folder = try bench.folder(1)
    try folder.remove(ListFolder.list)
    func giveBack(_ number: UInt64) async throws {
      try await bench.giveBack(number) { ListResultsTests.outcome(ListID(number)) }
    }
    await #expect(throws: Failure.self) { try await giveBack(1) }
    // Its owner has taken its files away.
    try bench.done.remove(Self.results)
    try bench.failed.remove(FileName(literal: "barn.retry.plist"))
    try bench.add(2)
    try await giveBack(2)
    #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"])
    try folder.put(ListFolder.list, "a end")
    try await giveBack(1)
    #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist", "barn~1.plist"])
  }

  @Test func `a changed list that waits is compared before it is written again`() async throws {
    let bench = try ReturnBench("a end")
    let sum = try FileCopy.sum(bench.folder(1).open(ListFolder.list, .read), upTo: 100)
    try bench.folder(1).remove(ListFolder.list)
    try bench.folder(1).put(ListFolder.list, "b end")
    for isFirst in [true, false] {
      let writes = Mutex(0)
      bench.cut.onStep { step in
        if step.hasPrefix("write"), step.contains(".archive-1") { writes.withLock { $0 += 1 } }
      }
      let failure = await #expect(throws: Failure.self) { try await bench.giveBack(of: sum) }
      bench.cut.onStep(nil)
      #expect(failure?.code == "list.changed" && (writes.withLock { $0 } > 0) == isFirst)
    }
  }

  @Test func `results that can never be made are told once, and not tried again`() async throws {
    let bench = try ReturnBench("a end")
    try bench.folder(1).remove(ListFolder.list)
    let damage = Failure(.final, code: "catalog.damaged", reason: "it is")
    let told = Mutex<[String]>([])
    func giveBack() async throws {
      try await bench.returns.giveBack(
        ListID(1), named: ReturnBench.name,
        telling: { () throws(Failure) in
          told.withLock { $0.append("tried") }
          throw damage
        }, lacking: { failure in told.withLock { $0.append(failure.code) } },
        leaving: { names in told.withLock { $0.append("\(names.results as Any)") } })
    }
    for _ in 0..<2 {
      let failure = await #expect(throws: Failure.self) { try await giveBack() }
      #expect(failure?.code == "list.missing")
    }
    try bench.folder(1).put(ListFolder.list, "a end")
    try await giveBack()
    #expect(told.withLock { $0 } == ["tried", "nil", "catalog.damaged"])
    #expect(try bench.done.listing() == ["barn.plist"])
  }

  @Test(arguments: ["a longer end", "b end", ""])
  func `a list that was changed in its folder is not returned as the dropped one`(
    text: String
  ) async throws {
    let bench = try ReturnBench(text)
    let sum = try FileCopy.sum(MemoryFile(Array("a end".utf8)), upTo: 5)
    for _ in 0..<2 {
      let failure = await #expect(throws: Failure.self) {
        try await bench.giveBack(of: sum) { ListResultsTests.outcome(ListID(1)) }
      }
      #expect(failure?.kind == .machine && failure?.code == "list.changed")
      #expect(failure?.reason.contains("was changed, and is not the list that was dropped") == true)
      #expect(try bench.done.listing() == ["barn.result.plist"])
    }
    try bench.folder(1).replace(ListFolder.list, with: Array("a end".utf8))
    try await bench.giveBack(of: sum)
    #expect(try bench.done.text("barn.plist") == "a end" && bench.standing().isReturned)
  }

  @Test(arguments: ["openat", "pread", "fstat"])
  func `a list that cannot be read in its folder waits alone`(call: String) async throws {
    let bench = try ReturnBench("a end")
    FaultPlan.set(
      .init(call, on: "\(bench.scratch.path)/lists/1/list.plist", code: 5, isPermanent: true),
      for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    let failure = await #expect(throws: Failure.self) {
      try await bench.giveBack { ListResultsTests.outcome(ListID(1)) }
    }
    #expect(failure?.code == "list.unread", "\(failure as Any)")
    #expect(try bench.done.listing() == ["barn.result.plist"])
    FaultPlan.set(nil, for: bench.scratch.path)
    try await bench.giveBack()
    #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"])
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
        await #expect(throws: Failure.cancelled) {
          try await bench.returns.giveBack(ListID(1), named: ReturnBench.name)
        }
      }
    }
    await task.withLock { $0 }?.value
    #expect(pieces.withLock { $0 } == 1)
    #expect(try !bench.standing().isReturned)
    bench.cut.onStep(nil)
    try bench.restart()
    #expect(try bench.done.listing().isEmpty)
    try await bench.giveBack()
    #expect(try bench.done.listing() == ["barn.plist"])
  }

  @Test func `the syncs of a return are asked for in groups, but not that of a long file`()
    async throws
  {
    let bench = try ReturnBench("a end")
    let asked = Mutex<[[Bool]]>([])
    let groups = OwnSyncs { steps in
      asked.withLock { $0.append(steps.map { if case .file = $0 { true } else { false } }) }
    }
    _ = try await bench.returns(groups).giveBack(
      ListID(1), named: ReturnBench.name, telling: { ListResultsTests.outcome(ListID(1)) })
    // The copy, the results and the retry list; a folder for each, the copy's last; the mark.
    let folders = [[Bool]](repeating: [false], count: 4)
    #expect(asked.withLock { $0 } == [[true, true, true]] + folders)
    try bench.add(2, String(repeating: "x", count: Int(FreshFile.longest)) + "end")
    asked.withLock { $0 = [] }
    let isSynced = Mutex(false)
    bench.cut.onStep { step in if step == "sync .archive-2" { isSynced.withLock { $0 = true } } }
    _ = try await bench.returns(groups).giveBack(ListID(2), named: ReturnBench.name)
    #expect(asked.withLock { $0 } == [[false], [false]] && isSynced.withLock { $0 })
  }

  @Test func `two lists of one name that are returned at once both get their files`() async throws {
    let bench = try ReturnBench("one end")
    try bench.add(2, "two end")
    let isFirst = Mutex(true)
    let groups = OwnSyncs { [bench] _ in
      // List 2 is returned when the results of list 1 have their name, and its copy has none.
      guard (try? bench.done.has(Self.results)) == true, isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      _ = try? await bench.giveBack(2)
    }
    _ = try await bench.returns(groups).giveBack(
      ListID(1), named: ReturnBench.name, telling: { ListResultsTests.outcome(ListID(1)) })
    #expect(!isFirst.withLock { $0 })
    #expect(
      try bench.done.listing() == ["barn.plist", "barn~1.plist", "barn~1.result.plist"])
    #expect(try bench.done.text("barn.plist") == "two end")
    #expect(try bench.done.text("barn~1.plist") == "one end")
  }

  @Test func `two lists of one name that are returned at once both get all their files`()
    async throws
  {
    let bench = try ReturnBench("one end")
    try bench.add(2, "two end")
    let isFirst = Mutex(true)
    let groups = OwnSyncs { [bench] steps in
      guard case .folder = steps.first, isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      // Its retry list has the same bytes.
      _ = try? await bench.giveBack(2, telling: { ListResultsTests.outcome(ListID(2)) })
    }
    _ = try await bench.returns(groups).giveBack(
      ListID(1), named: ReturnBench.name, telling: { ListResultsTests.outcome(ListID(1)) })
    #expect(!isFirst.withLock { $0 })
    let names = ["barn.plist", "barn.result.plist", "barn~2.plist", "barn~2.result.plist"]
    #expect(try bench.done.listing() == names)
    #expect(try bench.failed.listing() == ["barn.retry.plist", "barn~2.retry.plist"])
  }

  @Test func `a return that fails leaves no drafts on a full disk`() async throws {
    let bench = try ReturnBench("a end")
    let path = "\(bench.scratch.path)/done"
    FaultPlan.set(
      .init("renameat2", on: path, code: 28, isPermanent: true), for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    await #expect(throws: Failure.self) { try await bench.giveBack() }
    #expect(try bench.done.listing().isEmpty)
  }

  @Test(arguments: ["pwrite", "fdatasync", "renameat2", "openat"])
  func `a copy that found no room is made at the next attempt`(call: String) async throws {
    let bench = try ReturnBench("a end")
    let path = "\(bench.scratch.path)/done"
    FaultPlan.set(.init(call, on: path, code: 28, isPermanent: true), for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    for _ in 0..<2 {
      let failure = await #expect(throws: Failure.self) { try await bench.giveBack() }
      #expect(failure?.kind == .machine && failure?.code == "disk.full")
      #expect(try !bench.done.has(ReturnBench.name) && !bench.standing().isReturned)
    }
    FaultPlan.set(nil, for: bench.scratch.path)
    try await bench.giveBack()
    #expect(try bench.done.listing() == ["barn.plist"])
    #expect(try bench.done.text("barn.plist") == "a end")
  }
}
