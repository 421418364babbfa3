// SPDX-License-Identifier: Apache-2.0
// The removal of lists that ended long ago.

import Files
import Record
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListRetentionTests {
  private static let keep = Duration.seconds(3600)

  private func retention(_ bench: DiskBench) -> ListRetention {
    var settings = Settings()
    settings.record.keepLists = Self.keep
    return ListRetention(
      bench.recorder, bench.index, lists: bench.folders.lists, settings: LiveSettings(settings),
      clock: bench.clock)
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
  private func left(_ bench: DiskBench) -> [String]? { try? bench.folders.lists.listing() }

  /// Runs until the retention waits for its next look, acts, and stops it.
  private func running(
    _ bench: DiskBench, _ retention: ListRetention, _ act: () async throws -> Void
  ) async throws {
    let run = Task { await retention.run() }
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
      try await end(bench, 1)
      bench.clock.advance(by: .seconds(1800))
      try await end(bench, 2)
      try await running(bench, retention(bench)) {
        #expect(left(bench) == ["1", "2"])
        bench.clock.advance(by: .seconds(1800))
        #expect(await bench.clock.isAwaited())
        #expect(left(bench) == ["2"])
        #expect(bench.state(ListID(1)) == nil && bench.index[ListID(1)] == nil)
        #expect(bench.state(ListID(2)) == .cancelled && bench.index[ListID(2)] != nil)
      }
    }
  }

  @Test func `a list stays while its copy is missing from done`() async throws {
    try await DiskBench.use { bench in
      try await end(bench, 1, isReturned: false)
      bench.clock.advance(by: Self.keep)
      try await end(bench, 2)
      let retention = retention(bench)
      try await running(bench, retention) {
        #expect(left(bench) == ["1", "2"])
        try ListMarks.noteReturn(in: bench.folder(of: ListID(1)))
        retention.look()
        #expect(try await Patience.sees { left(bench) == ["2"] })
      }
    }
  }

  @Test func `a list stays while an open list may take over its prints`() async throws {
    try await DiskBench.use { bench in
      try await end(bench, 1)
      try await end(bench, 2, revises: 1)
      try await bench.add(3, .revising(2))
      bench.clock.advance(by: Self.keep)
      let retention = retention(bench)
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
      try await bench.add(1)
      try await end(bench, 2)
      bench.clock.advance(by: Self.keep + .seconds(1))
      try await end(bench, 3)
      try await running(bench, retention(bench)) { #expect(left(bench) == ["1", "3"]) }
    }
  }

  @Test func `a removal that fails is tried again a minute later`() async throws {
    try await DiskBench.use { bench in
      try await end(bench, 1)
      bench.clock.advance(by: Self.keep)
      bench.disk.fail(.broken(.rename))
      try await running(bench, retention(bench)) {
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
      retention(bench).forgetRemoved()
      #expect(left(bench) == ["3"] && bench.state(ListID(2)) == .cancelled)
      bench.clock.advance(by: Self.keep)
      retention(bench).forgetRemoved()
      #expect(bench.state(ListID(1)) == nil && bench.state(ListID(2)) == nil)
      #expect(bench.state(ListID(3)) == .cancelled)
    }
  }

  @Test func `a returned list that the record has forgotten is removed, too`() async throws {
    try await DiskBench.use { bench in
      let folder = try SampleList().write(ListID(7), in: bench.folders.lists)
      try ListMarks.noteReturn(in: folder)
      try SampleList().write(ListID(8), in: bench.folders.lists)
      try await end(bench, 9)
      try await running(bench, retention(bench)) { #expect(left(bench) == ["8", "9"]) }
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
