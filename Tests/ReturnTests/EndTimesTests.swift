// SPDX-License-Identifier: Apache-2.0
// Ends of lists that a clock may have told, and since when the others count.

import Return
import Testing
import Vocabulary

@Suite struct EndTimesTests {
  private static let hour: UInt64 = 3_600_000
  private static let now = Release.date + 1000 * hour

  @Test(
    arguments: [
      (now, now, true), (now - hour, now - 2 * hour, true), (Release.date, 0, true),
      // Before this version was made.
      (0, 0, false), (86_400_000, 0, false), (Release.date - 1, 0, false),
      // Before it was accepted, and a clock that was corrected meanwhile.
      (now - 10 * hour, now - 5 * hour, false), (now - 10 * hour, now - 9 * hour, true),
      // Later than now, and an acceptance that is.
      (now + hour, 0, true), (now + hour + 1, 0, false), (now - hour, now + 5 * hour, true),
      (.max, .max, false), (now, .max, true),
    ] as [(UInt64, UInt64, Bool)])
  func `an end is possible after this version, after the acceptance, and before now`(
    ended: UInt64, accepted: UInt64, isPossible: Bool
  ) {
    #expect(EndTimes.isPossible(ended, accepted: accepted, now: Self.now) == isPossible)
  }

  @Test func `a list whose end cannot be counts since it was noticed, whatever the clock shows`() {
    var times = EndTimes()
    let ends = [
      EndTimes.End(ListID(1), accepted: 1000, ended: 2000),
      EndTimes.End(ListID(2), accepted: Self.now, ended: Self.now),
    ]
    func since(_ now: UInt64, _ uptime: Int64) -> [UInt64] {
      times.since(ends, now: now, uptime: .seconds(uptime)).map(\.since)
    }
    // In 1970, both ends cannot be.
    #expect(since(5000, 100) == [5000, 5000])
    #expect(since(65_000, 160) == [5000, 5000])
    #expect(since(Self.now, 160) == [Self.now - 60_000, Self.now])
    #expect(since(Self.now + Self.hour, 3760) == [Self.now - 60_000, Self.now])
    let corrected = times.corrected(now: Self.now + 2 * Self.hour, uptime: .seconds(7360))
    #expect(corrected == [ListID(1): Self.now - 60_000])
    #expect(times.since([], now: 0, uptime: .zero).isEmpty)
    #expect(times.corrected(now: 0, uptime: .zero).isEmpty)
  }

  @Test func `the largest times do no harm`() {
    var times = EndTimes()
    let ends = [EndTimes.End(ListID(1), accepted: .max, ended: .max)]
    #expect(times.since(ends, now: 0, uptime: .seconds(Int64.max / 1000)).map(\.since) == [0])
    #expect(times.since(ends, now: 0, uptime: .zero).map(\.since) == [0])
    #expect(times.since(ends, now: .max, uptime: .zero).map(\.since) == [.max])
  }
}
