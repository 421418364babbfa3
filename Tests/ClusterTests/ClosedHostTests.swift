// SPDX-License-Identifier: Apache-2.0
// Machines with photos for one server, which is down for a while, in simulated time. Each machine that does not reach
// the server has it closed for itself; they probe it together.

import Chain
import Cluster
import ClusterModel
import Support
import Testing
import Vocabulary

@Suite struct ClosedHostTests {
  @Test func `machines together probe a closed server little more often than one of them alone`() {
    func requests(_ machines: Int, backoff: Duration) -> Int {
      var world = ClosedHostWorld(machines: machines, seed: 1)
      world.down = .seconds(10)..<(.seconds(1000))
      world.backoff = backoff
      world.run(to: .seconds(990))
      #expect(world.machines.allSatisfy { $0.windows.closure(of: "x", for: 1) != nil })
      world.run(to: .seconds(1500))
      #expect(world.machines.allSatisfy { $0.left == 0 && $0.lost == 0 })
      return world.starts.count { $0 > .seconds(400) && $0 < .seconds(990) }
    }
    for backoff in [Duration.zero, .seconds(20)] {
      let (alone, all) = (requests(1, backoff: backoff), requests(5, backoff: backoff))
      // Each of the other four probes once in 300 s.
      #expect(alone >= 9 && all >= alone - 1 && all <= alone + 12, "\(alone) \(all)")
    }
  }

  @Test func `an answer to one of them has all of them go on at once`() throws {
    var world = ClosedHostWorld(machines: 5, seed: 1)
    world.down = .seconds(10)..<(.seconds(5000))
    func isFar(_ gate: Duration) -> Bool { gate > world.now + .seconds(40) }
    while world.now < .seconds(900), world.gates.count(where: isFar) < 4 {
      world.run(to: world.now + .seconds(1))
    }
    let gates = world.gates
    try #require(gates.count == 5 && world.now < .seconds(900), "\(gates)")
    world.down = .seconds(10)..<world.now
    let (last, now) = (gates.indices.max { gates[$0] < gates[$1] } ?? 0, world.now)
    #expect(world.machines[last].windows.flush("x", now: now) == 1)
    world.run(to: now + .seconds(25))
    #expect(world.gates.isEmpty, "\(world.gates)")
  }

  @Test func `photos of a server that is closed for longer than they wait fail on all machines`() {
    var world = ClosedHostWorld(machines: 4, seed: 1, patience: .seconds(300))
    world.down = .seconds(10)..<(.seconds(5000))
    world.run(to: .seconds(600))
    #expect(world.machines.allSatisfy { $0.left == 0 && $0.lost > 0 })
    let first = world.machines.map(\.firstLost).min() ?? .zero
    #expect(first > .seconds(300))
  }

  @Test func `a machine that alone does not reach a server closes it for no other`() {
    var world = ClosedHostWorld(machines: 4, seed: 1, patience: .seconds(300))
    world.machines[0].isCutOff = true
    // The machines that could know that others reach the server, and they do not.
    var told: Set<Int> = []
    while world.now < .seconds(240) {
      world.run(to: world.now + .seconds(1))
      #expect(world.machines.dropFirst().allSatisfy { $0.windows.closure(of: "x", for: 1) == nil })
      for (place, machine) in world.machines.enumerated()
      where machine.windows.isUnreached("x", for: 1, within: .seconds(60), now: world.now) {
        told.insert(place)
      }
    }
    #expect(world.machines.dropFirst().allSatisfy { $0.left == 0 && $0.lost == 0 })
    #expect(world.machines[0].left > 150)
    #expect(told.contains(0) && told.count == 1)
    world.machines[0].isCutOff = false
    world.run(to: .seconds(500))
    #expect(world.machines[0].left == 0 && world.machines[0].lost == 0)
  }

  @Test func `a machine that alone does not reach a server delays no other after a short outage`() {
    var world = ClosedHostWorld(machines: 4, seed: 1, patience: .seconds(300))
    world.machines[0].isCutOff = true
    world.areTried = true
    world.down = .seconds(10)..<(.seconds(70))
    world.run(to: .seconds(150))
    #expect(world.machines.dropFirst().allSatisfy { $0.windows.closure(of: "x", for: 1) == nil })
    world.run(to: .seconds(400))
    #expect(world.machines.dropFirst().allSatisfy { $0.left == 0 && $0.lost == 0 })
  }

  @Test(arguments: [true, false])
  func `the others probe when the one that probed is dead, or alone does not reach the server`(
    _ isDead: Bool
  ) throws {
    var world = ClosedHostWorld(machines: 3, seed: 1)
    world.down = .seconds(10)..<(.seconds(400))
    world.run(to: .seconds(390))
    let gates = world.gates
    let prober = try #require(gates.indices.min { gates[$0] < gates[$1] })
    if isDead { world.machines[prober].isAlive = false }
    world.machines[prober].isCutOff = true
    world.run(to: .seconds(900))
    for place in world.machines.indices where place != prober {
      #expect(world.machines[place].left == 0 && world.machines[place].lost == 0, "\(place)")
    }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `all machines go on once the server is well, although machines die and calls are lost`(
    _ seed: UInt64
  ) {
    var world = ClosedHostWorld(machines: 2 + Int(seed % 5), seed: seed)
    world.isHarmed = true
    world.backoff = seed % 2 == 0 ? .zero : .seconds(15)
    world.down = .seconds(10)..<(.seconds(300 + Int64(seed)))
    world.run(to: world.down.upperBound)
    world.isHarmed = false
    for place in world.machines.indices { world.revive(place) }
    world.run(to: world.down.upperBound + .seconds(600))
    #expect(world.machines.allSatisfy { $0.left == 0 && $0.lost == 0 })
    #expect(world.gates.isEmpty)
  }
}

struct ClosedHostWorld {
  struct Machine {
    let name: String
    var windows: HostWindows
    var incarnation: Int
    var run: UInt64 = 1
    var number: UInt64 = 0
    var asked = Duration.zero - .seconds(10)
    var mustAsk = false
    /// Photos that wait.
    var left: Int
    var isListed = false
    var flights: [(end: Duration, isProbe: Bool)] = []
    var lost = 0
    var firstLost = Duration.zero
    var isAlive = true
    /// It does not reach the server.
    var isCutOff = false
    /// Photos that wait for another attempt.
    var retries: [Duration] = []
    /// A request that the ledger has, and its answer.
    var open: (grants: [SeatGrant], asked: Duration)?
  }

  private static let leaseTime = Duration.seconds(30)
  private static let line = LineKey(ListID(1))

  var machines: [Machine] = []
  var down = Duration.zero..<Duration.zero
  var isHarmed = false
  var backoff = Duration.zero
  /// An attempt has been made at some of the photos.
  var areTried = false
  private(set) var harms = 0
  /// When requests began.
  private(set) var starts: [Duration] = []
  private var ledger = LedgerModel(silence: leaseTime)
  private var random: SimulatedRandom
  private let limits: HostLimits

  var now: Duration { ledger.now }

  /// When the machines that have the server closed probe it next.
  var gates: [Duration] { machines.compactMap { $0.windows.closure(of: "x", for: 1)?.next } }

  init(
    machines count: Int, seed: UInt64, photos: Int = 200, patience: Duration = .seconds(1800)
  ) {
    random = SimulatedRandom(seed: seed)
    limits = HostLimits(most: 6, patience: patience, areShared: true)
    for place in 0..<count {
      let name = "\(place)"
      machines.append(
        Machine(
          name: name, windows: HostWindows(limits),
          incarnation: ledger.enter(name, run: 1, known: nil) ?? 0, left: photos))
    }
  }

  mutating func run(to end: Duration) {
    while now < end {
      ledger.pass(.seconds(1))
      for place in machines.indices {
        if isHarmed, random.oneIn(100) { harm(place) }
        if machines[place].isAlive { step(place) }
      }
    }
  }

  mutating func revive(_ place: Int) {
    guard !machines[place].isAlive else { return }
    machines[place].run += 1
    machines[place].windows = HostWindows(limits)
    machines[place].incarnation =
      ledger.enter(machines[place].name, run: machines[place].run, known: nil) ?? 0
    machines[place].left += machines[place].flights.count + machines[place].retries.count
    (machines[place].flights, machines[place].retries) = ([], [])
    (machines[place].isListed, machines[place].open) = (false, nil)
    (machines[place].isAlive, machines[place].number) = (true, 0)
  }

  private mutating func harm(_ place: Int) {
    harms += 1
    if !machines[place].isAlive { return revive(place) }
    if random.oneIn(3) {
      _ = machines[place].windows.flush(nil, now: now)
    } else {
      machines[place].isAlive = false
    }
  }

  private mutating func step(_ place: Int) {
    hear(place)
    endFlights(place)
    machines[place].windows.awaken(now: now)
    let due = machines[place].retries.count { $0 <= now }
    machines[place].retries.removeFirst(due)
    machines[place].left += due
    enlist(place)
    serve(place)
    if machines[place].windows.takeSeatNews() { machines[place].mustAsk = true }
    let rest = now - machines[place].asked
    if rest >= .seconds(10) || (machines[place].mustAsk && rest >= .seconds(1)) { ask(place) }
  }

  private mutating func endFlights(_ place: Int) {
    let (now, isDown) = (now, down.contains(now) || machines[place].isCutOff)
    let due = machines[place].flights.filter { $0.end <= now }
    machines[place].flights.removeAll { $0.end <= now }
    for flight in due {
      if isDown { machines[place].retries.append(now + backoff) }
      _ = machines[place].windows.end(
        "x", Self.line, of: 1, isDown ? .failed(reset) : .answered, isProbe: flight.isProbe,
        now: now, jitter: 1)
    }
  }

  private mutating func enlist(_ place: Int) {
    guard machines[place].left > 0, !machines[place].isListed else { return }
    machines[place].windows.join("x", Self.line, .default, of: 1, now: now)
    machines[place].isListed = true
  }

  /// Answers the calls of the server.
  private mutating func serve(_ place: Int) {
    _ = machines[place].windows.takeCalled()
    while machines[place].left > 0, machines[place].windows.call(for: Self.line) != nil {
      let hasMore = machines[place].left > 1
      let answer = machines[place].windows.answer(
        "x", Self.line, isTried: areTried, hasFresh: true, hasMore: hasMore, now: now)
      switch answer {
      case .wait: return
      case .start(let isProbe):
        starts.append(now)
        machines[place].flights.append((now + .seconds(1), isProbe))
      case .lost:
        if machines[place].lost == 0 { machines[place].firstLost = now }
        machines[place].lost += 1
      }
      machines[place].left -= 1
      machines[place].isListed = hasMore
    }
  }

  /// The answer comes a second later.
  private mutating func ask(_ place: Int) {
    let machine = machines[place]
    (machines[place].asked, machines[place].mustAsk) = (now, false)
    machines[place].number += 1
    let claims = machines[place].windows.claimSeats(["x": machine.left], now: now)
    let request = SeatRequest(
      number: machines[place].number, most: limits.most, useful: limits.useful, claims)
    machines[place].open = nil
    if isHarmed, random.oneIn(8) { return harms += 1 }
    let grants = ledger.seats(request, machine.name, machine.incarnation)
    if isHarmed, random.oneIn(8) { return harms += 1 }
    machines[place].open = (grants ?? [], now)
  }

  private mutating func hear(_ place: Int) {
    guard let (grants, asked) = machines[place].open else { return }
    machines[place].open = nil
    let jitter = Double(random.number(below: 1000)) / 1000
    machines[place].windows.grantSeats(
      grants, until: asked + Self.leaseTime, now: now, jitter: jitter)
    serve(place)
  }
}

private let reset = Failure(.passing, code: "network.reset", reason: "the connection broke")
