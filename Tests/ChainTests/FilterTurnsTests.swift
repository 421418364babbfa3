// SPDX-License-Identifier: Apache-2.0
// Places at the filter: users take turns, and keep a place for a turn; urgent classes go first; none starves.

import Support
import Testing
import Vocabulary

@testable import Chain

@Suite struct FilterTurnsTests {
  private typealias Turns = FilterTurns<Int>

  private func share(_ owner: UInt32, _ c: ServiceClass = .default) -> FilterClaim {
    FilterClaim(owner: owner, serviceClass: c, rank: c)
  }

  private func focused(_ owner: UInt32, _ c: ServiceClass = .default) -> FilterClaim {
    FilterClaim(owner: owner, serviceClass: .userInteractive, rank: c)
  }

  /// Each photo that gets the only place is filtered at once.
  private func filtered(_ turns: inout Turns, _ count: Int, now: Duration = .zero) -> [Int] {
    (0..<count).compactMap { _ in
      let waiter = turns.next(now: now)
      if let waiter { turns.leave(waiter) }
      return waiter
    }
  }

  /// Takes every free place.
  private func take(_ turns: inout Turns, now: Duration = .zero) -> [Int] {
    var taken: [Int] = []
    while let waiter = turns.next(now: now) { taken.append(waiter) }
    return taken
  }

  @Test func `as many have places as the stage is wide`() {
    var turns = Turns(width: 2)
    for waiter in 1...5 { turns.wait(waiter, share(1000)) }
    #expect(take(&turns) == [1, 2])
    turns.leave(2)
    #expect(take(&turns) == [3])
    turns.width = 4
    #expect(take(&turns) == [4, 5])
    turns.width = 1
    for waiter in [1, 3, 4] { turns.leave(waiter) }
    turns.wait(6, share(1000))
    #expect(take(&turns) == [], "5 has the only place that is left")
    turns.leave(5)
    #expect(take(&turns) == [6])
  }

  @Test func `a place stays with its user until the turn ends`() {
    var turns = Turns(width: 1, turn: .milliseconds(100))
    for waiter in 0..<6 { turns.wait(waiter, share(waiter % 2 == 0 ? 1000 : 2000)) }
    var order: [Int] = []
    for ms in [0, 40, 90, 110, 150, 250] {
      let taken = take(&turns, now: .milliseconds(ms))
      order += taken
      for waiter in taken { turns.leave(waiter) }
    }
    #expect(order == [0, 2, 4, 1, 3, 5])
  }

  @Test func `the next user begins when the one whose turn it is has nothing waiting`() {
    var turns = Turns(width: 1)
    turns.wait(1, share(1000))
    turns.wait(2, share(2000))
    #expect(take(&turns) == [1])
    turns.leave(1)
    #expect(take(&turns) == [2])
    turns.wait(3, share(1000))
    turns.wait(4, share(2000))
    turns.leave(2)
    #expect(take(&turns) == [4], "the turn of the second user runs")
  }

  @Test func `two users get a place each, at once`() {
    var turns = Turns(width: 2)
    for waiter in 1...4 { turns.wait(waiter, share(1000)) }
    #expect(take(&turns) == [1, 2])
    for waiter in 5...7 { turns.wait(waiter, share(2000)) }
    turns.leave(1)
    #expect(take(&turns) == [5], "the user with two places gives one up")
    turns.leave(2)
    #expect(take(&turns) == [3], "and keeps the other")
    turns.leave(5)
    #expect(take(&turns) == [6])
  }

  @Test func `an urgent class ends a turn`() {
    var turns = Turns(width: 1)
    turns.wait(1, share(1000, .background))
    turns.wait(2, share(1000, .background))
    #expect(take(&turns) == [1])
    turns.wait(3, share(2000, .userInteractive))
    turns.leave(1)
    #expect(take(&turns) == [3])
    turns.leave(3)
    #expect(take(&turns) == [2])
  }

  @Test func `a user without a place goes before one with places, whatever their classes`() {
    var turns = Turns(width: 2)
    for waiter in 1...9 { turns.wait(waiter, share(1000, .userInteractive)) }
    #expect(take(&turns) == [1, 2])
    for waiter in 10...12 { turns.wait(waiter, share(2000, .background)) }
    turns.leave(1)
    #expect(take(&turns) == [10])
    turns.leave(10)
    #expect(take(&turns) == [11], "the other user has a place")
    turns.leave(2)
    #expect(take(&turns) == [3], "and keeps it")
  }

  @Test func `an urgent photo of a user without places gets the next place`() {
    var turns = Turns(width: 1, turn: .zero)
    for waiter in 1...9 { turns.wait(waiter, share(UInt32(waiter))) }
    #expect(filtered(&turns, 2) == [1, 2])
    turns.wait(10, share(2000, .userInitiated))
    #expect(filtered(&turns, 2) == [10, 3])
  }

  @Test func `where users have one place, one turn in eight is for the less urgent classes`() {
    var turns = Turns(width: 1, turn: .zero)
    for waiter in 0..<100 { turns.wait(waiter, share(1000, .userInteractive)) }
    for waiter in 100..<200 { turns.wait(waiter, share(2000)) }
    for waiter in 200..<300 { turns.wait(waiter, share(3000, .background)) }
    let order = filtered(&turns, 64)
    #expect(order.enumerated().allSatisfy { ($0.offset % 8 == 7) == ($0.element >= 100) })
    #expect(order.filter { $0 >= 100 } == [200, 100, 201, 101, 202, 102, 203, 103])
  }

  @Test func `a turn of a less urgent class lasts as long as one of an urgent class`() {
    var turns = Turns(width: 1, turn: .milliseconds(100))
    for waiter in 0..<100 { turns.wait(waiter, share(1000, .userInteractive)) }
    for waiter in 100..<200 { turns.wait(waiter, share(2000)) }
    let order = (0..<80).flatMap { filtered(&turns, 1, now: .milliseconds(10 * $0)) }
    #expect(order == Array(0..<70) + Array(100..<110))
  }

  @Test func `a focus counts among the photos of its user alone`() {
    var turns = Turns(width: 1, turn: .zero)
    for waiter in 0..<20 { turns.wait(waiter, focused(1000)) }
    for waiter in 20..<40 { turns.wait(waiter, share(1000)) }
    for waiter in 40..<60 { turns.wait(waiter, share(2000)) }
    let order = filtered(&turns, 20)
    #expect(order.enumerated().allSatisfy { ($0.offset % 2 == 1) == ($0.element >= 40) })
    #expect(order.filter { $0 < 40 } == [0, 1, 2, 3, 4, 5, 6, 20, 7, 8])
  }

  @Test func `of one user the urgent classes go first, but for one photo in eight`() {
    var turns = Turns(width: 1)
    for waiter in 0..<40 { turns.wait(waiter, share(1000, .background)) }
    for waiter in 40..<80 { turns.wait(waiter, share(1000, .userInteractive)) }
    #expect(filtered(&turns, 17) == Array(40..<47) + [0] + Array(47..<54) + [1, 54])
  }

  @Test func `a class with a photo at the filter needs no turn before urgent ones`() {
    var turns = Turns(width: 2)
    for waiter in 0..<40 { turns.wait(waiter, share(1000, .background)) }
    #expect(turns.next(now: .zero) == 0)
    for waiter in 40..<80 { turns.wait(waiter, share(1000, .userInteractive)) }
    #expect(filtered(&turns, 20) == Array(40..<60))
    turns.leave(0)
    #expect(filtered(&turns, 2) == [1, 60])
  }

  @Test func `a user without a place does not wait for the large pictures of one with two`() {
    var turns = Turns(width: 2, urgent: 1)
    for waiter in 1...4 { turns.wait(waiter, share(1000)) }
    #expect(take(&turns) == [1, 2])
    for waiter in 5...7 { turns.wait(waiter, share(2000)) }
    #expect(take(&turns) == [5], "one place besides")
    turns.leave(5)
    #expect(take(&turns) == [6])
    turns.leave(1)
    #expect(take(&turns) == [], "each has one")
    turns.leave(6)
    #expect(take(&turns) == [7])
  }

  @Test func `an urgent photo gets no place besides before a user without a place`() {
    var turns = Turns(width: 2, urgent: 1)
    turns.wait(1, share(1000, .background))
    turns.wait(2, share(2000))
    #expect(take(&turns) == [2, 1])
    turns.wait(3, focused(1000, .background))
    turns.wait(4, share(3000, .background))
    #expect(take(&turns) == [])
    turns.leave(2)
    #expect(take(&turns) == [4, 3])
  }

  @Test func `a photo that is more urgent than one at the filter does not wait for it`() {
    var turns = Turns(width: 2, urgent: 1)
    for waiter in 1...4 { turns.wait(waiter, share(1000, .background)) }
    #expect(take(&turns) == [1, 2])
    for waiter in 5...7 { turns.wait(waiter, share(1000, .userInteractive)) }
    #expect(take(&turns) == [5], "one place besides")
    turns.leave(5)
    #expect(take(&turns) == [6])
    turns.leave(1)
    #expect(take(&turns) == [7], "it goes before those in background, which keep one place")
    turns.leave(6)
    #expect(take(&turns) == [])
    turns.leave(7)
    #expect(take(&turns) == [3])
  }

  @Test func `photos of one class have no place besides`() {
    var turns = Turns(width: 1, urgent: 1)
    for waiter in 1...2 { turns.wait(waiter, share(1000)) }
    turns.wait(3, share(2000))
    turns.wait(4, share(2000, .background))
    #expect(take(&turns) == [1])
    turns.leave(1)
    #expect(take(&turns).count == 1)
  }

  @Test func `a waiter that leaves early, or has never waited, leaves no trace`() {
    var turns = Turns(width: 1)
    turns.leave(9)
    for waiter in 1...3 { turns.wait(waiter, share(UInt32(waiter))) }
    #expect(take(&turns) == [1])
    turns.leave(2)
    turns.leave(2)
    turns.leave(1)
    #expect(take(&turns) == [3])
    turns.leave(3)
    turns.wait(1, share(1))
    #expect(take(&turns) == [1])
  }

  /// Users with photos of all classes, focused or not, with places besides or without. No user with places gets another one
  /// before a user without any, and each class of each user has its turn after a bounded number of other photos.
  @Test(arguments: 1...(LongForm.number("LIVES") == nil ? 6 : 200 as UInt64))
  func `no user and no class of a user starves`(seed: UInt64) throws {
    struct Line: Hashable {
      let owner: UInt32
      let serviceClass: ServiceClass
    }
    var random = SimulatedRandom(seed: seed)
    let width = Int.random(in: 1...4, using: &random)
    let owners = UInt32.random(in: 1...6, using: &random)
    var turns = Turns(width: width, urgent: Int.random(in: 0...1, using: &random), turn: .zero)
    var claims: [Int: FilterClaim] = [:]
    var waiting: Set<Int> = []
    var running: [(waiter: Int, end: Int)] = []
    /// Photos that went before a user, or a class of a user, since its last one.
    var (passed, passedLines) = ([UInt32: Int](), [Line: Int]())
    var (longest, longestLine) = (0, 0)
    for step in 0..<5_000 {
      while waiting.count < Int.random(in: 0...60, using: &random) {
        let owner = UInt32.random(in: 1...owners, using: &random)
        let rank = ServiceClass.allCases.randomElement(using: &random) ?? .default
        // The first user is greedy.
        let isFocused = owner == 1 || Int.random(in: 0...3, using: &random) == 0
        let claim = isFocused ? focused(owner, rank) : share(owner, rank)
        claims[claims.count] = claim
        waiting.insert(claims.count - 1)
        turns.wait(claims.count - 1, claim)
      }
      if step % 50 == 0, let left = waiting.sorted().randomElement(using: &random) {
        waiting.remove(left)
        turns.leave(left)
      }
      for (waiter, end) in running where end <= step { turns.leave(waiter) }
      running.removeAll { $0.end <= step }
      while let waiter = turns.next(now: .milliseconds(step)) {
        try #require(waiting.remove(waiter) != nil, "a place for a waiting photo, once")
        let claim = try #require(claims[waiter])
        let atWork = Set(running.compactMap { claims[$0.waiter]?.owner })
        let left = Set(waiting.compactMap { claims[$0]?.owner }).subtracting(atWork)
        try #require(
          left.isEmpty || !atWork.contains(claim.owner), "\(claim.owner) goes before \(left)")
        for owner in left { passed[owner, default: 0] += 1 }
        passed = passed.filter { left.contains($0.key) && $0.key != claim.owner }
        let lines = Set(
          waiting.compactMap { claims[$0] }.filter { $0.owner == claim.owner }
            .map { Line(owner: $0.owner, serviceClass: $0.serviceClass) })
        for line in lines { passedLines[line, default: 0] += 1 }
        passedLines[Line(owner: claim.owner, serviceClass: claim.serviceClass)] = nil
        passedLines = passedLines.filter { $0.key.owner != claim.owner || lines.contains($0.key) }
        longest = max(longest, passed.values.max() ?? 0)
        longestLine = max(longestLine, passedLines.values.max() ?? 0)
        running.append((waiter, step + Int.random(in: 1...20, using: &random)))
      }
      try #require(running.count >= min(width, waiting.count), "a place is idle")
    }
    // A class that has a photo at the filter may be passed over besides.
    #expect(longest <= 32 * Int(owners), "\(longest)")
    #expect(longestLine <= 32 + 8 * 20, "\(longestLine)")
  }

  /// Photos of a hundred users, tiny ones or large ones; some are cancelled while they wait. Places are never idle,
  /// each waiting user has a place once in a round, and few tiny photos cost a start.
  @Test(arguments: 1...(LongForm.number("LIVES") == nil ? 2 : 40 as UInt64))
  func `turns of a hundred users`(seed: UInt64) throws {
    var random = SimulatedRandom(seed: seed)
    let width = Int.random(in: 1...8, using: &random)
    let longestPhoto = seed % 2 == 0 ? 3 : 500
    var turns = Turns(width: width, urgent: 1)
    var owners: [UInt32] = []
    var waiting: Set<Int> = []
    var running: [(waiter: Int, end: Int)] = []
    /// The last time at which a user got a place, or began to wait.
    var since: [UInt32: Int] = [:]
    var (granted, starts, longestWait) = (0, 0, 0)
    var workers: [UInt32] = []
    for ms in 0..<10_000 {
      while waiting.count < 300 {
        let owner = UInt32.random(in: 1...100, using: &random)
        if !waiting.contains(where: { owners[$0] == owner }) { since[owner] = ms }
        waiting.insert(owners.count)
        turns.wait(owners.count, share(owner))
        owners.append(owner)
      }
      let cancelled = Int.random(in: 0..<owners.count, using: &random)
      if ms % 50 == 0, waiting.remove(cancelled) != nil { turns.leave(cancelled) }
      for (waiter, end) in running where end <= ms { turns.leave(waiter) }
      running.removeAll { $0.end <= ms }
      while let waiter = turns.next(now: .milliseconds(ms)) {
        try #require(waiting.remove(waiter) != nil, "a place for a waiting photo, once")
        let owner = owners[waiter]
        longestWait = max(longestWait, ms - (since[owner] ?? 0))
        since[owner] = ms
        granted += 1
        if let place = workers.firstIndex(of: owner) {
          workers.remove(at: place)
        } else {
          starts += 1
          if workers.count == width { workers.removeFirst() }
        }
        workers.append(owner)
        running.append((waiter, ms + Int.random(in: 1...longestPhoto, using: &random)))
      }
      try #require(running.count == width, "a place is idle while photos wait")
    }
    let round = 100 * (100 + longestPhoto) / width
    #expect(longestWait <= round, "\(longestWait) of \(round) ms")
    if longestPhoto < 10 { #expect(starts * 2 < granted, "\(starts) of \(granted)") }
  }
}
