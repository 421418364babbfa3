// SPDX-License-Identifier: Apache-2.0
// Random histories of three nodes: every answer of every office is that of the model.

import Cluster
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct OfficeHistoryTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `every answer is the model's`(_ seed: UInt64) async throws {
    try await WorldKind.model.use { model in
      try await WorldKind.postgres.use { world in
        var history = OfficeHistory(seed: seed, model, world)
        for _ in 0..<150 { try await history.step() }
        try await history.settle()
      }
    }
  }

  @Test func `the clock of this ledger moves with a call alone`() async throws {
    let world = try await PostgresWorld()
    func differences() async throws -> Int64? {
      let query = """
        SELECT (SELECT count(*) FROM node WHERE seen <> now OR entered <> now)
          + (SELECT count(*) FROM list WHERE accepted <> now)
          + (SELECT count(*) FROM share WHERE run_at <> now) FROM still
        """
      return try await PostgresServer.shared.run([query], at: world.place).first?.first?.int(0)
    }
    let office = try world.office("a")
    _ = try await office.submit(.sample("barn"))
    _ = try await office.turn([], lease: LeaseWish(photos: 8, largest: 8))
    #expect(try await differences() == 0)
    try await world.pass(.seconds(1))
    #expect(try await differences() ?? 0 > 0)
    await world.close()
  }
}

/// The nodes' beliefs about their shares. Some are wrong on purpose: a report may be late, or repeated.
struct OfficeHistory {
  private struct Held {
    var share: Share
    var done: PhotoMask
    var sequence: UInt32 = 0
  }

  private let worlds: [any OfficeWorld]
  private var offices: [[any ListOffice]]
  private var runs: [UInt64] = [1, 1, 1]
  private var held: [[Held]] = [[], [], []]
  private var sent: [ShareReport] = []
  private var lists: [LedgerList] = []
  private var random: SimulatedRandom
  private var submissions = 0
  private static let names = ["a", "b", "c"]

  init(seed: UInt64, _ worlds: any OfficeWorld...) {
    random = SimulatedRandom(seed: seed)
    self.worlds = worlds
    offices = []
  }

  /// Makes the call in every world, and compares the answers with that of the first.
  private func same<Answer: Equatable>(
    _ node: Int, _ call: (any ListOffice) async throws -> Answer,
    at place: SourceLocation = #_sourceLocation
  ) async throws -> Answer? {
    var answers: [Answer?] = []
    for world in offices { answers.append(try? await call(world[node])) }
    for answer in answers.dropFirst() {
      #expect(answer == answers[0], sourceLocation: place)
    }
    return answers[0]
  }

  private mutating func begin() throws {
    if !offices.isEmpty { return }
    offices = try worlds.map { world in
      try Self.names.map { try world.office($0, run: 1) }
    }
  }

  mutating func step() async throws {
    try begin()
    let node = random.number(below: 3)
    switch random.number(below: 100) {
    case 0..<10: try await submit(node)
    case 10..<35: try await lease(node)
    case 35..<65: try await report(node)
    case 65..<70: try await repeatReport(node)
    case 70..<76: try await giveBack(node)
    case 76..<84: try await pulse(node)
    case 84..<90: try await order(node)
    case 90..<93: for world in worlds { try await world.pass(.seconds(20)) }
    case 93..<96: try await focus(node)
    case 96: try await drain(node)
    case 97: try await restart(node)
    default: try await ends(node)
    }
  }

  private mutating func submit(_ node: Int) async throws {
    submissions += 1
    // A repeated origin now and then.
    let origin = random.oneIn(6) ? max(1, submissions - 1) : submissions
    let sample = Submission.sample(
      "list \(random.number(below: 4))", photos: UInt32(1 + random.number(below: 60)),
      owner: ["anna", "ben", "Zoë"][random.number(below: 3)],
      bytes: "\(random.number(below: 2))", ServiceClass.allCases[random.number(below: 5)],
      origin: "\(origin)", isFolderFree: !random.oneIn(5), isRoll: random.oneIn(8))
    if let answer = try await same(node, { try await $0.submit(sample) }) {
      if !lists.contains(answer.list) { lists.append(answer.list) }
    }
  }

  private mutating func lease(_ node: Int) async throws {
    let wish = LeaseWish(
      photos: 1 + random.number(below: 40), largest: 1 + random.number(below: 20),
      upTo: ServiceClass.allCases[random.oneIn(3) ? random.number(below: 5) : 4],
      isReversed: random.oneIn(8), full: lists.filter { _ in random.oneIn(6) },
      standing: lists.filter { _ in random.oneIn(2) }.map {
        LeaseWish.Standing($0, photos: random.number(below: 90))
      })
    let turn = try await same(node) { try await $0.turn([], lease: wish) }
    held[node] += turn?.shares.map { Held(share: $0, done: $0.done) } ?? []
  }

  private mutating func report(_ node: Int) async throws {
    guard !held[node].isEmpty else { return }
    let place = random.number(below: held[node].count)
    var own = held[node][place]
    let left = (0..<own.share.photos).filter { !own.done.contains($0) }
    guard !left.isEmpty else { return }
    let isAll = random.oneIn(2)
    let places = isAll ? left : left.filter { _ in random.oneIn(2) }
    var report = own.share.report(
      places, sequence: own.sequence + 1, failed: Set(places.filter { _ in random.oneIn(4) }),
      isLast: places.count == left.count)
    if random.oneIn(12) {
      // Another lease, or another number.
      report = ShareReport(
        ShareID(
          list: own.share.id.list, first: own.share.id.first, epoch: own.share.id.epoch + 1),
        photos: report.photos, sequence: report.sequence, report.outcomes, isLast: report.isLast)
    }
    let wish = random.oneIn(3) ? LeaseWish(photos: 8, largest: 8) : nil
    guard let turn = try await same(node, { try await $0.turn([report], lease: wish) }) else {
      return
    }
    sent.append(report)
    if turn.verdicts != [.fenced] {
      own.sequence = report.sequence
      own.done.formUnion(report.mask)
      held[node][place] = own
      if report.isLast { held[node].remove(at: place) }
    } else if random.oneIn(2) {
      held[node].remove(at: place)
    }
    held[node] += turn.shares.map { Held(share: $0, done: $0.done) }
  }

  private mutating func repeatReport(_ node: Int) async throws {
    guard !sent.isEmpty else { return }
    let report = sent[random.number(below: sent.count)]
    _ = try await same(node) { try await $0.turn([report], lease: nil) }
  }

  private mutating func giveBack(_ node: Int) async throws {
    guard !held[node].isEmpty else { return }
    let own = held[node].remove(at: random.number(below: held[node].count))
    let delay = Duration.seconds(random.oneIn(2) ? 0 : 10)
    let waits = [UInt8](repeating: 7, count: random.number(below: 4))
    _ = try await same(node) { try await $0.giveBack(own.share.id, after: delay, waits: waits) }
  }

  private mutating func pulse(_ node: Int) async throws {
    _ = try await same(node) { try await $0.pulse() }
  }

  private mutating func order(_ node: Int) async throws {
    guard !lists.isEmpty else { return }
    let list = lists[random.number(below: lists.count)]
    let order: ListOrder =
      switch random.number(below: 6) {
      case 0...1: .pause
      case 2...3: .resume
      case 4: .cancel
      default: .quality(ServiceClass.allCases[random.number(below: 5)])
      }
    _ = try await same(node) { try await $0.order(order, of: list) }
  }

  private mutating func focus(_ node: Int) async throws {
    guard !lists.isEmpty else { return }
    let list = lists[random.number(below: lists.count)]
    let first = 1 + random.number(below: 60)
    let photos = (first..<(first + random.number(below: 50))).filter { _ in !random.oneIn(9) }
    let focus = LedgerFocus(
      list, viewer: OutsideText(checked: "\(random.number(below: 3))"),
      photos: photos.map { UInt32($0) },
      time: .seconds(30))
    _ = try await same(node) { try await $0.focus(focus) }
    let asked = lists
    _ = try await same(node) { try await $0.focuses(on: asked) }
    let besides = random.oneIn(3) ? [list] : []
    let wish = AheadWish(photos: 1 + random.number(below: 40), besides: besides)
    let shares = try await same(node) { try await $0.leaseAhead(wish) }
    held[node] += shares?.map { Held(share: $0, done: $0.done) } ?? []
  }

  private mutating func drain(_ node: Int) async throws {
    let name = Self.names[random.number(below: 3)]
    let isOn = random.oneIn(3)
    _ = try await same(node) { try await $0.drain(name, isOn) }
  }

  private mutating func restart(_ node: Int) async throws {
    runs[node] += 1
    for place in worlds.indices {
      offices[place][node] = try worlds[place].office(Self.names[node], run: runs[node])
    }
    // The new daemon knows its shares, or has lost them.
    if random.oneIn(2) { held[node] = [] }
    try await pulse(node)
  }

  private mutating func ends(_ node: Int) async throws {
    let over = try await same(node, { try await $0.closed() }) ?? []
    for list in over {
      _ = try await same(node) { office in
        try await office.returned(list)
        return true
      }
    }
    let old = try await same(node, { try await $0.retire(olderThan: .seconds(50)) }) ?? []
    for list in old where !random.oneIn(3) {
      _ = try await same(node) { office in
        try await office.retired(list)
        return true
      }
    }
  }

  /// Compares everything that can be seen.
  mutating func settle() async throws {
    for node in 0..<3 { try await pulse(node) }
    _ = try await same(0) { try await $0.lists(after: nil, most: 1000, isOpen: false) }
    for list in lists {
      _ = try await same(1) { try await $0.outcomes(of: list, in: 1...100) }
      _ = try await same(1) { try await $0.submission(of: list) }
    }
    _ = try await same(2) {
      try await $0.nodes().map { [$0.name, "\($0.isDraining) \($0.leased)"] }
    }
  }
}
