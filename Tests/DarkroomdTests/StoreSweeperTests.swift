// SPDX-License-Identifier: Apache-2.0
// The removal of prints from a store, which may be the store of another cluster.

import Cluster
import Linux
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct StoreSweeperTests {
  private static let leaseTime = Duration.seconds(60)
  private static let print = "prints/barn/Photo.jpg"

  private func folders(_ bench: DiskBench, _ store: MemoryStore) throws -> StateFolders {
    let folders = bench.folders
    return try StateFolders(
      state: folders.state, prints: folders.prints, done: folders.done, failed: folders.failed,
      store: store)
  }

  /// The sweeper has looked, and rests.
  private func hasLooked(_ bench: DiskBench) async {
    #expect(await bench.clock.isAwaited())
    bench.clock.advance(by: Self.leaseTime / 2)
    #expect(await bench.clock.isAwaited())
  }

  @Test func `nothing is removed from a store before the ledger was entered, which knows its mark`()
    async throws
  {
    try await DiskBench.use { bench in
      let store = MemoryStore()
      let folders = try folders(bench, store)
      let board = HealthBoard(bench.told.reporter, inbox: "/inbox", changes: bench.changes)
      try folders.unwanted?.add(ListID(1), FileName(literal: "barn"))
      store.put(Self.print, "of a list of another cluster")
      let sweeper = StoreSweeper(
        folders: folders, index: bench.index, narrator: bench.narrator(), health: board,
        clock: bench.clock, leaseTime: Self.leaseTime)
      let run = Task { await sweeper.run() }
      await hasLooked(bench)
      for failure in [
        Failure(.machine, code: "ledger.lost", reason: "it is silent"), .otherBlobs, .foreignBlobs,
      ] {
        board.set(failure, for: .ledger)
        await hasLooked(bench)
      }
      let notes = try folders.unwanted?.all().map(\.list)
      #expect(store.keys == [Self.print] && notes == [ListID(1)])
      board.set(nil, for: .ledger)
      await hasLooked(bench)
      #expect(store.keys.isEmpty)
      // A silence mends nothing and spoils nothing: the store is the same one.
      store.put(Self.print, "late")
      board.set(Failure(.machine, code: "ledger.lost", reason: "it is silent"), for: .ledger)
      bench.clock.advance(by: .seconds(3600))
      #expect(try await Patience.sees { store.keys.isEmpty })
      #expect(try await Patience.sees { try folders.unwanted?.all().isEmpty == true })
      run.cancel()
      await run.value
    }
  }
}
