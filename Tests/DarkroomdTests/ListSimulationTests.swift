// SPDX-License-Identifier: Apache-2.0
// Seeded histories of many lists: the keeper, the ledger and the admission, with any event at any step.
// `LIVES` sets the number of lists; a failure prints the seed, which `SEED` replays.

import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListSimulationTests {
  private static let listsEach = 50

  /// Four streams of seeds, so that both processors have work.
  @Test(arguments: UInt64(0)..<4)
  func `every list ends once, every question is answered, and nothing runs after a cancel`(
    stream: UInt64
  ) async throws {
    try await computing { live(stream: stream) }
  }

  private func live(stream: UInt64) {
    if let seed = LongForm.number("SEED") {
      if stream == 0 { live(seed) }
      return
    }
    let lives = LongForm.number("LIVES") ?? 100_000
    let histories = lives / UInt64(Self.listsEach)
    var (crashes, stops) = (0, 0)
    var answers: [ListLife.Ask: Int] = [:]
    for history in 0..<histories where history % 4 == stream {
      let world = live(history)
      crashes += world.crashes
      stops += world.stops
      answers.merge(world.witness.granted, uniquingKeysWith: +)
      if !world.violations.isEmpty { return }
    }
    print(
      "\(stream): \(histories / 4) histories, \(crashes) crashes, \(stops) stops, granted: \(answers)"
    )
    #expect(crashes > 0 && stops > 0 && answers.count == 5)
  }

  @Test func `a history replays from its seed`() async throws {
    let traces = try await computing { (0..<20).map { _ in live(3).trace } }
    #expect(Set(traces).count == 1)
    #expect(try await computing { live(4).trace } != traces[0])
  }

  @discardableResult
  private func live(_ seed: UInt64) -> ListWorld {
    var world = ListWorld(seed: seed)
    world.run(lists: Self.listsEach)
    #expect(world.violations.isEmpty, "SEED=\(seed): \(world.violations)")
    return world
  }
}
