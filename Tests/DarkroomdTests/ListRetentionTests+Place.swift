// SPDX-License-Identifier: Apache-2.0
// Prints that are not where they were made when KeepPrints= has passed: their disk is away, the shared place is another
// one, or a person has moved them.

import Cluster
import Files
import Linux
import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

extension ListRetentionTests {
  private static let barn = FileName(literal: "barn")
  private static let away = FileName(literal: "away")

  static let otherPlace = Failure(
    .machine, code: "blobs.other", reason: "the folder of Blobs= is another one")

  private static let entry = FrozenSettings.Kind.entry(FileName(literal: "origin"), LedgerList(1))

  private func place(
    _ bench: DiskBench, _ health: HealthBoard, _ folders: StateFolders? = nil
  ) -> ListRetention {
    retention(
      bench, LiveSettings(settings(prints: Self.keep)), health, folders, grace: ExpiryGrace.none)
  }

  /// As on a node whose shared folder is `prints`.
  private func shared(_ bench: DiskBench, alone: (any Folder)? = nil) throws -> StateFolders {
    let folders = bench.folders
    return try StateFolders(
      state: folders.state, prints: folders.prints, done: folders.done, failed: folders.failed,
      isShared: true, alone: alone)
  }

  /// A list that has ended, of the cluster.
  private func share(_ bench: DiskBench, _ number: UInt64) async throws {
    let list = try await bench.add(number, SampleList { $0.terms.kind = Self.entry })
    try await bench.develop(PhotoID(list: list, number: 1), print: "Photo.jpg")
    try await bench.recorder.record([.finished(list)])
    try ListMarks.noteReturn(in: bench.folder(of: list))
  }

  @Test(arguments: ["blobs.other", "blobs.ledger", "ledger.other", "ledger.home"])
  func `while the shared place may be another one, no prints expire, and no list goes without them`(
    code: String
  ) async throws {
    try await DiskBench.use { bench in
      let board = board(bench)
      let retention = try place(bench, board, shared(bench))
      let trouble = Failure(.machine, code: code, reason: "the folder of Blobs= is another one")
      board.set(trouble, for: .ledger)
      // The ledger does not answer meanwhile, which mends nothing.
      board.set(Failure(.machine, code: "ledger.lost", reason: "it is silent"), for: .ledger)
      try await share(bench, 1)
      let prints = bench.folders.prints
      try prints.rename(Self.barn, to: prints, as: Self.away, replacing: false)
      let hidden = retention.resume()
      #expect(hidden == nil)
      try await running(bench, retention, hidden: hidden) { () async throws in
        bench.clock.advance(by: .seconds(7200))
        #expect(await bench.clock.isAwaited())
        #expect(bench.index.expiry(of: ListID(1)) == nil && left(bench) == ["1"])
        try prints.rename(Self.away, to: prints, as: Self.barn, replacing: false)
        board.set(nil, for: .ledger)
        bench.clock.advance(by: .seconds(60))
        #expect(try await Patience.sees { self.prints(bench) == [] })
        #expect(bench.index.expiry(of: ListID(1)) != 0)
      }
    }
  }

  @Test func `prints that were set aside in another place are looked for again when it is back`()
    async throws
  {
    try await DiskBench.use { bench in
      let board = board(bench)
      let retention = try place(bench, board, shared(bench))
      try await share(bench, 1)
      // The start has seen a place without them, and did not know that yet.
      try await running(bench, retention, hidden: []) { () async throws in
        let prints = bench.folders.prints
        try prints.rename(
          Self.barn, to: prints, as: ListFolder.expired(ListID(1)), replacing: false)
        board.set(Self.otherPlace, for: .ledger)
        bench.clock.advance(by: Self.keep)
        #expect(await bench.clock.isAwaited())
        board.set(nil, for: .ledger)
        bench.clock.advance(by: .seconds(60))
        #expect(try await Patience.sees { self.prints(bench) == [] })
        #expect(bench.index.expiry(of: ListID(1)) != 0)
      }
    }
  }

  @Test func `while the shared place may be another one, other lists expire and go`()
    async throws
  {
    try await DiskBench.use { bench in
      let board = board(bench)
      let alone = try bench.folders.state.folder(FileName(literal: "alone"), creating: true)
      let settings = LiveSettings(settings(lists: Self.keep * 2, prints: Self.keep * 3))
      let retention = try retention(
        bench, settings, board, shared(bench, alone: alone), grace: ExpiryGrace.none)
      try await share(bench, 1)
      try await develop(bench, 2)
      try bench.folders.prints.rename(Self.barn, to: alone, as: Self.barn, replacing: false)
      try bench.folders.prints.makeFolder(Self.barn)
      board.set(Self.otherPlace, for: .ledger)
      try await running(bench, retention, hidden: retention.resume()) { () async throws in
        #expect(left(bench) == ["1", "2"])
        // A setting that was changed is judged at once.
        var new = settings.current
        new.record.keepPrints = Self.keep
        _ = settings.replace(with: new)
        bench.clock.advance(by: Self.keep)
        retention.look()
        #expect(try await Patience.sees { try alone.listing().isEmpty })
        #expect(try await Patience.sees { bench.index.expiry(of: ListID(2)) != nil })
        // The time goes on while the retention is between two rests.
        func sees(_ holds: () -> Bool) async throws -> Bool {
          try await Patience.sees {
            bench.clock.advance(by: .seconds(60))
            return holds()
          }
        }
        bench.clock.advance(by: Self.keep)
        #expect(try await sees { left(bench) == ["1"] })
        #expect(bench.index.expiry(of: ListID(1)) == nil && prints(bench) == ["barn"])
        board.set(nil, for: .ledger)
        #expect(try await sees { prints(bench) == [] && left(bench) == [] })
      }
    }
  }

  @Test func `prints on a disk that is away wait, which is told, and expire when it is back`()
    async throws
  {
    try await DiskBench.use { bench in
      let board = board(bench)
      let retention = place(bench, board)
      try await develop(bench, 1)
      bench.clock.advance(by: Self.keep)
      bench.disk.fail(.broken(.rename))
      try await running(bench, retention) { () async throws in
        #expect(prints(bench) == ["barn"] && bench.index.expiry(of: ListID(1)) == nil)
        #expect(board.health.lines.first?.hasPrefix("old prints are not removed: ") == true)
        bench.disk.fail(nil)
        bench.clock.advance(by: .seconds(60))
        #expect(try await Patience.sees { self.prints(bench) == [] })
        #expect(try await Patience.sees { board.health.lines.isEmpty })
      }
    }
  }

  @Test(arguments: [PrintsStanding.missing, .foreign, .unreadable, .other])
  func `prints that are not there when they expire are told once, if the list had any`(
    standing: PrintsStanding
  ) async throws {
    try await DiskBench.use { bench in
      let half = Self.keep / 2
      try await develop(bench, 1)
      try bench.index.replace(ListID(1), ListLabel(SampleList.marked().about()))
      try await bench.add(2, SampleList { $0.terms.prints = FileName(literal: "empty") })
      try await bench.recorder.record([.cancelled(ListID(2))])
      try ListMarks.noteReturn(in: bench.folder(of: ListID(2)))
      let prints = bench.folders.prints
      try prints.rename(Self.barn, to: prints, as: Self.away, replacing: false)
      if standing == .other { try prints.put(Self.barn, "a file of a user") }
      if standing == .foreign { try bench.leaveStranger() }
      if standing == .unreadable { try bench.spoilMark() }
      let board = board(bench)
      let retention = retention(bench, LiveSettings(settings(prints: half)), board, grace: .none)
      bench.clock.advance(by: half)
      try await running(bench, retention) { () async throws in
        // What may come back is not noted as gone.
        #expect(bench.index.expiry(of: ListID(1)) == (standing.isLeft ? nil : 0))
        #expect(bench.index.expiry(of: ListID(2)) == 0 && board.health.lines.isEmpty)
        retention.look()
        #expect(await bench.clock.isAwaited())
        bench.clock.advance(by: half)
        #expect(try await Patience.sees { left(bench) == [] })
      }
      let told = bench.told.all().filter { $0.contains("Removed no prints") }
      let end = "\(try #require(standing.absence))."
      #expect(try prints.has(Self.barn) == (standing != .missing))
      #expect(told.count == 1 && told.first?.contains("of list 1: ") == true, "\(told)")
      #expect(told.first?.hasSuffix("/barn, its folder of prints, \(end)") == true, "\(told)")
    }
  }

  @Test func `prints that another list's stood in the place of expire when they are back`()
    async throws
  {
    try await DiskBench.use { bench in
      let half = Self.keep / 2
      let retention = retention(bench, prints: half)
      try await develop(bench, 1)
      try bench.index.replace(ListID(1), ListLabel(SampleList.marked().about()))
      let prints = bench.folders.prints
      try prints.rename(Self.barn, to: prints, as: Self.away, replacing: false)
      try bench.leaveStranger()
      bench.clock.advance(by: half)
      try await running(bench, retention) { () async throws in
        try prints.removeTree(Self.barn)
        try prints.rename(Self.away, to: prints, as: Self.barn, replacing: false)
        retention.look()
        #expect(try await Patience.sees { self.prints(bench) == [] })
        #expect(bench.index.expiry(of: ListID(1)) ?? 0 > 0)
      }
    }
  }
}
