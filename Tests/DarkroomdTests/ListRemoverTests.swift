// SPDX-License-Identifier: Apache-2.0
// Removals that an earlier run began, at a start at which the disk does not tell which.

import Cluster
import Files
import Linux
import Record
import Return
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListRemoverTests {
  private static let subject = Health.Subject.removals
  private static let barn = FileName(literal: "barn")

  private func board(_ bench: DiskBench) -> HealthBoard {
    HealthBoard(bench.told.reporter, inbox: "/inbox", changes: bench.changes)
  }

  private func remover(
    _ bench: DiskBench, _ folders: StateFolders? = nil, _ health: HealthBoard? = nil
  ) -> ListRemover {
    let lists = folders.map { OpenLists($0, most: 4) } ?? bench.lists
    return ListRemover(
      bench.recorder, bench.index, lists,
      ListKeeper(clock: bench.clock, changes: bench.changes), bench.narrator(),
      health ?? board(bench), clock: bench.clock)
  }

  /// A list with a print, which is over and was returned.
  private func end(
    _ bench: DiskBench, _ number: UInt64, owner: UInt32 = 1000,
    _ kind: FrozenSettings.Kind = .own()
  ) async throws {
    let sample = SampleList {
      $0.owner = owner
      $0.terms.kind = kind
    }
    let list = try await bench.add(number, sample)
    try await bench.develop(PhotoID(list: list, number: 1), print: "Barn.jpg")
    try await bench.recorder.record([.finished(list)])
    try ListMarks.noteReturn(in: bench.folder(of: list))
    bench.recorder.archived(list)
  }

  private func remove(_ list: UInt64, _ remover: ListRemover) async -> Failure? {
    let run = Task { await remover.run([]) }
    var answer: Failure?
    do throws(Failure) { try await remover.remove(ListID(list), by: 1000) } catch {
      answer = error
    }
    remover.stop()
    await run.value
    return answer
  }

  @Test(arguments: ["link", "file"])
  func `a list whose folder of prints is none of ours is not removed, with the reason`(
    kind: String
  ) async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(ListID(1))])
      try ListMarks.noteReturn(in: bench.folder(of: ListID(1)))
      bench.recorder.archived(ListID(1))
      let place = "daemon/prints/barn"
      try bench.scratch.write([1], to: "elsewhere/One.jpg")
      if kind == "link" { try bench.scratch.link(place, to: "../../elsewhere") }
      if kind == "file" { try bench.scratch.write([2], to: place) }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock)
      let failure = try #require(await remove(1, remover))
      #expect(failure.kind == .final && failure.code == "list.kept", "\(failure)")
      let words = kind == "link" ? "is a symbolic link, which" : "is not a folder"
      #expect(failure.reason.contains("/prints/barn, its folder of prints, \(words)"))
      #expect(bench.state(ListID(1)) == .cancelled && bench.index[ListID(1)] != nil)
      #expect(try bench.folders.prints.listing() == ["barn"])
      try bench.folders.prints.remove(Self.barn)
      let next = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock)
      #expect(await remove(1, next) == nil)
      #expect(bench.state(ListID(1)) == nil)
      #expect(bench.scratch.bytes(of: "elsewhere/One.jpg") != nil)
    }
  }

  @Test func `the prints of another user in the same folder are not removed`() async throws {
    try await DiskBench.use { bench in
      try await end(bench, 1, owner: 1001)
      try await end(bench, 2)
      let failure = await remove(2, remover(bench))
      #expect(failure?.kind == .final && failure?.code == "list.kept", "\(failure as Any)")
      #expect(failure?.reason.contains("a list of another user has prints in ") == true)
      #expect(try bench.folders.prints.listing() == ["barn"])
      // A removal that an earlier run has begun ends without the prints.
      let lists = bench.folders.lists
      try lists.rename(
        ListFolder.name(ListID(2)), to: lists, as: ListFolder.removed(ListID(2)), replacing: false)
      bench.index.forget(ListID(2))
      let next = remover(bench)
      let pending = next.resume()
      #expect(pending == [ListID(2)])
      let run = Task { await next.run(pending) }
      _ = try await Patience.sees { bench.state(ListID(2)) == nil }
      next.stop()
      await run.value
      #expect(try bench.folders.prints.folder(Self.barn, creating: false).listing() == ["Barn.jpg"])
    }
  }

  /// - Parameter line: of the mark; nil for one that cannot be read.
  @Test(arguments: [SampleList.line, "fedcba9876543210", nil])
  func `a list goes without prints that may be of a list that is not known, and that is told`(
    line: String?
  ) async throws {
    try await DiskBench.use { bench in
      let list = try await bench.add(1, .marked())
      try await bench.develop(PhotoID(list: list, number: 1), print: "Barn.jpg")
      try await bench.recorder.record([.finished(list)])
      try ListMarks.noteReturn(in: bench.folder(of: list))
      bench.recorder.archived(list)
      if let line { try bench.leaveStranger(line) } else { try bench.spoilMark() }
      #expect(await remove(1, remover(bench)) == nil)
      #expect(bench.state(list) == nil)
      #expect(try bench.folders.prints.listing() == ["barn"])
      let told = bench.told.all().filter { $0.contains("Removed no prints of list 1: ") }
      let absence = (line == nil ? PrintsStanding.unreadable : .foreign).absence
      let end = "/barn, its folder of prints, \(absence ?? "")."
      #expect(told.count == 1 && told.first?.hasSuffix(end) == true, "\(told)")
    }
  }

  @Test(arguments: [true, false])
  func `a removal that an earlier run has begun leaves prints that may be of another list`(
    isReadable: Bool
  ) async throws {
    try await DiskBench.use { bench in
      let list = try await bench.add(1, .marked())
      try await bench.recorder.record([.cancelled(list)])
      bench.recorder.archived(list)
      if isReadable { try bench.leaveStranger() } else { try bench.spoilMark() }
      let lists = bench.folders.lists
      try lists.rename(
        ListFolder.name(list), to: lists, as: ListFolder.removed(list), replacing: false)
      bench.index.forget(list)
      let next = remover(bench)
      let pending = next.resume()
      let run = Task { await next.run(pending) }
      #expect(try await Patience.sees { bench.state(list) == nil })
      next.stop()
      await run.value
      #expect(try bench.folders.prints.listing() == ["barn"])
    }
  }

  // MARK: prints that are away

  private static let entry = FrozenSettings.Kind.entry(FileName(literal: "origin"), LedgerList(1))

  /// As on a node whose shared folder is `prints`.
  private func shared(_ bench: DiskBench) throws -> StateFolders {
    try StateFolders(
      state: bench.folders.state, prints: bench.folders.prints, done: bench.folders.done,
      failed: bench.folders.failed, isShared: true)
  }

  @Test func `a list stays while the shared place may be another one, unless it has no prints`()
    async throws
  {
    try await DiskBench.use { bench in
      let (folders, health) = (try shared(bench), board(bench))
      try await end(bench, 1, Self.entry)
      try await bench.add(
        2,
        SampleList {
          ($0.terms.kind, $0.terms.prints) = (Self.entry, FileName(literal: "lake"))
        })
      try await bench.recorder.record([.cancelled(ListID(2))])
      try ListMarks.noteReturn(in: bench.folder(of: ListID(2)))
      bench.recorder.archived(ListID(2))
      health.set(ListRetentionTests.otherPlace, for: .ledger)
      health.set(Failure(.machine, code: "ledger.lost", reason: "it is silent"), for: .ledger)
      let failure = await remove(1, remover(bench, folders, health))
      let reason =
        "it is not known where its prints are, because the folder of Blobs= is another one"
      #expect(failure?.kind == .machine && failure?.reason == reason, "\(failure as Any)")
      #expect(try bench.folders.prints.listing() == ["barn"] && bench.state(ListID(1)) != nil)
      #expect(await remove(2, remover(bench, folders, health)) == nil)
      health.set(nil, for: .ledger)
      #expect(await remove(1, remover(bench, folders, health)) == nil)
      #expect(try bench.folders.prints.listing().isEmpty && bench.state(ListID(1)) == nil)
    }
  }

  @Test func `a removal that has begun waits while the shared place may be another one`()
    async throws
  {
    try await DiskBench.use { bench in
      let (folders, health) = (try shared(bench), board(bench))
      try await end(bench, 1, Self.entry)
      let lists = bench.folders.lists
      try lists.rename(
        ListFolder.name(ListID(1)), to: lists, as: ListFolder.removed(ListID(1)), replacing: false)
      bench.index.forget(ListID(1))
      health.set(ListRetentionTests.otherPlace, for: .ledger)
      let remover = remover(bench, folders, health)
      let pending = remover.resume()
      #expect(pending == [ListID(1)] && bench.index.reserved(ListID(1)) != nil)
      let run = Task { await remover.run(pending) }
      #expect(await bench.clock.isAwaited())
      // The folder of that name is a list of another ledger.
      #expect(try bench.folders.prints.listing() == ["barn"] && bench.state(ListID(1)) != nil)
      #expect(health.health[Self.subject]?.code == "blobs.other")
      health.set(nil, for: .ledger)
      bench.clock.advance(by: .seconds(60))
      #expect(try await Patience.sees { bench.state(ListID(1)) == nil })
      #expect(try await Patience.sees { try bench.folders.prints.listing().isEmpty })
      remover.stop()
      await run.value
    }
  }

  @Test func `a list whose folder of prints is missing goes, and that is told if it had prints`()
    async throws
  {
    try await DiskBench.use { bench in
      try await end(bench, 1)
      let prints = bench.folders.prints
      try prints.rename(Self.barn, to: prints, as: FileName(literal: "away"), replacing: false)
      try await bench.add(2, SampleList { $0.terms.prints = FileName(literal: "lake") })
      try await bench.recorder.record([.cancelled(ListID(2))])
      try ListMarks.noteReturn(in: bench.folder(of: ListID(2)))
      bench.recorder.archived(ListID(2))
      try await end(bench, 3)
      for list: UInt64 in [2, 3] { #expect(await remove(list, remover(bench)) == nil) }
      #expect(!bench.told.holds("Removed no prints"))
      #expect(bench.state(ListID(1)) == nil, "it went with the third one")
      try prints.rename(FileName(literal: "away"), to: prints, as: Self.barn, replacing: false)
      try await end(bench, 4)
      try prints.rename(Self.barn, to: prints, as: FileName(literal: "away"), replacing: false)
      #expect(await remove(4, remover(bench)) == nil)
      let told = bench.told.all().filter { $0.contains("Removed no prints") }
      #expect(told.count == 1 && told.first?.contains("of list 4: ") == true, "\(told)")
      #expect(told.first?.hasSuffix("/barn, its folder of prints, is missing.") == true)
    }
  }

  @Test func `a removal that meets that for age at any step is answered truly`()
    async throws
  {
    var (steps, answers) = (0, Set<String>())
    while true {
      steps += 1
      var isOver = false
      try await DiskBench.use { bench in
        try await end(bench, 1)
        let cut = Cut()
        let count = Mutex(0)
        let folders = try StateFolders(
          state: CutFolder(bench.folders.state, cut), prints: bench.folders.prints,
          done: bench.folders.done, failed: bench.folders.failed)
        var settings = Settings()
        settings.record.keepLists = .zero
        let retention = ListRetention(
          bench.recorder, bench.index, bench.folders, settings: LiveSettings(settings),
          bench.narrator(),
          HealthBoard(bench.told.reporter, inbox: "/inbox", changes: bench.changes),
          clock: bench.clock)
        let (step, lists) = (steps, bench.folders.lists)
        cut.onStep { _ in
          let isNow = count.withLock { count in
            count += 1
            return count == step
          }
          if isNow, retention.remove(ListID(1), OldLists(lists)) {
            bench.recorder.forget(ListID(1))
          }
        }
        let answer = await remove(1, remover(bench, folders))
        answers.insert(answer?.reason ?? "removed")
        let prints = try bench.folders.prints.listing()
        #expect(prints == (answer == nil ? [] : ["barn"]), "step \(steps): \(answer as Any)")
        #expect(bench.state(ListID(1)) == nil && bench.index[ListID(1)] == nil, "step \(steps)")
        #expect(bench.index.printer(into: Self.barn) == nil, "step \(steps)")
        isOver = count.withLock { $0 } < step
      }
      if isOver { break }
    }
    #expect(answers.count > 1 && answers.contains("removed"), "\(answers)")
  }

  @Test(arguments: [false, true])
  func `the prints of a list whose name cannot be read any more go with it, or it stays`(
    hasBegun: Bool
  ) async throws {
    try await PartBench.use { bench in
      let list = ListID(1)
      try await bench.add(1)
      try await bench.develop(PhotoID(list: list, number: 1), print: "Barn.jpg")
      try await bench.recorder.record([.finished(list)])
      try ListMarks.noteReturn(in: bench.folder(of: list))
      bench.recorder.archived(list)
      // The sector becomes bad during the removal, or was so at the start.
      if !hasBegun { bench.index.forget(list) }
      let folder = "\(bench.scratch.path)/daemon/state/lists/\(hasBegun ? ".removed-1" : "1")"
      FaultPlan.set(
        .init("openat", on: "\(folder)/about", code: 5, isPermanent: true), for: folder)
      defer { FaultPlan.set(nil, for: folder) }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock)
      let failure = await remove(1, remover)
      if hasBegun {
        #expect(failure == nil && bench.state(list) == nil)
        #expect(try bench.folders.prints.listing().isEmpty)
      } else {
        let reason = "its name cannot be read, and nothing else tells where its prints are"
        #expect(failure?.kind == .final && failure?.reason == reason)
        #expect(bench.state(list) == .finished && bench.prints() == ["Barn.jpg"])
      }
    }
  }

  @Test(arguments: [false, true])
  func `a list whose removal cannot begin stays, with its name and its record`(
    isBlind: Bool
  ) async throws {
    try await PartBench.use { bench in
      let list = ListID(1)
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      try ListMarks.noteReturn(in: bench.folder(of: list))
      bench.recorder.archived(list)
      let place = "\(bench.scratch.path)/daemon/state/lists"
      FaultPlan.set(.init("renameat2", on: place, code: 5, isPermanent: true), for: place)
      // Nor does the disk tell whether it has begun.
      let blind = FaultPlan.Fault("openat", on: "\(place)/.removed-1", code: 5, isPermanent: true)
      FaultPlan.set(isBlind ? blind : nil, for: "\(place) blind")
      defer { for owner in [place, "\(place) blind"] { FaultPlan.set(nil, for: owner) } }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock)
      let run = Task { await remover.run([]) }
      let failure = await #expect(throws: Failure.self) {
        try await remover.remove(list, by: 1000)
      }
      #expect(failure?.reason.contains("input/output error") == true, "\(failure as Any)")
      let words = "it is not known whether its removal has begun, because "
      #expect(failure?.reason.hasPrefix(words) == isBlind)
      #expect((bench.index[list] != nil) == !isBlind)
      #expect(bench.index.printer(into: Self.barn) == list)
      for owner in [place, "\(place) blind"] { FaultPlan.set(nil, for: owner) }
      if isBlind { #expect(await bench.clock.isAwaited()) }
      bench.clock.advance(by: .seconds(60))
      #expect(try await Patience.sees { bench.index[list] != nil })
      #expect(bench.state(list) == .cancelled && bench.index.printer(into: Self.barn) == list)
      try await remover.remove(list, by: 1000)
      #expect(bench.state(list) == nil && bench.index[list] == nil)
      #expect(try bench.folders.lists.listing().isEmpty)
      remover.stop()
      await run.value
    }
  }

  @Test func `a list whose earlier list alone begins to go is told of it, and stays`() async throws
  {
    try await PartBench.use { bench in
      for number in 1...2 as ClosedRange<UInt64> {
        try await bench.add(number)
        try await bench.recorder.record([.cancelled(ListID(number))])
        try ListMarks.noteReturn(in: bench.folder(of: ListID(number)))
        bench.recorder.archived(ListID(number))
      }
      let place = "\(bench.scratch.path)/daemon/state/lists"
      FaultPlan.set(.init("renameat2", on: "\(place)/2", code: 5, isPermanent: true), for: place)
      defer { FaultPlan.set(nil, for: place) }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock)
      let run = Task { await remover.run([]) }
      let failure = await #expect(throws: Failure.self) {
        try await remover.remove(ListID(2), by: 1000)
      }
      let end = "; the removal of list 1, which goes with it, has begun"
      #expect(failure?.reason.hasSuffix(end) == true, "\(failure as Any)")
      #expect(bench.state(ListID(2)) == .cancelled && bench.index[ListID(2)] != nil)
      #expect(bench.health.health[Self.subject] != nil && bench.index[ListID(1)] == nil)
      #expect(await bench.clock.isAwaited())
      bench.clock.advance(by: .seconds(60))
      #expect(try await Patience.sees { bench.state(ListID(1)) == nil })
      #expect(bench.state(ListID(2)) == .cancelled)
      remover.stop()
      await run.value
    }
  }

  @Test func `a long line of one user's lists lets the removal of another user between`()
    async throws
  {
    try await PartBench.use { bench in
      for number in 1...4 as ClosedRange<UInt64> {
        let sample = SampleList {
          guard number == 4 else { return }
          ($0.owner, $0.name) = (1001, "cow.plist")
          $0.terms.prints = FileName(literal: "cow")
        }
        try await bench.add(number, sample)
        try await bench.recorder.record([.cancelled(ListID(number))])
        try ListMarks.noteReturn(in: bench.folder(of: ListID(number)))
        bench.recorder.archived(ListID(number))
      }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock)
      let orders = [(3, 1000), (4, 1001)].map { (list: UInt64, user: UInt32) in
        Task.immediate { try await remover.remove(ListID(list), by: user) }
      }
      let run = Task { await remover.run([]) }
      for order in orders { try await order.value }
      let told = bench.told.all().filter { $0.hasPrefix("Removed list") }
      #expect(told.map { $0.contains("cow") } == [false, true, false, false], "\(told)")
      #expect(try bench.folders.lists.listing().isEmpty)
      remover.stop()
      await run.value
    }
  }

  @Test func `a list without a name can go when its prints were removed for their age`()
    async throws
  {
    try await PartBench.use { bench in
      let list = ListID(1)
      try await bench.add(1)
      try await bench.develop(PhotoID(list: list, number: 1), print: "Barn.jpg")
      try await bench.recorder.record([.finished(list)])
      let folder = try bench.folder(of: list)
      try ListMarks.noteReturn(in: folder)
      bench.recorder.archived(list)
      bench.index.forget(list)
      try folder.open(ListFolder.about, .write).truncate(to: 5)
      func remover() -> ListRemover {
        ListRemover(
          bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
          clock: bench.clock)
      }
      #expect(await remove(1, remover())?.code == "list.kept")
      try ListMarks.noteExpiry(in: folder, at: 1)
      #expect(await remove(1, remover()) == nil)
      #expect(try bench.state(list) == nil && bench.folders.lists.listing().isEmpty)
    }
  }

  @Test func `removals that the start cannot see are looked for again, with one warning`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.addBarn()
      let list = ListID(1)
      try await bench.recorder.record([.cancelled(list)])
      let lists = bench.folders.lists
      try lists.rename(
        ListFolder.name(list), to: lists, as: ListFolder.removed(list), replacing: false)
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock)
      let fault = "ListRemoverTests"
      FaultPlan.set(
        .init(
          "getdents64", on: "\(bench.scratch.path)/daemon/state/lists", code: 5, isPermanent: true),
        for: fault)
      defer { FaultPlan.set(nil, for: fault) }
      let pending = remover.resume()
      #expect(pending == nil)
      let run = Task { await remover.run(pending) }
      for _ in 1...2 {
        #expect(await bench.clock.isAwaited())
        #expect(bench.health.health[Self.subject] != nil)
        #expect(try lists.has(ListFolder.removed(list)))
        bench.clock.advance(by: .seconds(60))
      }
      #expect(await bench.clock.isAwaited())
      FaultPlan.set(nil, for: fault)
      bench.clock.advance(by: .seconds(60))
      _ = try await Patience.sees { bench.recorder.ledger { $0[list] } == nil }
      _ = try await Patience.sees { bench.health.health[Self.subject] == nil }
      #expect(try !lists.has(ListFolder.removed(list)))
      remover.stop()
      await run.value
      let told = bench.told.all().filter { $0.contains("removals of lists") }
      #expect(told.count == 2, "\(told)")
    }
  }
}
