// SPDX-License-Identifier: Apache-2.0
// Lookups of names that outlive their transfers: whose transfers wait for them, and for how long.

import Support
import Testing
import Vocabulary

@testable import Transfer

struct LingeringLookupTests {
  private let start = ContinuousClock.now

  private func queue(total: Int = 16) -> TransferQueue<String> {
    TransferQueue<String>(total: total, perHost: 99)
  }

  /// Drops transfers to that number of unique names, starts what may start, and cancels all; returns how many had started.
  private func attack(
    _ queue: inout TransferQueue<String>, _ owner: UInt32, _ count: UInt64, now: Duration
  ) -> Int {
    let first = UInt64(owner) * 1_000_000
    for ticket in first..<(first + count) {
      queue.add(ticket, host: "\(ticket).example", of: [owner], .default, isNamed: true)
    }
    queue.expire(now: start + now)
    var started = 0
    while let ticket = queue.next() {
      started += 1
      queue.leaveLookup(ticket, now: start + now)
      queue.remove(ticket)
    }
    for ticket in first..<(first + count) { queue.remove(ticket) }
    return started
  }

  @Test func `A user who cancels lookups in a loop leaves few threads`() {
    var queue = queue()
    var started = 0
    for millisecond in 0..<10_000 {
      started += attack(&queue, 1, 16, now: .milliseconds(millisecond))
    }
    #expect((1...16).contains(started))
    let later = attack(&queue, 1, 16, now: LingeringLookups.life)
    #expect((1...16).contains(later), "the first lookups are over")
  }

  @Test func `The lookups of one user do not hold up another user, nor addresses`() {
    var queue = queue()
    _ = attack(&queue, 1, 16, now: .zero)
    queue.add(1, host: "a.example", of: [1], .default, isNamed: true)
    queue.add(2, host: "127.0.0.1", of: [1], .default)
    queue.add(3, host: "a.example", of: [2], .background, isNamed: true)
    queue.add(4, host: "a.example", of: [2], .background, isNamed: true)
    queue.expire(now: start + LingeringLookups.life - .milliseconds(1))
    let early = (1...4).compactMap { _ in queue.next() }
    queue.expire(now: start + LingeringLookups.life)
    let late = (1...4).compactMap { _ in queue.next() }
    #expect(early == [3, 4, 2] && late == [1])
  }

  @Test func `A lookup that lingers counts as a transfer of its user`() {
    var queue = queue(total: 4)
    queue.add(1, host: "a.example", of: [1], .default, isNamed: true)
    _ = queue.next()
    queue.leaveLookup(1, now: start)
    queue.remove(1)
    queue.add(2, host: "127.0.0.1", of: [1], .default)
    queue.add(3, host: "127.0.0.1", of: [2], .default)
    let order = (1...2).compactMap { _ in queue.next() }
    #expect(order == [3, 2] && !queue.isFull)
    // It takes no connection, and an ordinary end leaves nothing.
    queue.remove(2)
    queue.remove(3)
    #expect(queue.isEmpty)
  }

  @Test func `The lookups of all users together have a limit, and each user still has one`() {
    var queue = queue()
    var lookups = LingeringLookups()
    var started = 0
    for owner in 1...200 as ClosedRange<UInt32> {
      let new = attack(&queue, owner, 16, now: .zero)
      #expect(new >= 1)
      started += new
      for _ in 0..<16 { lookups.add(owner, now: start) }
    }
    #expect(started <= LingeringLookups.most(16) + 16 + 200)
    #expect(lookups.allows(999, running: 0, connections: 16))
    #expect(!lookups.allows(999, running: 1, connections: 16))
    #expect(!lookups.allows(1, running: 0, connections: 16))
    lookups.expire(now: start + LingeringLookups.life)
    #expect(lookups.count == 0 && lookups.count(of: 1) == 0)
    #expect(lookups.allows(1, running: 15, connections: 16))
  }

  @Test func `Lookups are forgotten at their own ends`() {
    var lookups = LingeringLookups()
    for second in 0..<5 { lookups.add(UInt32(second % 2), now: start + .seconds(second)) }
    lookups.expire(now: start + LingeringLookups.life + .seconds(1))
    #expect(lookups.count == 3 && lookups.count(of: 0) == 2 && lookups.count(of: 1) == 1)
    // With some left, the running transfers count as well.
    #expect(lookups.allows(0, running: 5, connections: 16))
    #expect(!lookups.allows(0, running: 6, connections: 16))
  }

  @Test(arguments: [6, 5] as [UInt32])
  func `A lookup without a thread is trouble of this machine`(code: UInt32) throws {
    var ending = try TransferEnding(
      url: PhotoURL(parsing: "http://photos.example.org/a.jpg"), code: code)
    ending.words = "getaddrinfo() thread failed to start"
    guard
      case .failed(let failure) = ending.outcome(
        timeout: .seconds(60), connectTimeout: .seconds(10))
    else { return #expect(Bool(false)) }
    #expect(failure.kind == .machine && failure.code == "transfer.resources")
    #expect(failure.reason == "this machine cannot start a thread to look up the name of a server")
  }
}
