// SPDX-License-Identifier: Apache-2.0
// The start of the next group of records: at once after a pause and for a single caller, at a pace
// if there are many.

import Record
import Support
import Testing
import Vocabulary

struct GroupPaceTests {
  static let interval = GroupPace.interval

  /// A recorder whose callers never pause, and its clock.
  private struct Day {
    var pace = GroupPace()
    var now: Duration = .seconds(1000)
    private(set) var groups = 0
    private(set) var rests = 0

    /// Begins the next group after its rest, and lets it take some time.
    mutating func group(of requests: Int, taking time: Duration = .microseconds(50)) {
      let rest = pace.rest(at: now)
      if rest > .zero { rests += 1 }
      now += rest
      pace.begin(requests, at: now)
      groups += 1
      now += time
    }
  }

  @Test func `after a pause no group rests until many have followed each other`() {
    var day = Day()
    for _ in 0..<3 {
      for _ in 0..<GroupPace.ahead { day.group(of: 30) }
      #expect(day.rests == 0)
      day.now += .seconds(1)
    }
  }

  @Test func `many callers share groups that begin an interval apart`() {
    var day = Day()
    while day.rests == 0 { day.group(of: 30) }
    let (start, groups) = (day.now, day.groups)
    while day.now < start + .seconds(1) { day.group(of: 30) }
    let most = Int(.seconds(1) / GroupPace.interval)
    #expect(day.groups - groups <= most + 1 && day.rests >= most - 1)
  }

  @Test func `groups that take as long as the interval never rest`() {
    var day = Day()
    for _ in 0..<1000 { day.group(of: 30, taking: Self.interval) }
    #expect(day.rests == 0)
  }

  /// No request arrives during a rest.
  @Test(arguments: [1, GroupPace.many - 1])
  func `callers hardly ever rest if resting gathers no requests`(requests: Int) {
    var day = Day()
    for _ in 0..<10_000 { day.group(of: requests) }
    #expect(day.rests > 0 && day.rests <= 5 + 10_000 / GroupPace.farAhead)
  }

  @Test func `callers that become many again rest as soon as before`() {
    var day = Day()
    for _ in 0..<5000 { day.group(of: 1) }
    let alone = day.rests
    while day.rests == alone { day.group(of: 30) }
    for _ in 0..<100 { day.group(of: 30) }
    #expect(day.rests > alone + 90)
    day.now += .seconds(1)
    let before = day.rests
    for _ in 0..<(GroupPace.ahead + 3) { day.group(of: 30) }
    #expect(day.rests > before && day.rests <= before + 3)
  }

  @Test func `an occasional small group does not end the resting, several in a row do`() {
    var day = Day()
    while day.rests == 0 { day.group(of: 30) }
    func rests(_ sizes: [Int]) -> Bool {
      for size in sizes { day.group(of: size) }
      return day.pace.rest(at: day.now) > .zero
    }
    for _ in 0..<20 { #expect(rests([30, 1, 1, 1])) }
    #expect(!rests([30, 1, 1, 1, 1]))
  }

  @Test func `a group that began without its rest does not count`() {
    var day = Day()
    while day.rests == 0 { day.group(of: 30) }
    for _ in 0..<100 { day.pace.begin(1, at: day.now) }
    #expect(day.pace.rest(at: day.now) > .zero)
    day.group(of: 30)
    #expect(day.pace.rest(at: day.now) > .zero)
  }

  /// With groups at any distance, with or without a rest, on a clock that may stand still.
  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `no rest is longer than the interval`(seed: UInt64) {
    var random = SimulatedRandom(seed: seed)
    var pace = GroupPace()
    var now = Duration.zero
    for _ in 0..<1000 {
      if random.oneIn(2) { now += .microseconds(random.number(below: 3000)) }
      if random.oneIn(3) { now += pace.rest(at: now) }
      pace.begin(1 + random.number(below: 40), at: now)
      #expect(pace.rest(at: now) <= Self.interval)
    }
  }
}
