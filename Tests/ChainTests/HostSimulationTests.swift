// SPDX-License-Identifier: Apache-2.0
// Random lists over servers that fail, hang back, ask to be left alone and recover, with people who
// pause, cancel and hurry at any time. Replays from its seed; no thread, no clock.

import Support
import Testing
import Vocabulary

@testable import Chain

@Suite struct HostSimulationTests {
  @Test(arguments: 1...60)
  func `every photo ends, no server gets more than it may, and nobody looks for nothing`(
    seed: Int
  ) {
    var world = HostWorld(seed: UInt64(seed))
    world.run()
    #expect(world.left == 0, "photos that never ended")
    #expect(world.excess == 0, "more at a server than its window")
    #expect(world.admission.inFlight == 0 && world.admission.doneLists.isEmpty)
    #expect(world.idleLooks == 0, "woken for nothing: \(world.idleLooks)")
    let work = world.given + world.asked + 60 * world.events
    #expect(world.admission.looks < 6 * work, "\(world.admission.looks) looks for \(work)")
  }

  @Test func `a long list of a dead server costs little and ends`() {
    var world = HostWorld(seed: 1, lists: [(100_000, ["dead"])], meddling: false)
    world.run()
    #expect(world.left == 0)
    #expect(world.attempts < 200, "\(world.attempts) attempts")
    #expect(world.now < .seconds(2 * 3600), "\(world.now)")
  }

  @Test(arguments: 1...20)
  func `a few photos that always fail on a server that is well cost no other its print`(seed: Int) {
    var world = HostWorld(seed: UInt64(seed), lists: [(1000, ["flawed"])], meddling: false)
    world.run()
    #expect(world.left == 0 && world.unjust == 0, "\(world.unjust) given up")
    #expect(world.now < .seconds(3600), "\(world.now)")
  }

  @Test func `three photos of a dead server end in minutes`() {
    for seed in 1...20 {
      var world = HostWorld(seed: UInt64(seed), lists: [(3, ["dead"])], meddling: false)
      world.run()
      #expect(world.left == 0 && world.now < .seconds(900), "\(world.now)")
    }
  }

  @Test func `a long list of dead and slow servers does not keep another from its server`() {
    var world = HostWorld(
      seed: 5, lists: [(100_000, ["dead", "slow"]), (3, ["well"])], meddling: false)
    world.run(until: ListID(2))
    #expect(world.now < .seconds(1), "\(world.now)")
  }
}
