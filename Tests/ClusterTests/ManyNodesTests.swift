// SPDX-License-Identifier: Apache-2.0
// Many nodes at once, over a real PostgreSQL: nothing is given twice, nothing is lost, and no two wait for each other.

import Cluster
import Support
import Synchronization
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct ManyNodesTests {
  /// As a node does: the server may end a call that waits for long.
  private static func submit(
    _ list: Submission, to office: any ListOffice
  ) async throws -> Submitted {
    for _ in 1..<100 {
      do throws(Failure) { return try await office.submit(list) } catch {
        guard error.code == "ledger.lost" else { throw error }
      }
    }
    return try await office.submit(list)
  }

  @Test func `eight nodes that submit one list at once make one list`() async throws {
    try await WorldKind.postgres.use { world in
      let answers = try await withThrowingTaskGroup(of: Submitted.self) { group in
        for number in 1...8 {
          let office = try world.office("node \(number)")
          group.addTask {
            try await Self.submit(.sample("summer", origin: "\(number)"), to: office)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.list)).count == 1)
      #expect(answers.count { if case .list = $0 { true } else { false } } == 1)
    }
  }

  @Test func `one submission that is repeated at once on two connections makes one list`()
    async throws
  {
    try await WorldKind.postgres.use { world in
      for round in 1...20 {
        let (a, b) = (try world.office("a"), try world.office("b"))
        let sample = Submission.sample("list \(round)", origin: "origin \(round)")
        async let first = a.submit(sample)
        async let second = b.submit(sample)
        let answers = try await [first, second]
        #expect(answers[0] == answers[1])
      }
    }
  }

  @Test func `a list whose node died between its last report and its end is ended by another`()
    async throws
  {
    let world = try await PostgresWorld()
    let (a, b) = (try world.office("a"), try world.office("b") as any ListOffice)
    let list = try await a.submit(.sample("summer", photos: 8)).list
    let cancelled = try await a.submit(.sample("winter", photos: 8)).list
    for _ in 1...2 { #expect(try await a.lease(8).count == 1) }
    #expect(try await a.order(.cancel, of: cancelled))
    // The report of the last photos is one transaction, the end of the list the next one.
    _ = try await PostgresServer.shared.run(["DELETE FROM share"], at: world.place)
    #expect(try await b.lists(after: nil, most: 9, isOpen: true).map(\.list) == [list, cancelled])
    _ = try await b.pulse()
    #expect(try await b.progress(of: list)?.state == .finished)
    #expect(try await b.progress(of: cancelled)?.state == .cancelled)
    #expect(try await a.closed() == [list, cancelled])
    await world.close()
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `six nodes at once record each photo once, and every list ends`(_ seed: UInt64)
    async throws
  {
    try await WorldKind.postgres.use { world in
      let names = (1...6).map { "node \($0)" }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (place, name) in names.enumerated() {
          let node = BusyNode(
            office: try world.office(name), name: name, seed: seed * 100 + UInt64(place))
          group.addTask { try await node.run(steps: 60) }
        }
        try await group.waitForAll()
      }
      // One node does the rest.
      let last = try world.office("last")
      for list in try await last.lists(after: nil, most: 1000, isOpen: true) {
        _ = try await last.order(.resume, of: list.list)
      }
      for name in names { _ = try await last.drain(name, true) }
      _ = try await last.pulse()
      try await world.pass(.seconds(40))
      _ = try await last.pulse()
      var shares = try await last.lease(1000)
      while !shares.isEmpty {
        let turn = try await last.turn(
          shares.map { $0.report() }, lease: LeaseWish(photos: 1000))
        shares = turn.shares
      }
      let lists = try await last.lists(after: nil, most: 1000, isOpen: false)
      #expect(!lists.isEmpty)
      for list in lists {
        #expect(list.state.isFinal && list.leased == 0, "\(list)")
        let outcomes = try await last.outcomes(of: list.list, in: 1...1000)
        #expect(Set(outcomes.map(\.photo)).count == outcomes.count, "recorded twice")
        #expect(UInt32(outcomes.count) == list.filtered + list.failed)
        if list.state == .finished { #expect(UInt32(outcomes.count) == list.photos, "lost") }
      }
    }
  }
}

/// A node that does everything that nodes do, in a random order.
struct BusyNode: Sendable {
  let office: any ListOffice
  let name: String
  let seed: UInt64

  func run(steps: Int) async throws {
    var random = SimulatedRandom(seed: seed)
    var held: [Share] = []
    for step in 0..<steps {
      switch random.number(below: 10) {
      case 0:
        _ = try await office.submit(
          .sample(
            "list \(random.number(below: 3))", photos: UInt32(1 + random.number(below: 40)),
            owner: ["anna", "ben"][random.number(below: 2)], bytes: "\(random.number(below: 2))",
            ServiceClass.allCases[random.number(below: 5)], origin: "\(name) \(step)"))
      case 1...6:
        // Everything that it has, and more of it.
        let turn = try await office.turn(
          held.map { $0.report() }, lease: LeaseWish(photos: 16, largest: 8))
        #expect(!turn.verdicts.contains(.fenced))
        held = turn.shares
      case 7:
        if let share = held.popLast() {
          #expect(try await office.giveBack(share.id, after: .zero, waits: []))
        }
      case 8:
        let open = try await office.lists(after: nil, most: 100, isOpen: true)
        if let list = open.randomElement(using: &random) {
          let orders: [ListOrder] = [.pause, .resume, .resume, .cancel, .quality(.utility)]
          _ = try await office.order(orders[random.number(below: 5)], of: list.list)
        }
      default:
        let known = Set(try await office.pulse().leases.map(\.share.id))
        #expect(known == Set(held.map(\.id)))
        for list in try await office.closed() { try await office.returned(list) }
      }
    }
    for share in held { _ = try await office.giveBack(share.id, after: .zero, waits: []) }
  }
}
