// SPDX-License-Identifier: Apache-2.0
// The removal of lists that ended long ago, and of their prints.

import Files
import Linux
import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListRetentionTests {
  static let keep = Duration.seconds(3600)

  func settings(lists: Duration = Self.keep, prints: Duration? = nil) -> Settings {
    var settings = Settings()
    (settings.record.keepLists, settings.record.keepPrints) = (lists, prints)
    return settings
  }

  func retention(
    _ bench: DiskBench, prints: Duration? = nil, grace: ExpiryGrace = .none
  ) -> ListRetention {
    retention(bench, LiveSettings(settings(prints: prints)), grace: grace)
  }

  func retention(
    _ bench: DiskBench, _ settings: LiveSettings, _ health: HealthBoard? = nil,
    _ folders: StateFolders? = nil, grace: ExpiryGrace = .full
  ) -> ListRetention {
    ListRetention(
      bench.recorder, bench.index, folders ?? bench.folders, settings: settings,
      bench.narrator(), health ?? board(bench), clock: bench.clock, grace: grace)
  }

  func board(_ bench: DiskBench) -> HealthBoard {
    HealthBoard(bench.told.reporter, inbox: "/inbox", changes: bench.changes)
  }

  /// Adds a list that ends now, and is in `done` already unless the test keeps it from there.
  private func end(
    _ bench: DiskBench, _ number: UInt64, isReturned: Bool = true, revises: UInt64? = nil
  ) async throws {
    try await bench.add(number, .revising(revises))
    try await bench.recorder.record([.cancelled(ListID(number))])
    if isReturned { try ListMarks.noteReturn(in: bench.folder(of: ListID(number))) }
  }

  /// The names in the folder of lists; nil if it cannot be read.
  func left(_ bench: DiskBench) -> [String]? { try? bench.folders.lists.listing() }

  /// Runs until the retention waits for its next look, acts, and stops it.
  func running(
    _ bench: DiskBench, _ retention: ListRetention, hidden: [ListID]? = [],
    _ act: () async throws -> Void
  ) async throws {
    let run = Task { await retention.run(hidden) }
    #expect(await bench.clock.isAwaited())
    do { try await act() } catch {
      run.cancel()
      throw error
    }
    run.cancel()
    await run.value
  }

  @Test func `a list is removed when its time is over, with its record and its label`()
    async throws
  {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      try await end(bench, 1)
      bench.clock.advance(by: .seconds(1800))
      try await end(bench, 2)
      try await running(bench, retention) {
        #expect(left(bench) == ["1", "2"])
        bench.clock.advance(by: .seconds(1800))
        #expect(await bench.clock.isAwaited())
        #expect(left(bench) == ["2"])
        #expect(bench.state(ListID(1)) == nil && bench.index[ListID(1)] == nil)
        #expect(bench.state(ListID(2)) == .cancelled && bench.index[ListID(2)] != nil)
      }
    }
  }

  @Test func `the end of a list wakes nothing while an earlier removal is due`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      let before = retention.bell.version
      try await end(bench, 1)
      retention.listEnded()
      #expect(!retention.isTimed && retention.bell.version == before + 1)
      let run = Task { await retention.run([]) }
      #expect(await bench.clock.isAwaited())
      let looks = retention.bell.version
      bench.clock.advance(by: .seconds(1800))
      try await end(bench, 2)
      retention.listEnded()
      #expect(retention.isTimed && retention.bell.version == looks)
      for left in [["2"], []] {
        bench.clock.advance(by: .seconds(1800))
        #expect(try await Patience.sees { self.left(bench) == left })
        if !left.isEmpty { #expect(await bench.clock.isAwaited()) }
      }
      run.cancel()
      await run.value
    }
  }

  @Test func `a list stays while its copy is missing from done`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      try await end(bench, 1, isReturned: false)
      bench.clock.advance(by: Self.keep)
      try await end(bench, 2)
      try await running(bench, retention) {
        #expect(left(bench) == ["1", "2"])
        try ListMarks.noteReturn(in: bench.folder(of: ListID(1)))
        retention.look()
        #expect(try await Patience.sees { left(bench) == ["2"] })
      }
    }
  }

  @Test func `a list whose copy waits for a person goes when its time is over, and its prints`()
    async throws
  {
    try await DiskBench.use { bench in
      try await develop(bench, 1)
      let folder = try bench.folder(of: ListID(1))
      try folder.rename(
        ListFolder.returned, to: folder, as: ListFolder.resulted, replacing: false)
      try await running(bench, retention(bench, prints: Self.keep)) { () async throws in
        #expect(left(bench) == ["1"] && prints(bench) == ["barn"])
        bench.clock.advance(by: .seconds(3600))
        #expect(try await Patience.sees { left(bench) == [] && prints(bench) == [] })
        #expect(try await Patience.sees { bench.state(ListID(1)) == nil })
      }
    }
  }

  @Test func `a list stays while an open list may take over its prints`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      try await end(bench, 1)
      try await end(bench, 2, revises: 1)
      try await bench.add(3, .revising(2))
      bench.clock.advance(by: Self.keep)
      try await running(bench, retention) {
        #expect(left(bench) == ["1", "2", "3"])
        try await bench.recorder.record([.cancelled(ListID(3))])
        retention.look()
        #expect(try await Patience.sees { left(bench) == ["3"] })
      }
    }
  }

  @Test func `an open list is never removed`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      try await bench.add(1)
      try await end(bench, 2)
      bench.clock.advance(by: Self.keep + .seconds(1))
      try await end(bench, 3)
      try await running(bench, retention) { #expect(left(bench) == ["1", "3"]) }
    }
  }

  @Test func `a removal that fails is tried again a minute later`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      try await end(bench, 1)
      bench.clock.advance(by: Self.keep)
      bench.disk.fail(.broken(.rename))
      try await running(bench, retention) {
        #expect(bench.state(ListID(1)) == .cancelled)
        bench.disk.fail(nil)
        bench.clock.advance(by: .seconds(60))
        let isGone = try await Patience.sees { left(bench) == [] }
        #expect(isGone)
      }
    }
  }

  @Test func `a removal that a crash interrupted is finished at the start`() async throws {
    try await DiskBench.use { bench in
      for number in 1...3 as ClosedRange<UInt64> { try await end(bench, number) }
      let lists = bench.folders.lists
      try lists.rename(
        FileName(literal: "1"), to: lists, as: ListFolder.old(ListID(1)), replacing: false)
      // The folder of list 2 is gone, but its time is not over.
      try lists.removeFlat(FileName(literal: "2"))
      retention(bench).forgetRemoved(isNode: false)
      #expect(left(bench) == ["3"] && bench.state(ListID(2)) == .cancelled)
      bench.clock.advance(by: Self.keep)
      retention(bench).forgetRemoved(isNode: false)
      #expect(bench.state(ListID(1)) == nil && bench.state(ListID(2)) == nil)
      #expect(bench.state(ListID(3)) == .cancelled)
    }
  }

  @Test func `a returned list that the record has forgotten is removed, too`() async throws {
    try await DiskBench.use { bench in
      let folder = try SampleList().write(ListID(7), in: bench.folders.lists)
      try ListMarks.noteReturn(in: folder)
      try SampleList().write(ListID(8), in: bench.folders.lists)
      let retention = retention(bench)
      bench.clock.advance(by: Self.keep)
      try await end(bench, 9)
      // The simulated disk tells no time: list 7 counts from the first look.
      try await running(bench, retention) { () async throws in
        #expect(left(bench) == ["7", "8", "9"])
        bench.clock.advance(by: Self.keep)
        #expect(try await Patience.sees { left(bench) == ["8"] })
      }
    }
  }

  // MARK: prints

  /// Adds a list with a print that ends now, and is in `done` already.
  func develop(_ bench: DiskBench, _ number: UInt64, revises: UInt64? = nil) async throws {
    let list = try await bench.add(number, .revising(revises))
    try await bench.develop(PhotoID(list: list, number: 1), print: "Photo.jpg")
    try await bench.recorder.record([.finished(list)])
    try ListMarks.noteReturn(in: bench.folder(of: list))
  }

  func prints(_ bench: DiskBench) -> [String]? { try? bench.folders.prints.listing() }

  @Test func `prints go before their list, which tells it until it goes, too`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: .seconds(1800))
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        #expect(prints(bench) == ["barn"] && bench.index.expiry(of: ListID(1)) == nil)
        bench.clock.advance(by: .seconds(1800))
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == [] && left(bench) == ["1"])
        let now = bench.clock.wallTime()
        #expect(bench.index.expiry(of: ListID(1)) == now)
        #expect(try ListMarks.expiry(in: bench.folder(of: ListID(1))) == now)
        bench.clock.advance(by: .seconds(1800))
        #expect(try await Patience.sees { left(bench) == [] })
        #expect(bench.index.expiry(of: ListID(1)) == nil)
      }
    }
  }

  @Test func `a list is kept until its prints go`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: Self.keep * 2)
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: Self.keep)
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
        bench.clock.advance(by: Self.keep)
        #expect(try await Patience.sees { left(bench) == [] })
        #expect(prints(bench) == [])
      }
    }
  }

  @Test func `prints that are kept for ever stay when their list goes`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: Self.keep)
        #expect(try await Patience.sees { left(bench) == [] })
        #expect(prints(bench) == ["barn"])
      }
    }
  }

  @Test func `prints belong to the latest list, and go when it has ended long ago`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: .seconds(1800))
      try await develop(bench, 1)
      try await bench.add(2, .revising(1))
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: .seconds(1800))
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"])
        try await bench.recorder.record([.cancelled(ListID(2))])
        try ListMarks.noteReturn(in: bench.folder(of: ListID(2)))
        retention.look()
        #expect(await bench.clock.isAwaited())
        bench.clock.advance(by: .seconds(1800))
        #expect(try await Patience.sees { prints(bench) == [] })
        #expect(try await Patience.sees { bench.index.expiry(of: ListID(2)) != nil })
      }
    }
  }

  @Test func `a list that is about to be accepted keeps the prints it takes over`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: Self.keep)
      try await develop(bench, 1)
      bench.clock.advance(by: Self.keep)
      let folder = FileName(literal: "barn")
      bench.index.note(ListID(9), into: folder)
      try await running(bench, retention) { () async throws in
        #expect(prints(bench) == ["barn"] && !bench.index.isExpiring(folder))
      }
    }
  }

  @Test func `a folder without a print of ours is not touched, and the list tells no expiry`()
    async throws
  {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: .seconds(1800))
      try await end(bench, 1)
      try bench.folders.prints.put(FileName(literal: "barn"), "a file of a user")
      bench.clock.advance(by: .seconds(1800))
      try await running(bench, retention) { () async throws in
        #expect(prints(bench) == ["barn"] && bench.index.expiry(of: ListID(1)) == 0)
      }
    }
  }

  @Test func `prints that a crash left hidden are removed, and their lists tell it`() async throws {
    try await DiskBench.use { bench in
      try await develop(bench, 1)
      try await develop(bench, 2, revises: 1)
      let all = bench.folders.prints
      try all.rename(
        FileName(literal: "barn"), to: all, as: ListFolder.expired(ListID(2)), replacing: false)
      let retention = retention(bench, prints: Self.keep)
      let hidden = retention.resume()
      let now = bench.clock.wallTime()
      #expect(bench.index.expiry(of: ListID(1)) == now && bench.index.expiry(of: ListID(2)) == now)
      try await running(bench, retention, hidden: hidden) { () async throws in
        #expect(prints(bench) == [])
        #expect(try ListMarks.expiry(in: bench.folder(of: ListID(2))) == now)
      }
    }
  }

  @Test func `hidden prints that the start cannot see are looked for again`()
    async throws
  {
    try await DiskBench.use { bench in
      try await develop(bench, 1)
      let all = bench.folders.prints
      try all.rename(
        FileName(literal: "barn"), to: all, as: ListFolder.expired(ListID(1)), replacing: false)
      bench.clock.advance(by: Self.keep)
      let retention = retention(bench, prints: Self.keep)
      bench.disk.fail(.broken(.list))
      let hidden = retention.resume()
      #expect(hidden == nil)
      try await running(bench, retention, hidden: hidden) { () async throws in
        #expect(bench.index.expiry(of: ListID(1)) == nil)
        bench.disk.fail(nil)
        #expect(left(bench) == ["1"] && prints(bench) == [".expired-1"])
        bench.clock.advance(by: .seconds(60))
        #expect(try await Patience.sees { prints(bench) == [] })
        #expect(bench.index.expiry(of: ListID(1)) != 0)
      }
    }
  }

  @Test func `a list that its owner removes is not removed for its age`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench)
      try await end(bench, 1)
      bench.clock.advance(by: Self.keep)
      #expect(bench.index.withdraw([ListID(1)]))
      try await running(bench, retention) {
        #expect(left(bench) == ["1"] && bench.state(ListID(1)) == .cancelled)
        #expect(!bench.recorder.ledger { $0.isArchived(ListID(1)) }, "its copy is awaited")
      }
    }
  }

  @Test func `hidden prints that cannot be removed are tried again a minute later`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: Self.keep)
      try await develop(bench, 1)
      bench.clock.advance(by: Self.keep)
      bench.disk.fail(.broken(.remove))
      try await running(bench, retention) { () async throws in
        #expect(prints(bench) == [".expired-1"])
        bench.disk.fail(nil)
        bench.clock.advance(by: .seconds(60))
        #expect(try await Patience.sees { prints(bench) == [] })
      }
    }
  }

  // MARK: clocks

  private static let unrested = ExpiryGrace(proof: ExpiryGrace.full.proof, rest: .zero)

  private static let years: UInt64 = 10 * 365 * 86_400_000

  @Test func `a start with a clock that is years ahead removes nothing`() async throws {
    try await DiskBench.use { bench in
      try await develop(bench, 1)
      let truth = bench.clock.wallTime()
      bench.clock.setWallTime(truth + Self.years)
      let retention = retention(bench, prints: Self.keep, grace: Self.unrested)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: .seconds(3599))
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
        bench.clock.setWallTime(truth + 1_800_000)
        bench.clock.advance(by: .seconds(60))
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
      }
    }
  }

  @Test(arguments: [true, false])
  func `a clock that jumps removes nothing for an hour`(isAhead: Bool) async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: Self.keep, grace: Self.unrested)
      try await develop(bench, 1)
      bench.clock.advance(by: Self.keep - .seconds(60))
      let now = bench.clock.wallTime()
      bench.clock.setWallTime(isAhead ? now + Self.years : now - 3_600_000)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: .seconds(3599))
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
        bench.clock.advance(by: .seconds(3601))
        #expect(try await Patience.sees { left(bench) == [] })
        #expect(prints(bench) == [])
      }
    }
  }
}

extension SampleList {
  /// A list that takes over the prints of an earlier one.
  static func revising(_ earlier: UInt64?, count: Int = 1) -> SampleList {
    SampleList(count: count) {
      $0.terms = FrozenSettings(
        prints: FileName(literal: "barn"), filter: .standard, title: "",
        revises: earlier.map { ListID($0) })
    }
  }
}
