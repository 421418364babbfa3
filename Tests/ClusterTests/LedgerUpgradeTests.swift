// SPDX-License-Identifier: Apache-2.0
// A ledger of an earlier release, which nodes of this one raise in place while others are at work.

import Cluster
import Foundation
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LedgerUpgradeTests {
  /// A database with the ledger of release 4.
  private static func old() async throws -> String {
    let place = try await PostgresServer.shared.database()
    let text = Repository.text("Tests/ClusterTests/Ledgers/release-4.sql")
    _ = try await PostgresServer.shared.run(LedgerSchema.statements(of: text), at: place)
    return place
  }

  private static func office(_ node: String, at place: String) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(server: place, node: node, run: 1, patience: Patience.time), clock: SystemClock())
  }

  private static func version(at place: String) async throws -> String {
    try await PostgresServer.shared.run(
      ["SELECT version || ' ' || oldest FROM release"], at: place)[
        0][0].text(0)
  }

  /// All that the schema consists of, by the words of the server.
  private static func form(at place: String) async throws -> [String] {
    try await PostgresServer.shared.run(
      [
        """
        SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'darkroom'::regnamespace
        UNION ALL SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
            a.attnotnull, a.attidentity, a.attgenerated, a.attstorage, a.attcollation::regcollation,
            pg_get_expr(d.adbin, d.adrelid))
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
          WHERE c.relnamespace = 'darkroom'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
        UNION ALL SELECT concat_ws(' ', relname, reloptions) FROM pg_class
          WHERE relnamespace = 'darkroom'::regnamespace
        UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
          JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = 'darkroom'::regnamespace
        UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
          FROM pg_constraint WHERE connamespace = 'darkroom'::regnamespace
        UNION ALL SELECT concat_ws(' ', 'release', version, oldest) FROM release
        ORDER BY 1
        """
      ], at: place)[0].map { $0.text(0) }
  }

  @Test func `a ledger of release 4 becomes what a new one is`() async throws {
    let (old, new) = (try await Self.old(), try await PostgresServer.shared.database())
    #expect(try await Self.form(at: old).contains("release 4 4"))
    for place in [old, new] {
      let office = try Self.office("a", at: place)
      defer { office.close() }
      #expect(try await office.pulse().leases.isEmpty)
    }
    let (raised, made) = (try await Self.form(at: old), try await Self.form(at: new))
    #expect(raised.count > 100 && raised.contains("release \(LedgerSchema.release) 4"))
    #expect(Set(raised).symmetricDifference(made).sorted() == [])
  }

  /// Its calls, by the words of release 4, in a session that is open all the time.
  @Test func `a node of release 4 goes on with a ledger that another node has raised`() async throws
  {
    let place = try await Self.old()
    try await onOwnThread {
      let clock = try SystemClock()
      let deadline = clock.uptime() + Patience.time
      let settings = [("options", "-c search_path=darkroom")]
      var session = try PostgresSession.open(place, settings, clock: clock, until: deadline)
      func ask(_ name: StaticString, _ words: String, _ values: [PostgresValue] = []) throws
        -> [PostgresRow]
      {
        try session.run([[PostgresStatement(name, words, values)]], until: deadline)[0].get()[0]
      }
      func enter(run: Int64, known: Int64) throws -> Int64 {
        try ask(
          "enter", "SELECT id, incarnation FROM enter($1::text, $2::int8, $3::int8)",
          [.text("old"), .int8(run), .int8(known)])[0].int(1)
      }
      func silence() throws -> Int64 {
        try ask("nodes", "SELECT name, silence, draining, leased FROM nodes()")[0].int(1)
      }
      #expect(try enter(run: 7, known: 0) == 1)
      #expect(try silence() <= 600)
      #expect(try LedgerUpgrade.run(at: place, settings, clock: clock, until: deadline))
      // It asks this when it connects again.
      #expect(try ask("release", "SELECT oldest FROM release")[0].int(0) <= 4)
      #expect(try enter(run: 7, known: 1) == 1)
      #expect(try enter(run: 8, known: 0) == 2)
      #expect(try silence() <= 600)
    }
    let office = try Self.office("new", at: place)
    defer { office.close() }
    #expect(
      try await office.nodes().map { "\($0.name) \($0.version)" } == [
        "new \(Release.version)", "old ",
      ])
  }

  @Test func `nodes that find an old ledger at once raise it once, and work`() async throws {
    let place = try await Self.old()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...6 {
        group.addTask {
          let office = try Self.office("node \(number)", at: place)
          defer { office.close() }
          #expect(try await Patience.sees { await failure { _ = try await office.pulse() } == nil })
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Self.version(at: place) == "\(LedgerSchema.release) 4")
  }

  @Test func `only the owner of the schema can raise it; then others work, too`() async throws {
    let place = try await Self.old()
    _ = try await PostgresServer.shared.run(
      [
        "CREATE ROLE helper LOGIN", "GRANT USAGE ON SCHEMA darkroom TO helper",
        "GRANT SELECT ON release TO helper",
      ], at: place)
    let helper = try Self.office(
      "helper", at: place.replacingOccurrences(of: "user=postgres", with: "user=helper"))
    defer { helper.close() }
    let refusal = await failure { _ = try await helper.pulse() }
    #expect(refusal?.code == "ledger.rights" && refusal?.kind == .machine)
    #expect(try await Self.version(at: place) == "4 4")
    let owner = try Self.office("owner", at: place)
    defer { owner.close() }
    #expect(try await owner.pulse().leases.isEmpty)
    #expect(try await helper.pulse().leases.isEmpty)
  }
}
