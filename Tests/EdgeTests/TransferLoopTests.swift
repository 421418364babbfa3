// SPDX-License-Identifier: Apache-2.0
// Many transfers on one thread: limits, order, cancellation, and nothing left open.

import Linux
import Support
import Testing
import Vocabulary

@testable import Transfer

struct TransferLoopTests {
  @Test func `Two hundred transfers at once run on one thread and leave nothing open`() async throws
  {
    let settings = try TransferBench.loopback {
      ($0.connections, $0.connectionsPerHost) = (200, 300)
    }
    let bench = try TransferBench(settings, name: "many-at-once")
    let url = bench.origin.url("/slow?gate=all&size=10000")
    try await withThrowingTaskGroup(of: TransferReply.self) { group in
      for number in 1...200 {
        group.addTask { try await bench.fetch(url: url, into: "photo-\(number)") }
      }
      await bench.origin.arrivals(at: "all", 200)
      #expect(try TransferBench.threads(named: "many-at-once") == 1)
      // The kernel's table is not read at one moment.
      #expect(try await Patience.sees { try bench.connections() == 200 })
      await bench.origin.release("all")
      for try await reply in group { #expect(reply.size == 10000) }
    }
    #expect(try await bench.closesFiles())
    await bench.stop()
    #expect(try bench.connections() == 0)
    #expect(bench.origin.requests().count == 200)
    for number in 1...200 { #expect(bench.fresh.bytes(of: "photo-\(number)")?.count == 10000) }
  }

  @Test func `Connections are kept and reused, never more than allowed`() async throws {
    let settings = try TransferBench.loopback { ($0.connections, $0.connectionsPerHost) = (8, 3) }
    let bench = try TransferBench(settings)
    let url = bench.origin.url("/bytes?size=2000")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...100 {
        group.addTask { _ = try await bench.fetch(url: url, into: "photo-\(number % 10)") }
      }
      try await group.waitForAll()
    }
    let kept = try bench.connections()
    #expect(kept <= 3)
    await bench.stop()
    #expect(try bench.connections() == 0)
    #expect(bench.origin.requests().count == 100)
  }

  @Test func `A host with all its connections taken does not hold up another`() async throws {
    let settings = try TransferBench.loopback { ($0.connections, $0.connectionsPerHost) = (3, 1) }
    let bench = try TransferBench(settings)
    let slow = bench.origin.url("/slow?gate=one")
    async let first = bench.fetch(url: slow, into: "first")
    async let second = bench.fetch(url: slow, into: "second")
    await bench.origin.arrivals(at: "one")
    let other = bench.origin.url("/barn.jpg", host: "localhost")
    #expect(try await bench.fetch(url: other, into: "other").size == 19)
    await bench.origin.release("one")
    #expect(try await (first.size, second.size) == (1000, 1000))
    await bench.stop()
  }

  @Test func `A cancelled transfer really stops, and its file is closed`() async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/slow?gate=never&size=10000")
    let task = Task { try await bench.fetch(url: url) }
    await bench.origin.arrivals(at: "never")
    task.cancel()
    await #expect(throws: Failure.cancelled) { try await task.value }
    await bench.origin.departures(at: "never")
    #expect(try await bench.closesFiles())
    #expect(try bench.connections() == 0)
    #expect(try await bench.fetch(url: bench.origin.url("/barn.jpg")).size == 19)
    await bench.stop()
  }

  @Test func `A transfer cancelled while it waits never reaches the origin`() async throws {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    let first = Task {
      try await bench.fetch(url: bench.origin.url("/slow?gate=g"), into: "first")
    }
    await bench.origin.arrivals(at: "g")
    let second = Task {
      try await bench.fetch(url: bench.origin.url("/barn.jpg"), into: "second")
    }
    second.cancel()
    await #expect(throws: Failure.cancelled) { try await second.value }
    await bench.origin.release("g")
    #expect(try await first.value.size == 1000)
    await bench.stop()
    #expect(bench.origin.requests() == ["GET /slow?gate=g 200 1000"])
  }

  @Test func `Requests that wait for a connection go by urgency, too`() async throws {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    async let first = bench.fetch(url: bench.origin.url("/slow?gate=g"), into: "first")
    await bench.origin.arrivals(at: "g")
    async let patient = bench.fetch(
      url: bench.origin.url("/barn.jpg?patient"), into: "patient", priority: .background)
    try await bench.loopHas(transfers: 2)
    try await queueIsRead(bench, "given up")
    async let urgent = bench.fetch(
      url: bench.origin.url("/barn.jpg?urgent"), into: "urgent", priority: .userInteractive)
    try await bench.loopHas(transfers: 3)
    try await queueIsRead(bench, "given up, too")
    await bench.origin.release("g")
    #expect(try await (first.size, patient.size, urgent.size) == (1000, 19, 19))
    await bench.stop()
    #expect(
      bench.origin.requests().map { $0.split(separator: " ")[1] }
        == ["/slow?gate=g", "/barn.jpg?urgent", "/barn.jpg?patient"])
  }

  /// Once a cancel is answered, every earlier request is in the queue.
  private func queueIsRead(_ bench: TransferBench, _ name: String) async throws {
    let given = Task { try await bench.fetch(url: bench.origin.url("/barn.jpg"), into: name) }
    given.cancel()
    await #expect(throws: Failure.cancelled) { try await given.value }
  }

  @Test func `A request from a cancelled task fails as cancelled`() async throws {
    let bench = try TransferBench()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await bench.fetch(url: bench.origin.url("/barn.jpg"))
    }
    task.cancel()
    await #expect(throws: Failure.cancelled) { try await task.value }
    await bench.stop()
    #expect(bench.origin.requests().isEmpty)
  }

  @Test func `Stopping the loop cancels running transfers and later requests`() async throws {
    let bench = try TransferBench(name: "to-be-stopped")
    let task = Task { try await bench.fetch(url: bench.origin.url("/hang?gate=never")) }
    await bench.origin.arrivals(at: "never")
    await bench.loop.stop()
    await #expect(throws: Failure.cancelled) { try await task.value }
    #expect(try bench.connections() == 0)
    #expect(await bench.failure(bench.origin.url("/barn.jpg")) == .cancelled)
    await bench.stop()
  }

  @Test func `Limits that a reload raises apply at once`() async throws {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    let url = bench.origin.url("/slow?gate=two")
    async let first = bench.fetch(url: url, into: "first")
    async let second = bench.fetch(url: url, into: "second")
    await bench.origin.arrivals(at: "two", 1)
    bench.loop.change(try TransferBench.loopback { $0.connections = 2 })
    await bench.origin.arrivals(at: "two", 2)
    await bench.origin.release("two")
    #expect(try await (first.size, second.size) == (1000, 1000))
    await bench.stop()
  }

  @Test func `Failures in a row leave no connection and no file open`() async throws {
    let bench = try TransferBench()
    for path in [
      "/short", "/reset", "/closed", "/framing?how=words", "/endless", "/gzip-bomb",
      "/header-flood",
    ] {
      for _ in 1...5 { #expect(await bench.failure(bench.origin.url(path)) != nil, "\(path)") }
    }
    #expect(try bench.connections() == 0)
    #expect(try await bench.closesFiles())
    await bench.stop()
  }
}

struct TransferQueueTests {
  @Test func `The most urgent transfer goes first, then the oldest`() {
    var queue = TransferQueue<String>(total: 1, perHost: 1)
    let order: [(UInt64, ServiceClass)] = [
      (1, .background), (2, .default), (3, .userInteractive), (4, .default), (5, .userInteractive),
    ]
    for (ticket, urgency) in order { queue.add(ticket, host: "a", urgency) }
    var started: [UInt64] = []
    while let ticket = queue.next() {
      started.append(ticket)
      let another = queue.next()
      #expect(another == nil)
      queue.remove(ticket)
    }
    #expect(started == [3, 5, 2, 4, 1])
    #expect(queue.isEmpty)
  }

  @Test func `A full host is passed over, and the total is limited, too`() {
    var queue = TransferQueue<String>(total: 3, perHost: 2)
    for ticket in 1...4 { queue.add(UInt64(ticket), host: "a", .userInteractive) }
    for ticket in 5...6 { queue.add(UInt64(ticket), host: "b", .background) }
    let first = [queue.next(), queue.next(), queue.next(), queue.next()]
    #expect(first == [1, 2, 5, nil])
    #expect(queue.isFull)
    queue.remove(5)
    #expect(!queue.isFull)
    let second = queue.next()
    #expect(second == 6)
    queue.remove(1)
    let third = queue.next()
    #expect(third == 3)
  }

  /// Compares the queue with the simplest possible one.
  @Test func `Each transfer goes in its turn, however others come and go`() {
    var random = SimulatedRandom(seed: 41)
    var queue = TransferQueue<String>(total: 5, perHost: 2)
    var waiting: [(ticket: UInt64, host: String)] = []
    var running: [(ticket: UInt64, host: String)] = []
    for ticket in 1...4000 as ClosedRange<UInt64> {
      let host = ["a", "a", "a", "b", "c", "d\(ticket)"].randomElement(using: &random) ?? "a"
      let isFirst = Int.random(in: 0..<10, using: &random) == 0
      queue.add(ticket, host: host, .default, isFirst: isFirst)
      waiting.insert((ticket, host), at: isFirst ? 0 : waiting.count)
      if let gone = waiting.randomElement(using: &random), ticket % 3 == 0 {
        queue.remove(gone.ticket)
        waiting.removeAll { $0.ticket == gone.ticket }
      }
      let isOver = !running.isEmpty && Bool.random(using: &random)
      if isOver { queue.remove(running.removeFirst().ticket) }
      while let next = queue.next() {
        let place = waiting.firstIndex { one in running.count { $0.host == one.host } < 2 }
        guard let place, running.count < 5 else { return #expect(Bool(false), "out of turn") }
        #expect(waiting[place].ticket == next)
        running.append(waiting.remove(at: place))
      }
      #expect(queue.isEmpty == (waiting.isEmpty && running.isEmpty))
      #expect(queue.hostCount == Set((waiting + running).map(\.host)).count)
    }
    while let one = running.popLast() {
      queue.remove(one.ticket)
      while let next = queue.next() {
        running.append((next, ""))
        waiting.removeAll { $0.ticket == next }
      }
    }
    #expect(waiting.isEmpty)
    #expect(queue.isEmpty && queue.hostCount == 0)
  }

  @Test func `A redirected transfer goes before waiting ones`() {
    var queue = TransferQueue<String>(total: 1, perHost: 1)
    queue.add(1, host: "a", .default)
    queue.add(2, host: "b", .default)
    let started = queue.next()
    queue.remove(1)
    queue.add(1, host: "b", .default, isFirst: true)
    let startedAgain = queue.next()
    #expect([started, startedAgain] == [1, 1])
  }

  @Test func `A transfer that becomes urgent overtakes others; a running one continues`() {
    var queue = TransferQueue<String>(total: 1, perHost: 1)
    for ticket in 1...4 { queue.add(UInt64(ticket), host: "a", .default) }
    let first = queue.next()
    queue.change(1, to: .background)
    queue.change(4, to: .userInteractive)
    queue.change(2, to: .background)
    queue.change(9, to: .userInteractive)
    var started: [UInt64] = []
    queue.remove(1)
    while let ticket = queue.next() {
      started.append(ticket)
      queue.remove(ticket)
    }
    #expect(first == 1)
    #expect(started == [4, 3, 2])
  }

  @Test func `Quick hosts get half of the kept places, and users without a transfer the rest`() {
    var queue = TransferQueue<String>(total: 8, perHost: 99, kept: 4)
    func started() -> [UInt64] { (1...9).compactMap { _ in queue.next() } }
    for ticket in 1...9 as ClosedRange<UInt64> { queue.add(ticket, host: "a", of: [1], .default) }
    let slow = started()
    queue.note("a", isQuick: true)
    let quick = started()
    #expect(slow == [1, 2, 3, 4] && quick == [5, 6])
    queue.add(20, host: "a", of: [2], .default)
    queue.add(21, host: "a", of: [2], .userInteractive)
    queue.add(30, host: "b", of: [3], .background)
    let others = started()
    #expect(others == [21, 30] && queue.isFull)
  }

  /// The connections of a user with slow hosts, if some are kept, and those that the same hosts add when they are quick.
  @Test(arguments: [
    (1, 0, 1, 0), (2, 0, 2, 0), (3, 0, 3, 0), (4, 1, 3, 0), (8, 2, 6, 1), (12, 3, 9, 1),
    (16, 4, 12, 2), (1, 1, 1, 0), (2, 2, 1, 0),
  ])
  func `Of few connections each user gets one, and quick hosts leave more than they take`(
    total: Int, kept: Int, slow: Int, quick: Int
  ) {
    var queue = TransferQueue<String>(total: total, perHost: 99, kept: kept)
    func starts() -> [UInt64] { (0..<20).compactMap { _ in queue.next() } }
    for ticket in 1...20 as ClosedRange<UInt64> { queue.add(ticket, host: "a", of: [1], .default) }
    let first = starts()
    queue.note("a", isQuick: true)
    let more = starts()
    #expect(first.count == slow && more.count == quick)
    queue.add(30, host: "a", of: [2], .default)
    var running = first + more
    var started = [queue.next()]
    // Without a kept connection, the other user waits for the next transfer that ends; a single one may first go
    // to the user whose turn was longest ago.
    while started.last != 30, started.count <= 3, let ended = running.first {
      running.removeFirst()
      queue.remove(ended)
      started.append(queue.next())
      running += started.last.flatMap(\.self).map { [$0] } ?? []
    }
    let looks = total == 1 ? 3 : kept > 0 ? 1 : 2
    #expect(started.last == 30 && started.count == looks, "\(started)")
  }

  /// Redirects lead transfers to a host without a place there.
  @Test(arguments: [(2, 2, 0), (4, 3, 1), (6, 5, 1), (16, 12, 1), (40, 30, 2)])
  func `A quarter of the connections to a host is kept for users with few there`(
    perHost: Int, alone: Int, beside: Int
  ) {
    var queue = TransferQueue<String>(total: 99, perHost: perHost)
    for ticket in 1...50 as ClosedRange<UInt64> { queue.add(ticket, host: "a", of: [1], .default) }
    let first = (1...50).compactMap { _ in queue.next() }
    for ticket in 51...99 as ClosedRange<UInt64> { queue.add(ticket, host: "a", of: [2], .default) }
    let second = (1...50).compactMap { _ in queue.next() }
    #expect(first.count == alone && second.count == beside && second.allSatisfy { $0 > 50 })
    first.forEach { queue.remove($0) }
    let third = (1...50).compactMap { _ in queue.next() }
    #expect(third.contains { $0 > 50 } && third.contains { $0 <= 50 })
  }

  @Test func `A transfer for several users has the turn of the one with the fewest transfers`() {
    var queue = TransferQueue<String>(total: 3, perHost: 3, kept: 1)
    for ticket in 1...4 as ClosedRange<UInt64> { queue.add(ticket, host: "a", of: [1], .default) }
    let first = (1...3).compactMap { _ in queue.next() }
    queue.change(4, to: .default, for: [1, 2])
    let second = (1...2).compactMap { _ in queue.next() }
    #expect(first == [1, 2] && second == [4], "the second user has no transfer")
    queue.remove(4)
    queue.add(5, host: "a", of: [1, 2, 3], .background)
    queue.add(6, host: "a", of: [2], .background)
    queue.change(5, to: .background, for: [1])
    let third = (1...2).compactMap { _ in queue.next() }
    #expect(third == [6], "the first user has two")
    for ticket in [1, 2, 3, 5, 6] as [UInt64] { queue.remove(ticket) }
    #expect(queue.isEmpty && queue.hostCount == 0)
  }

  @Test func `Lower limits apply once enough transfers have ended`() {
    var queue = TransferQueue<String>(total: 4, perHost: 6)
    for ticket in 1...6 { queue.add(UInt64(ticket), host: "a", .default) }
    for _ in 1...4 { _ = queue.next() }
    queue.limit(total: 2, perHost: 2)
    for ticket in 1...2 {
      queue.remove(UInt64(ticket))
      let none = queue.next()
      #expect(none == nil)
    }
    queue.remove(3)
    let next = queue.next()
    #expect(next == 5)
  }

  /// Starts transfers, and ends each at once.
  private func started(_ queue: inout TransferQueue<String>, _ count: Int) -> [UInt64] {
    (0..<count).compactMap { _ in
      let ticket = queue.next()
      if let ticket { queue.remove(ticket) }
      return ticket
    }
  }

  @Test func `The urgent transfers of a user keep no connection from another user`() {
    var queue = TransferQueue<String>(total: 4, perHost: 99)
    for ticket in 1...9 as ClosedRange<UInt64> {
      queue.add(ticket, host: "a", of: [1], .userInteractive)
    }
    let first = (1...4).compactMap { _ in queue.next() }
    for ticket in 11...19 as ClosedRange<UInt64> {
      queue.add(ticket, host: "a", of: [2], .background)
    }
    var running = first
    for ended in first {
      queue.remove(ended)
      running += [queue.next()].compactMap(\.self)
    }
    #expect(running == [1, 2, 3, 4, 11, 12, 5, 6], "each user has two")
  }

  @Test func `Of users with equally many transfers, one in eight is not the most urgent`() {
    var queue = TransferQueue<String>(total: 1, perHost: 1)
    for ticket in 0..<300 as Range<UInt64> {
      let urgency: [ServiceClass] = [.userInteractive, .default, .background]
      let user = Int(ticket / 100)
      queue.add(ticket, host: "a", of: [UInt32(user)], urgency[user])
    }
    let order = started(&queue, 64)
    #expect(order.enumerated().allSatisfy { ($0.offset % 8 == 7) == ($0.element >= 100) })
    #expect(order.filter { $0 >= 100 } == [200, 100, 201, 101, 202, 102, 203, 103])
  }

  @Test func `Of one user, one transfer in eight is not of the most urgent class`() {
    var queue = TransferQueue<String>(total: 1, perHost: 1)
    for ticket in 0..<80 as Range<UInt64> {
      queue.add(ticket, host: "a", ticket < 40 ? .background : .userInteractive)
    }
    #expect(started(&queue, 17) == Array(40..<47) + [0] + Array(47..<54) + [1, 54])
  }

  @Test func `A class with a running transfer needs no turn before urgent ones`() {
    var queue = TransferQueue<String>(total: 2, perHost: 2)
    queue.add(1, host: "a", .background)
    _ = queue.next()
    for ticket in 2..<80 as Range<UInt64> {
      queue.add(ticket, host: "a", ticket < 40 ? .background : .userInteractive)
    }
    #expect(started(&queue, 17) == Array(40..<57))
  }

  @Test func `A full host takes no turn from a class, nor from a user`() {
    var queue = TransferQueue<String>(total: 3, perHost: 1)
    queue.add(1, host: "full", of: [1], .default)
    _ = queue.next()
    for ticket in 2...20 as ClosedRange<UInt64> {
      queue.add(ticket, host: "full", of: [2], .userInteractive)
      queue.add(ticket + 100, host: "b", of: [2], .background)
      queue.add(ticket + 200, host: "full", of: [3], .userInitiated)
    }
    #expect(started(&queue, 3) == [102, 103, 104])
    queue.remove(1)
    #expect(started(&queue, 8) == Array(2...8) + [202])
  }
}
