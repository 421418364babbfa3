// SPDX-License-Identifier: Apache-2.0
// A ledger of an earlier release, which nodes of a later one upgrade in place while others are at work. Ledgers/release-1.sql
// is the first release; the steps to later ones are made up. To write the dump again after a change of the schema, run
//
//   DARKROOM_REWRITE=1 swift test --filter LedgerUpgradeTests

import Cluster
import Foundation
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LedgerUpgradeTests {
  private static let dump = "Tests/ClusterTests/Ledgers/release-1.sql"
  private static let isRewriting =
    ProcessInfo.processInfo.environment["DARKROOM_REWRITE"]?.isEmpty == false
  private static let steps = [
    "ALTER TABLE node ADD colour text NOT NULL DEFAULT 'red';\n",
    "ALTER TABLE node ADD weight int;\nALTER TABLE node ALTER colour SET DEFAULT 'blue';\n",
  ]
  /// Of a program one release later.
  static let next = LedgerUpgrade(steps: [steps[0]])

  /// A database with the ledger of release 1.
  static func old(
    of role: String = "postgres", at server: PostgresServer = .shared, in place: String? = nil,
    after settings: [String] = []
  ) async throws -> String {
    let place = if let place { place } else { try await server.database() }
    let database = place.split(separator: "=").last ?? ""
    _ = try await server.run(
      settings + ["GRANT CREATE ON DATABASE \(database) TO \(role)", "SET ROLE \(role)"]
        + LedgerSchema.statements(of: Repository.text(dump)), at: place)
    return place
  }

  private static func office(
    _ node: String, at place: String, of role: String = "postgres", run: UInt64 = 1,
    _ upgrade: LedgerUpgrade = next
  ) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(
        server: place.replacingOccurrences(of: "user=postgres", with: "user=\(role)"), node: node,
        run: run, patience: Patience.time, upgrade: upgrade), clock: SystemClock())
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
        UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t
          JOIN pg_class c ON c.oid = t.tgrelid
          WHERE c.relnamespace = 'darkroom'::regnamespace AND NOT t.tgisinternal
        UNION ALL SELECT concat_ws(' ', 'release', version, oldest) FROM release
        ORDER BY 1
        """
      ], at: place)[0].map { $0.text(0) }
  }

  private static func pulse(_ upgrade: LedgerUpgrade, at place: String) async throws {
    let office = try office("a", at: place, upgrade)
    defer { office.close() }
    #expect(try await office.pulse().leases.isEmpty)
  }

  private static func write(dumpOf place: String) async {
    let script = #"""
      { echo "-- SPDX-License-Identifier: Apache-2.0"
        echo "-- The ledger as release 1 makes it: the output of pg_dump --schema-only without its comments and settings, and"
        echo "-- the row of its release."
        echo "SET check_function_bodies = false;"
        pg_dump --schema-only --no-owner "$1" | sed -e '/^--/d' -e '/^SET /d' -e '/^SELECT /d' -e '/^\\/d' -e '/^$/d'
        echo "INSERT INTO darkroom.release VALUES (1, 1);"; } >"$2"
      """#
    #expect(
      await HelperProcess.status(of: ["sh", "-c", script, "sh", place, Repository.path(Self.dump)])
        == 0)
  }

  @Test func `an empty database gets the ledger of the dump`() async throws {
    let new = try await PostgresServer.shared.database()
    try await Self.pulse(.own, at: new)
    if Self.isRewriting { await Self.write(dumpOf: new) }
    let (made, old) = (try await Self.form(at: new), try await Self.form(at: Self.old()))
    #expect(made.count > 100 && made.contains("release 1 1"))
    #expect(
      Set(made).symmetricDifference(old).sorted() == [],
      "DARKROOM_REWRITE=1 swift test --filter LedgerUpgradeTests writes the dump again")
  }

  /// The ledger has taken some steps already.
  @Test(arguments: 0...2)
  func `a ledger of any earlier release becomes what a new one is`(taken: Int) async throws {
    let place = try await Self.old()
    let other = "CREATE OR REPLACE FUNCTION is_node(me int, inc bigint) RETURNS bool LANGUAGE sql"
    _ = try await PostgresServer.shared.run(["\(other) AS $$ SELECT false $$"], at: place)
    let before = LedgerUpgrade(steps: Array(Self.steps.prefix(taken)))
    try await Self.pulse(before, at: place)
    #expect(try await Self.release(at: place) == "\(taken + 1) 1")
    let last = LedgerUpgrade(steps: Self.steps)
    try await Self.pulse(last, at: place)
    let upgraded = try await Self.form(at: place)
    let new = try await PostgresServer.shared.database()
    try await Self.pulse(.own, at: new)
    let made = try await Self.form(at: new)
    let changes = Set(upgraded).symmetricDifference(made)
    #expect(changes.count == 4 && upgraded.contains("release 3 1"), "\(changes)")
    #expect(changes.filter { $0.contains("colour") && $0.contains("blue") }.count == 1)
    #expect(changes.filter { $0.contains("weight") }.count == 1)
  }

  @Test func `a node of release 1 continues to use a ledger that another node has upgraded`()
    async throws
  {
    let place = try await Self.old()
    let old = try Self.office("old", at: place, .own)
    defer { old.close() }
    #expect(try await old.pulse().leases.isEmpty)
    let new = try Self.office("new", at: place)
    defer { new.close() }
    #expect(try await new.pulse().leases.isEmpty)
    #expect(try await Self.release(at: place) == "2 1")
    #expect(try await old.pulse().leases.isEmpty)
    let again = try Self.office("old", at: place, run: 2, .own)
    defer { again.close() }
    let found = try await again.nodes().map { "\($0.name) \($0.version)" }
    #expect(found == ["new \(Release.version)", "old \(Release.version)"])
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
    #expect(try await Self.release(at: place) == "2 1")
  }

  @Test func `a table that is read lets the upgrade wait, and no node waits for it`() async throws {
    let place = try await Self.old()
    let office = try Self.office("a", at: place)
    defer { office.close() }
    var reader = try OpenTransaction.begin(at: place)
    try reader.run(["SELECT FROM node"])
    let refusal = await failure { _ = try await office.pulse() }
    #expect(refusal?.code == "ledger.upgrade" && refusal?.kind == .machine)
    #expect(try await Self.release(at: place) == "1 1")
    _ = try await PostgresServer.shared.run(["SELECT enter('b', 1, 0, '')"], at: place)
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
    #expect(try await Self.release(at: place) == "1 1")
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
