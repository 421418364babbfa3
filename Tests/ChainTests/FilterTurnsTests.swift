// SPDX-License-Identifier: Apache-2.0
// Places at the filter: users keep one for a turn, urgent classes go first, none starves.

import Support
import Testing
import Vocabulary

@testable import Chain

@Suite struct FilterTurnsTests {
  private typealias Turns = FilterTurns<Int>
  private typealias Share = Turns.Share

  private func share(_ owner: UInt32, _ c: ServiceClass = .default) -> Share {
    Share(owner: owner, serviceClass: c)
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
