// SPDX-License-Identifier: Apache-2.0
// Calls of several nodes at once, over a real PostgreSQL, in an order that is fixed: one transaction is held open while
// others begin, wait for it, or must not wait. Those that wait do so without the time limit of a node's session.

import Cluster
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct InterleavedCallTests {
  private func lease(as node: Int) -> String {
    "SELECT list FROM lease(\(node), 1, 8, 8, 4::int2, false, '{}', '{}', '{}', 30000)"
  }

  private func lock(_ list: LedgerList) -> String {
    "SELECT FROM list WHERE id = \(list.number) FOR UPDATE"
  }

  private func use(_ body: (PostgresWorld) async throws -> Void) async throws {
    try await WorldKind.postgres.use { try await body(#require($0 as? PostgresWorld)) }
  }

  @Test func `a share that a node takes while its list is cancelled is its own until it reports`()
    async throws
  {
    try await use { world in
      let node = try world.office("a")
      let list = try await node.submit(.sample("summer", photos: 16)).list
      for share in try await node.lease(16, largest: 8) {
        #expect(try await node.giveBack(share.id, after: .zero, waits: []))
      }
      var taker = try OpenTransaction.begin(at: world.place)
      try taker.run([lease(as: 1)])
      #expect(try await node.order(.cancel, of: list), "it waits for no node")
      try taker.end()
      #expect(try await node.progress(of: list)?.state == .cancelling)
      let share = try #require(try await node.pulse().leases.first?.share)
      #expect(try await node.report(share.report([0, 1, 2, 3, 4, 5, 6, 7])) == .cancel)
      #expect(try await node.progress(of: list)?.state == .cancelled)
    }
  }

  @Test func `a node takes no more of what came back than it leases`() async throws {
    try await use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      _ = try await a.submit(.sample("summer", photos: 80))
      for share in try await a.lease(80, largest: 8) {
        #expect(try await a.giveBack(share.id, after: .zero, waits: []))
      }
      var taker = try OpenTransaction.begin(at: world.place)
      try taker.run([lease(as: 1)])
      #expect(try await b.lease(8, largest: 8).map(\.id.first) == [9])
      try taker.end()
    }
  }

  @Test func `a node whose list is taken while it waits for it has the next one`() async throws {
    try await use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      _ = try await a.submit(.sample("summer", photos: 8))
      let second = try await a.submit(.sample("winter", photos: 8)).list
      var taker = try OpenTransaction.begin(at: world.place)
      try taker.run([lease(as: 1)])
      _ = try await b.pulse()
      async let leased = PostgresServer.shared.run([lease(as: 2)], at: world.place)
      #expect(try await taker.blocks())
      try taker.end()
      #expect(try await leased[0].map { UInt64($0.int(0)) } == [second.number])
    }
  }

  /// That call may keep a list that it waited for in vain, and wait for one of these.
  @Test func `a node that ends several lists holds one at a time`() async throws {
    try await use { world in
      let node = try world.office("a")
      let first = try await node.submit(.sample("summer", photos: 8)).list
      let second = try await node.submit(.sample("winter", photos: 8)).list
      let shares = try await node.lease(8) + node.lease(8)
      _ = try await node.turn(shares.map { $0.report() }, lease: nil)
      #expect(try await node.closed() == [first, second])
      let enders = try await PostgresServer.shared.run(
        ["SELECT DISTINCT xmin::text FROM list"], at: world.place)
      #expect(enders[0].count == 2, "each in a transaction of its own")
    }
  }

  @Test func `a pulse that ends lists waits for none`() async throws {
    try await use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let first = try await a.submit(.sample("summer", photos: 8)).list
      let second = try await a.submit(.sample("winter", photos: 8)).list
      #expect(try await (a.lease(8) + a.lease(8)).count == 2)
      // The node reported the last photos, and did not end the lists.
      _ = try await PostgresServer.shared.run(["DELETE FROM share"], at: world.place)
      var keeper = try OpenTransaction.begin(at: world.place)
      try keeper.run([lock(first)])
      _ = try await b.pulse()
      #expect(try await a.closed() == [second])
      try keeper.end()
      _ = try await b.pulse()
      #expect(try await a.closed() == [first, second])
    }
  }

  @Test func `photos that are put off while a node waits for their list are not leased`()
    async throws
  {
    try await use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8)).list
      let share = try #require(try await a.lease(8).first)
      #expect(try await a.giveBack(share.id, after: .zero, waits: []))
      let focus = LedgerFocus(list, viewer: "0", photos: [1], time: .seconds(60))
      #expect(try await a.focus(focus) == .set(left: 1))
      var keeper = try OpenTransaction.begin(at: world.place)
      try keeper.run([lock(list)])
      _ = try await b.pulse()
      async let leased = PostgresServer.shared.run(
        ["SELECT list FROM lease_ahead(2, 1, 8, '{}')"], at: world.place)
      #expect(try await keeper.blocks())
      _ = try await PostgresServer.shared.run(
        ["UPDATE share SET run_at = run_at + interval '30 s'"], at: world.place)
      try keeper.end()
      #expect(try await leased[0].isEmpty)
    }
  }

  @Test func `a node that is back while another one judges it returns its lists`() async throws {
    try await use { world in
      let (a, b, late) = (try world.office("a"), try world.office("b"), try world.office("late"))
      _ = try await b.pulse()
      let first = try await a.submit(.sample("summer", photos: 8)).list
      let second = try await a.submit(.sample("winter", photos: 8)).list
      #expect(try await a.lease(8).map(\.id.list) == [first])
      // The node reported the last photos, and did not end the list. The pulse that does waits for what is left of it.
      _ = try await PostgresServer.shared.run(
        ["DELETE FROM share", "INSERT INTO cut VALUES (\(first.number), 1, 1)"], at: world.place)
      try await world.pass(.seconds(40))
      let share = try #require(try await late.lease(8).first)
      #expect(share.id.list == second)
      var keeper = try OpenTransaction.begin(at: world.place)
      try keeper.run(["SELECT FROM cut FOR UPDATE"])
      async let pulse = PostgresServer.shared.run(
        ["SELECT FROM pulse(1, 1, 30000)"], at: world.place)
      #expect(try await keeper.blocks())
      _ = try await PostgresServer.shared.run(["SELECT enter('a', 1, 1, '')"], at: world.place)
      #expect(try await late.report(share.report()) == .recorded)
      try keeper.end()
      _ = try await pulse
      #expect(try await b.closed() == [])
      #expect(try await a.closed() == [first, second])
    }
  }
}

/// A transaction that others may have to wait for.
struct OpenTransaction: ~Copyable {
  private var session: PostgresSession
  private let place: String
  private let deadline: Duration
  private let process: Int64

  static func begin(at place: String) throws -> OpenTransaction {
    let clock = try SystemClock()
    let deadline = clock.uptime() + Patience.time
    var session = try PostgresSession.open(
      place, [("options", "-c search_path=darkroom")], clock: clock, until: deadline)
    let words = ["BEGIN", "SELECT pg_backend_pid()::int8"]
    let rows = try session.run([words.map { PostgresStatement("", $0) }], until: deadline)
    let process = try rows[0].get()[1][0].int(0)
    return OpenTransaction(session: session, place: place, deadline: deadline, process: process)
  }

  mutating func run(_ words: [String]) throws {
    _ = try session.run([words.map { PostgresStatement("", $0) }], until: deadline)[0].get()
  }

  mutating func end() throws { try run(["COMMIT"]) }

  /// Returns true once a call waits for this transaction.
  func blocks() async throws -> Bool {
    let waiting = """
      SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND \(process) = ANY (pg_blocking_pids(pid))
      """
    return try await Patience.sees {
      try await PostgresServer.shared.run([waiting], at: place)[0][0].int(0) > 0
    }
  }
}
