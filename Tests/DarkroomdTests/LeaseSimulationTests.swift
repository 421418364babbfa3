// SPDX-License-Identifier: Apache-2.0
// Clusters in simulated time. `CLUSTERS` sets the number of runs, `NODES` that of nodes in the largest one; a failure
// names the seed, which `SEED` replays.

import Cluster
import Support
import Testing
import Vocabulary

@Suite struct LeaseSimulationTests {
  private static let seeds: ClosedRange<UInt64> =
    LongForm.number("SEED").map { $0...$0 } ?? 1...(LongForm.number("CLUSTERS") ?? 60)

  @Test
  func `whatever breaks, no share has two nodes, what is told is recorded, and every list ends`()
    async throws
  {
    try await computing {
      var counts: [String: Int] = [:]
      for seed in Self.seeds {
        var world = LeaseWorld(
          seed: seed,
          LeaseWorld.Plan(nodes: 2 + Int(seed % 9), lists: 2, photos: 400, window: 12))
        world.play()
        #expect(world.violations.isEmpty, "SEED=\(seed): \(world.violations)")
        counts.merge(world.counts) { $0 + $1 }
      }
      print("simulated clusters: \(Self.seeds.count): \(counts.sorted { $0.key < $1.key })")
      if Self.seeds.count > 1 {
        for what in [
          "breaks", "freezes", "kills", "reports", "answers about seats",
          "shares that cannot be made", "turns",
        ] {
          #expect(counts[what, default: 0] > Self.seeds.count, "\(what)")
        }
      }
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `servers that are dead for one user keep the lists of no other user waiting`(
    _ seed: UInt64
  ) async throws {
    try await computing {
      var world = LeaseWorld(
        seed: seed,
        LeaseWorld.Plan(
          nodes: 3, lists: 3, photos: 300, dead: .seconds(2000), end: .seconds(4000)))
      world.play()
      #expect(world.violations.isEmpty, "\(world.violations)")
      #expect(world.counts["servers that come back"] == 1)
    }
  }

  @Test(arguments: [Duration.zero, .seconds(120)])
  func `a storm of nodes that ask for one list at once gives each photo once`(_ calm: Duration)
    async throws
  {
    try await computing {
      let nodes = Int(LongForm.number("NODES") ?? 100)
      let plan = LeaseWorld.Plan(
        nodes: nodes, lists: 1, photos: UInt32(40 * nodes), connections: 2 * nodes, harms: 200,
        calm: calm)
      var world = LeaseWorld(seed: LongForm.number("SEED") ?? 1, plan)
      world.play()
      #expect(world.violations.isEmpty, "\(world.violations)")
      // A node that has enough of one user's list is given photos of another one. Which user that is, is chance, so the
      // lead grows like a random walk, with the square root of the nodes: eight shares for a hundred of them.
      let shares = 8 * plan.chunk
      #expect(
        100 * world.figures.lead * world.figures.lead <= shares * shares * max(nodes, 100),
        "users are given shares in turn")
      #expect(world.figures.storm <= 3 * nodes, "a node makes one call after the other")
      print(
        "simulated nodes: \(nodes), harm for \(calm.components.seconds) s: "
          + "\(world.counts.sorted { $0.key < $1.key }); \(world.figures)")
    }
  }
}
