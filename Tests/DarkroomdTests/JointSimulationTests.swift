// SPDX-License-Identifier: Apache-2.0
// Seeded worlds in which the parts that meet at a list are stepped together. `WORLDS` sets their number; a failure
// prints the seed, which `SEED` replays.

import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct JointSimulationTests {
  private static let steps = 400

  /// Two streams of seeds, so that both processors have work.
  @Test(arguments: UInt64(0)..<2)
  func
    `nothing of a list that is over begins, no photo is asked for again, and no folder is shared`(
      stream: UInt64
    ) async throws
  {
    try await computing { live(stream: stream) }
  }

  private func live(stream: UInt64) {
    let labels = JointLabels()
    if let seed = LongForm.number("SEED") {
      if stream == 0 { _ = live(seed, labels) }
      return
    }
    let worlds = LongForm.number("WORLDS") ?? 100_000
    var (asks, ends, removals, crashes) = (0, 0, 0, 0)
    for seed in 0..<worlds where seed % 2 == stream {
      let book = live(seed, labels)
      if !book.violations.isEmpty { return }
      asks += book.asks
      ends += book.ends
      removals += book.removals
      crashes += book.crashes
    }
    print("\(stream): \(asks) requests, \(ends) cancels, \(removals) removals, \(crashes) crashes")
    #expect(asks > 0 && ends > 0 && removals > 0 && crashes > 0)
  }

  @Test func `a world replays from its seed`() async throws {
    let traces = try await computing {
      let labels = JointLabels()
      return [3, 3, 4].map { live($0, labels).trace }
    }
    #expect(traces[0] == traces[1] && traces[0] != traces[2])
  }

  private func live(_ seed: UInt64, _ labels: JointLabels) -> JointBook {
    var world = JointWorld(seed: seed, labels: labels)
    world.run(steps: Self.steps)
    #expect(world.violations.isEmpty, "SEED=\(seed): \(world.violations)")
    return world.book
  }
}
