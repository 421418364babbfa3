// SPDX-License-Identifier: Apache-2.0
// A ledger of an earlier release, which nodes of this one upgrade in place while others are at work.

import Cluster
import Foundation
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LedgerUpgradeTests {
  /// A database with the ledger of an earlier release.
  static func old(
    _ release: Int = 4, of role: String = "postgres", at server: PostgresServer = .shared
  ) async throws -> String {
    let place = try await server.database()
    let text = Repository.text("Tests/ClusterTests/Ledgers/release-\(release).sql")
    let database = place.split(separator: "=").last ?? ""
    _ = try await server.run(
      ["GRANT CREATE ON DATABASE \(database) TO \(role)", "SET ROLE \(role)"]
        + LedgerSchema.statements(of: text), at: place)
    return place
  }

  private static func office(
    _ node: String, at place: String, of role: String = "postgres"
  ) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(
        server: place.replacingOccurrences(of: "user=postgres", with: "user=\(role)"), node: node,
        run: 1, patience: Patience.time), clock: SystemClock())
  }

  static func release(
    at place: String, of server: PostgresServer = .shared
  ) async throws -> String {
    let rows = try await server.run(["SELECT version || ' ' || oldest FROM release"], at: place)
    return rows[0][0].text(0)
  }

  /// All that the schema consists of, by the words of the server.
  private static func form(at place: String) async throws -> [String] {
    try await PostgresServer.shared.run(
      [
        """
        SELECT concat_ws(' ', pg_get_functiondef(oid), proowner::regrole, proacl)
          FROM pg_proc WHERE pronamespace = 'darkroom'::regnamespace
        UNION ALL SELECT concat_ws(' ', c.relname, a.attnum, a.attname,
            format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
            a.attstorage, a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid))
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
          WHERE c.relnamespace = 'darkroom'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
        UNION ALL SELECT concat_ws(' ', relname, relowner::regrole, relacl, reloptions)
          FROM pg_class WHERE relnamespace = 'darkroom'::regnamespace
        UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
          JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = 'darkroom'::regnamespace
        UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
          FROM pg_constraint WHERE connamespace = 'darkroom'::regnamespace
        UNION ALL SELECT concat_ws(' ', 'release', version, oldest) FROM release
        ORDER BY 1
        """
      ], at: place)[0].map { $0.text(0) }
  }

  /// Every release from the first that can be upgraded on.
  @Test(arguments: 4...LedgerSchema.release)
  func `a ledger of an earlier release becomes what a new one is`(release: Int32) async throws {
    let (old, new) = (try await Self.old(Int(release)), try await PostgresServer.shared.database())
    #expect(try await Self.release(at: old) == "\(release) 4")
    for place in [old, new] {
      let office = try Self.office("a", at: place)
      defer { office.close() }
      #expect(try await office.pulse().leases.isEmpty)
    }
    let (upgraded, made) = (try await Self.form(at: old), try await Self.form(at: new))
    #expect(made.count > 100 && made.contains("release \(LedgerSchema.release) 4"))
    #expect(Set(upgraded).symmetricDifference(made).sorted() == [])
  }

  /// With the words of its calls, in a session that is open all the time.
  @Test
  func `a node of release 4 continues to use a ledger that another node has upgraded`() async throws
  {
    let place = try await Self.old()
    try await onOwnThread {
      let clock = try SystemClock()
      let deadline = clock.uptime() + Patience.time
      let settings = [("options", "-c search_path=darkroom")]
      var session = try PostgresSession.open(place, settings, clock: clock, until: deadline)
      var other = try PostgresSession.open(place, settings, clock: clock, until: deadline)
      func ask(_ name: StaticString, _ words: String, _ values: [PostgresValue] = []) throws
        -> [PostgresRow]
      {
        try session.run([[PostgresStatement(name, words, values)]], until: deadline)[0].get()[0]
      }
      func enter(run: Int64, known: Int64) throws -> Int64 {
        let rows = try ask("release", "SELECT version, oldest FROM release")
        #expect(rows[0].int(0) >= 4 && rows[0].int(1) <= 4)
        return try ask(
          "enter", "SELECT id, incarnation FROM enter($1::text, $2::int8, $3::int8)",
          [.text("old"), .int8(run), .int8(known)])[0].int(1)
      }
      func nodes() throws -> [String] {
        try ask("nodes", "SELECT name, silence, draining, leased FROM nodes()")
          .map { "\($0.text(0)) \($0.bool(2)) \($0.int(3))" }
      }
      #expect(try enter(run: 7, known: 0) == 1)
      #expect(try nodes() == ["old false 0"])
      #expect(try LedgerUpgrade.run(&other, until: deadline))
      #expect(try enter(run: 7, known: 1) == 1)
      #expect(try enter(run: 8, known: 0) == 2)
      #expect(try nodes() == ["old false 0"])
    }
    let office = try Self.office("new", at: place)
    defer { office.close() }
    let found = try await office.nodes().map { "\($0.name) \($0.version)" }
    #expect(found == ["new \(Release.version)", "old "])
  }

  @Test func `of nodes that find an old ledger together, one upgrades it, and all work`()
    async throws
  {
    let place = try await Self.old()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...6 {
        group.addTask {
          let office = try Self.office("node \(number)", at: place)
          defer { office.close() }
          #expect(await failure { _ = try await office.pulse() } == nil)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Self.release(at: place) == "\(LedgerSchema.release) 4")
  }

  @Test func `a table that is read lets the upgrade wait, and no node waits for it`() async throws {
    let place = try await Self.old()
    let office = try Self.office("a", at: place)
    defer { office.close() }
    var reader = try OpenTransaction.begin(at: place)
    try reader.run(["SELECT FROM node"])
    let refusal = await failure { _ = try await office.pulse() }
    #expect(refusal?.code == "ledger.upgrade" && refusal?.kind == .machine)
    #expect(try await Self.release(at: place) == "4 4")
    _ = try await PostgresServer.shared.run(["SELECT enter('b', 1, 0)"], at: place)
    try reader.end()
    #expect(try await answers(office))
  }

  @Test func `the role of the schema upgrades it, or a superuser in its place`() async throws {
    _ = try await PostgresServer.shared.run(
      ["CREATE ROLE keeper LOGIN", "CREATE ROLE helper LOGIN"],
      at: PostgresServer.shared.place(of: "postgres"))
    let place = try await Self.old(of: "keeper")
    _ = try await PostgresServer.shared.run(
      ["GRANT USAGE ON SCHEMA darkroom TO helper", "GRANT SELECT ON release TO helper"], at: place)
    let helper = try Self.office("helper", at: place, of: "helper")
    defer { helper.close() }
    let refusal = await failure { _ = try await helper.pulse() }
    #expect(refusal?.code == "ledger.upgrade" && refusal?.advice.contains("role") == true)
    #expect(try await Self.release(at: place) == "4 4")
    let superuser = try Self.office("superuser", at: place)
    defer { superuser.close() }
    #expect(try await superuser.pulse().leases.isEmpty)
    let owners = try await PostgresServer.shared.run(
      [
        """
        SELECT DISTINCT proowner::regrole::text FROM pg_proc
          WHERE pronamespace = 'darkroom'::regnamespace
        """
      ], at: place)
    #expect(owners[0].map { $0.text(0) } == ["keeper"])
    let keeper = try Self.office("keeper", at: place, of: "keeper")
    defer { keeper.close() }
    #expect(try await answers(helper))
    #expect(try await keeper.pulse().leases.isEmpty)
  }
}
