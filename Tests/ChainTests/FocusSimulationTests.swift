// SPDX-License-Identifier: Apache-2.0
// Random viewers over random lists: every photo ends, no byte is sent twice, and leases end. Replays from its
// seed; no thread, no clock.

import Support
import Testing

@testable import Chain

@Suite struct FocusSimulationTests {
  @Test(arguments: 1...30)
  func `no photo starves, no byte is downloaded twice, and every lease ends`(seed: Int)
    async throws
  {
    let world = try await computing {
      var world = FocusWorld(seed: UInt64(seed))
      world.run()
      return world
    }
    #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
    #expect(world.left == 0, "\(world.story)")
    #expect(world.admission.inFlight == 0 && world.admission.focus.isEmpty)
  }

  @Test func `photos do make room in the simulation, and it replays from its seed`() async throws {
    let moved = try await computing {
      (1...8).map { seed in
        var world = FocusWorld(seed: UInt64(seed))
        world.run()
        return (world.moved, world.given)
      }
    }
    #expect(moved.reduce(0) { $0 + $1.0 } > 30)
    var again = FocusWorld(seed: 7)
    again.run()
    #expect(moved[6] == (again.moved, again.given))
  }
}
