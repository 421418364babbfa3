// SPDX-License-Identifier: Apache-2.0
// When the next group of records begins: at once after a pause and for one caller, at its pace where
// many come.

import Record
import Support
import Testing
import Vocabulary

struct GroupPaceTests {
  static let interval = GroupPace.interval

  /// A recorder with callers that are always there, and its time.
  private struct Day {
    var pace = GroupPace()
    var now: Duration = .seconds(1000)
    private(set) var groups = 0
    private(set) var rests = 0

    /// The next group begins when it has rested, and takes a while.
    mutating func group(of requests: Int, taking time: Duration = .microseconds(50)) {
      let rest = pace.rest(at: now)
      if rest > .zero { rests += 1 }
      now += rest
      pace.begin(requests, at: now)
      groups += 1
      now += time
    }
  }

  @Test func `after a pause nobody rests, until many groups have followed each other`() {
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

  @Test func `groups that take longer than the interval by themselves never rest`() {
    var day = Day()
    for _ in 0..<1000 { day.group(of: 30, taking: Self.interval) }
    #expect(day.rests == 0)
  }

  /// Each rest is one that none came in.
  @Test(arguments: [1, GroupPace.many - 1])
  func `callers whom resting brings nobody hardly ever rest`(requests: Int) {
    var day = Day()
    for _ in 0..<10_000 { day.group(of: requests) }
    #expect(day.rests > 0 && day.rests <= 5 + 10_000 / GroupPace.farAhead)
  }

  @Test func `those who are found to be many after all rest as soon as ever`() {
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

  @Test func `a small group now and then does not end the resting, several in a row do`() {
    var day = Day()
    while day.rests == 0 { day.group(of: 30) }
    func rests(_ sizes: [Int]) -> Bool {
      for size in sizes { day.group(of: size) }
      return day.pace.rest(at: day.now) > .zero
    }
    for _ in 0..<20 { #expect(rests([30, 1, 1, 1])) }
    #expect(!rests([30, 1, 1, 1, 1]))
  }

  @Test func `a group that began in a hurry tells nothing about resting`() {
    var day = Day()
    while day.rests == 0 { day.group(of: 30) }
    for _ in 0..<100 { day.pace.begin(1, at: day.now) }
    #expect(day.pace.rest(at: day.now) > .zero)
    day.group(of: 30)
    #expect(day.pace.rest(at: day.now) > .zero)
  }

  /// However groups come, in a hurry or not, on a clock that may stand still.
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
