// SPDX-License-Identifier: Apache-2.0
// Random histories of nodes that divide connections: answers and requests are lost or come late, nodes are frozen, die
// and start again. Each office gives the answers of the model, and no server ever has more connections than its limit.

import Chain
import Cluster
import Support
import Testing
import Vocabulary

struct SeatHistoryTests {
  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `no server ever has more connections than its limit, and all are used`(
    _ seed: UInt64
  ) async throws {
    try await WorldKind.model.use { model in
      var history = try SeatHistory(seed: seed, model)
      for _ in 0..<300 { try await history.step() }
      try await history.settle()
    }
  }

  @Test(
    .enabled("PostgreSQL is not installed") { PostgresServer.isInstalled },
    arguments: 1...8 as ClosedRange<UInt64>)
  func `every answer is the model's`(_ seed: UInt64) async throws {
    try await WorldKind.model.use { model in
      try await WorldKind.postgres.use { world in
        var history = try SeatHistory(seed: seed, model, world)
        for _ in 0..<150 { try await history.step() }
        try await history.settle()
      }
    }
  }
}

struct SeatHistory {
  private struct Node {
    var offices: [any ListOffice]
    var run: UInt64 = 1
    var number: UInt64 = 0
    var seats = HostSeats()
    /// The seats at a server that it can use.
    var useful: Int
    /// By server.
    var inFlight: [Int]
    var waiting: [Int]
    var words: [HostWord]
    /// Its transfers are older than its lease: they are not counted.
    var isStale = false
    var heard = Duration.zero - silence
    /// Requests that the ledger has not got yet.
    var late: [SeatRequest] = []
  }

  private let worlds: [any OfficeWorld]
  private var nodes: [Node] = []
  private var random: SimulatedRandom
  private var now = Duration.zero
  private let most: Int
  private static let hosts = ["x", "y:8080"]

  init(seed: UInt64, _ worlds: any OfficeWorld...) throws {
    random = SimulatedRandom(seed: seed)
    self.worlds = worlds
    most = 1 + random.number(below: 6)
    for place in 0..<(2 + random.number(below: 4)) {
      nodes.append(
        Node(
          offices: try worlds.map { try $0.office("\(place)", run: 1) },
          useful: 1 + random.number(below: most), inFlight: Self.hosts.map { _ in 0 },
          waiting: Self.hosts.map { _ in 0 },
          words: Self.hosts.map { _ in .none }))
    }
  }

  mutating func step() async throws {
    let place = random.number(below: nodes.count)
    switch random.number(below: 100) {
    case 0..<45: try await ask(place, isHeard: !random.oneIn(5))
    case 45..<70: work(place)
    case 70..<80: finish(place)
    case 80..<83: nodes[place].waiting = Self.hosts.map { _ in random.number(below: 9) }
    case 83: nodes[place].useful = 1 + random.number(below: most)
    case 84..<88: nodes[place].words = Self.hosts.map { _ in word() }
    case 88..<92: try await deliver(place)
    case 92..<97: try await pass()
    default: try await restart(place)
    }
    check()
  }

  private func uses(_ place: Int) -> [HostSeats.Use] {
    Self.hosts.enumerated().map { host, name in
      HostSeats.Use(
        name, inFlight: nodes[place].inFlight[host], waiting: nodes[place].waiting[host],
        word: nodes[place].words[host])
    }
  }

  private mutating func word() -> HostWord {
    let wait = Duration.seconds(random.number(below: 60))
    return [.none, .failed(wait: wait), .answered][random.number(below: 3)]
  }

  private mutating func ask(_ place: Int, isHeard: Bool = true) async throws {
    nodes[place].number += 1
    let request = SeatRequest(
      number: nodes[place].number, most: most, useful: nodes[place].useful,
      nodes[place].seats.claims(uses(place), now: now))
    // The request is lost, or comes when the node has asked again.
    if !isHeard, random.oneIn(2) { return nodes[place].late.append(request) }
    let grants = try await answer(place, request)
    guard isHeard else { return }
    #expect(grants?.map(\.host) == request.claims.map(\.host))
    nodes[place].seats.grant(grants ?? [], until: now + silence)
    nodes[place].heard = now
  }

  private func answer(_ place: Int, _ request: SeatRequest) async throws -> [SeatGrant]? {
    var answers: [[SeatGrant]?] = []
    for office in nodes[place].offices {
      answers.append(try await office.pulse(request).seats?.get())
    }
    for answer in answers.dropFirst() { #expect(answer == answers[0]) }
    return answers[0]
  }

  private mutating func deliver(_ place: Int) async throws {
    guard let request = nodes[place].late.popLast() else { return }
    _ = try await answer(place, request)
  }

  /// Starts what it may.
  private mutating func work(_ place: Int) {
    for (host, name) in Self.hosts.enumerated() {
      let limit = nodes[place].seats.limit(name, now: now)
      let count = max(0, min(nodes[place].waiting[host], limit - nodes[place].inFlight[host]))
      nodes[place].inFlight[host] += count
      nodes[place].waiting[host] -= count
    }
  }

  private mutating func finish(_ place: Int) {
    for host in Self.hosts.indices {
      nodes[place].inFlight[host] = random.number(below: nodes[place].inFlight[host] + 1)
    }
    if nodes[place].inFlight.allSatisfy({ $0 == 0 }) { nodes[place].isStale = false }
  }

  private mutating func pass() async throws {
    now += .seconds(20)
    for world in worlds { try await world.pass(.seconds(20)) }
    for place in nodes.indices where nodes[place].heard + silence <= now {
      nodes[place].isStale = nodes[place].inFlight.contains { $0 > 0 }
    }
  }

  /// Its transfers end with it, and the next one enters under its name.
  private mutating func restart(_ place: Int) async throws {
    let run = nodes[place].run + 1
    nodes[place] = Node(
      offices: try worlds.map { try $0.office("\(place)", run: run) }, run: run,
      useful: nodes[place].useful, inFlight: Self.hosts.map { _ in 0 },
      waiting: nodes[place].waiting,
      words: Self.hosts.map { _ in .none })
    try await ask(place)
  }

  private func check() {
    for (host, name) in Self.hosts.enumerated() {
      let used = nodes.reduce(0) { sum, node in
        let limit = node.seats.limit(name, now: now)
        return sum + (node.isStale ? limit : max(limit, node.inFlight[host]))
      }
      #expect(used <= most, "\(used) of \(most) connections to \(name)")
    }
  }

  /// Without further harm all seats are in use soon, and each node that needs one has one, if there are enough.
  mutating func settle() async throws {
    for place in nodes.indices {
      nodes[place].waiting = Self.hosts.map { _ in 9 }
      nodes[place].inFlight = Self.hosts.map { _ in 0 }
      nodes[place].isStale = false
      nodes[place].words = Self.hosts.map { _ in .none }
    }
    for _ in 0..<5 {
      for place in nodes.indices {
        try await ask(place)
        check()
      }
    }
    for name in Self.hosts {
      let limits = nodes.map { $0.seats.limit(name, now: now) }
      let useful = nodes.map(\.useful)
      #expect(limits.reduce(0, +) == min(most, useful.reduce(0, +)))
      #expect(limits.count { $0 > 0 } == min(most, limits.count))
      let scarce = limits.indices.filter { limits[$0] < useful[$0] }
      #expect(zip(limits, useful).allSatisfy { $0 <= $1 }, "\(limits)")
      #expect(
        scarce.allSatisfy { limits[$0] + 1 >= limits.max() ?? 0 }, "\(limits) of \(useful)")
    }
  }
}
