// SPDX-License-Identifier: Apache-2.0
// Removals that an earlier run began, at a start at which the disk does not tell which.

import Linux
import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListRemoverTests {
  private static let subject = Health.Subject.removals

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
        bench.recorder, bench.index, bench.lists, bench.narrator, bench.health, clock: bench.clock)
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
