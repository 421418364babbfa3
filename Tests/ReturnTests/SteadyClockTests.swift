// SPDX-License-Identifier: Apache-2.0
// When the time of day is believed.

import Return
import Testing

@Suite struct SteadyClockTests {
  private static let start: UInt64 = 1_900_000_000_000

  /// A clock that began at an uptime of 100 s, and the wall clock and the uptime some seconds later.
  private func clock(
    after looks: [(wall: Int64, up: Int64)]
  ) -> (clock: SteadyClock, up: Duration) {
    var clock = SteadyClock(wall: Self.start, uptime: .seconds(100))
    var up = Duration.seconds(100)
    for look in looks {
      up = .seconds(100 + look.up)
      clock.note(wall: Self.start.advanced(by: Int(look.wall) * 1000), uptime: up)
    }
    return (clock, up)
  }

  @Test(
    arguments: [
      // At the start.
      ([], 3600),
      // Both have advanced together, also through a sleep of the machine.
      ([(1800, 1800)], 1800), ([(3600, 3600)], 0), ([(90000, 90000)], 0),
      // A jump ahead, and one back, each as the clock was believed.
      ([(3600, 3600), (90_000_000, 3660)], 3600), ([(3600, 3600), (-90_000_000, 3660)], 3600),
      // The wall clock stands.
      ([(0, 3600)], 3600),
      // An hour after the jump.
      ([(90_000_000, 60), (90_003_600, 3660)], 0),
      // The correction of a jump is a jump.
      ([(90_000_000, 60), (3000, 3000)], 3600),
      // A small correction, and many that add up.
      ([(1805, 1800), (3609, 3600)], 0), ([(1805, 1800), (3612, 3600)], 3600),
    ] as [([(wall: Int64, up: Int64)], Int64)])
  func `a clock is believed an hour after the start and after each jump`(
    looks: [(wall: Int64, up: Int64)], wait: Int64
  ) {
    let (clock, up) = clock(after: looks)
    #expect(clock.wait(at: up) == .seconds(wait))
  }

  @Test func `a clock is proven for an hour, and only a test can say otherwise`() {
    #expect(ExpiryGrace.full == ExpiryGrace(proof: .seconds(3600), rest: .seconds(86_400)))
    let clock = SteadyClock(wall: Self.start, uptime: .seconds(100), proof: .zero)
    #expect(clock.wait(at: .seconds(100)) == .zero)
  }

  @Test func `a clock that is behind this version is not believed, however long it runs`() {
    var clock = SteadyClock(wall: 86_400_000, uptime: .zero)
    clock.note(wall: 5 * 86_400_000, uptime: .seconds(4 * 86_400))
    #expect(clock.wait(at: .seconds(4 * 86_400)) == .seconds(3600))
    clock.note(wall: Self.start, uptime: .seconds(4 * 86_400))
    #expect(clock.wait(at: .seconds(4 * 86_400 + 3600)) == .zero)
  }

  @Test func `the largest times do no harm`() {
    var clock = SteadyClock(wall: .max, uptime: .zero)
    clock.note(wall: 0, uptime: .seconds(Int64.max / 1000))
    clock.note(wall: .max, uptime: .zero)
    #expect(clock.wait(at: .zero) == .seconds(3600))
  }
}
