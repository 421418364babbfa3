// SPDX-License-Identifier: Apache-2.0
// Plays a scenario: lists come, nodes start, the time is measured, some nodes die, and the books are compared. Prints
// `begin` and `end` around the time that is measured, then a name and a number a line. Raises a `Failure` of the ledger.

import Cluster
import Linux
import Vocabulary

struct Conductor: Sendable {
  private let scenario: Scenario
  private let server: String
  private let tally = Tally()
  private let clock: SystemClock
  private let observer: PostgresOffice

  /// Between two looks at the ledger.
  private static let step = Duration.milliseconds(100)
  /// In one question.
  private static let span: UInt32 = 8192
  private static let users = 10

  init(_ scenario: Scenario, at server: String, _ clock: SystemClock) throws(SystemError) {
    (self.scenario, self.server, self.clock) = (scenario, server, clock)
    observer = try PostgresOffice(
      LedgerPlace(server: server, node: "observer", run: 1, patience: .seconds(30)), clock: clock)
  }

  func play() async throws(Failure) {
    for number in 0..<scenario.lists { try await submit(number) }
    for number in 0..<scenario.nodes {
      try asMachine { () throws(SystemError) in
        let node = try SleepingNode(number, at: server, scenario, tally, clock)
        TaskHome.quick.start {
          var node = node
          await node.run()
        }
      }
    }
    while tally.counts.present < scenario.nodes { await clock.rest(Self.step) }
    await measure()
    if scenario.deaths > 0 { try await bury() }
    if scenario.whole == 1 { try await finish() }
    tally.stop()
    tell("refused", tally.counts.refused)
    tell("failures", tally.counts.failures)
  }

  private func tell(_ name: String, _ number: some CustomStringConvertible) {
    try? StandardStream.output.write(Array("\(name) \(number)\n".utf8))
  }

  private func submit(_ number: Int) async throws(Failure) {
    _ = try await observer.submit(
      Submission(
        origin: "origin \(number)", owner: "user \(number % Self.users)",
        name: Array("list \(number)".utf8), sha256: "\(number)",
        serviceClass: .default, photos: UInt32(scenario.photos),
        folder: Array("list \(number)".utf8)))
  }

  private func measure() async {
    await clock.rest(.seconds(scenario.settle))
    let (before, start) = (tally.counts, clock.uptime())
    tell("begin", scenario.nodes)
    await clock.rest(.seconds(scenario.seconds))
    let (after, time) = (tally.counts, clock.uptime() - start)
    tell("end", scenario.nodes)
    tell("seconds", time / .seconds(1))
    tell("photos", after.photos - before.photos)
    tell("turns", after.turns - before.turns)
    tell("reports", after.reports - before.reports)
    tell("leases", after.leases - before.leases)
    tell("pulses", after.pulses - before.pulses)
  }

  // MARK: deaths

  private func bury() async throws(Failure) {
    var numbers = Array(0..<scenario.nodes)
    var random = SeededRandom(seed: UInt64(scenario.seed))
    numbers.shuffle(using: &random)
    let dead = Set(numbers.prefix(scenario.deaths))
    let names = Set(dead.map(SleepingNode.name))
    tally.kill(dead)
    let start = clock.uptime()
    var most = 0
    while true {
      let leased = try await observer.nodes().filter { names.contains($0.name) }
        .reduce(0) { $0 + Int($1.leased) }
      most = max(most, leased)
      if leased == 0 { break }
      await clock.rest(Self.step)
    }
    tell("orphans", most)
    tell("recovery", (clock.uptime() - start) / .seconds(1))
  }

  // MARK: the books

  private func finish() async throws(Failure) {
    while true {
      let open = try await all(isOpen: true)
      if open.isEmpty { break }
      await clock.rest(Self.step)
    }
    tally.stop()
    var (recorded, different) = (0, 0)
    for list in try await all(isOpen: false) {
      recorded += Int(list.filtered + list.failed)
      different += try await photos(of: list)
    }
    tell("all", scenario.lists * scenario.photos)
    tell("lost", scenario.lists * scenario.photos - different)
    tell("twice", recorded - different)
  }

  private func all(isOpen: Bool) async throws(Failure) -> [ListProgress] {
    var found: [ListProgress] = []
    while true {
      let more = try await observer.lists(after: found.last?.list, most: 1000, isOpen: isOpen)
      found += more
      if more.count < 1000 { return found }
    }
  }

  /// How many photos have an end. A row in two reports counts as one that is there twice.
  private func photos(of list: ListProgress) async throws(Failure) -> Int {
    var (count, first) = (0, UInt32(1))
    while first <= list.photos {
      let last = min(list.photos, first + Self.span - 1)
      let ends = try await observer.outcomes(of: list.list, from: nil, in: first...last)
      count += Set(ends.map(\.photo)).count
      first = last + 1
    }
    return count
  }
}

/// SplitMix64.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
