// SPDX-License-Identifier: Apache-2.0
// The office over a real PostgreSQL, with a database of its own. The clock of the ledger stands still but for `pass`: a
// busy machine ends no lease.

import Cluster
import Linux
import Postgres
import Support
import Synchronization
import Testing
import Vocabulary

final class PostgresWorld: OfficeWorld {
  let place: String
  private let offices = Mutex<[PostgresOffice]>([])

  init() async throws {
    place = try await PostgresServer.shared.database()
    try await onOwnThread { [place] in
      try LedgerSchema.install(at: place, clock: SystemClock(), within: .seconds(Patience.seconds))
    }
    _ = try await PostgresServer.shared.run(Self.stillClock, at: place)
  }

  /// Puts a function before that of PostgreSQL, for the functions of the ledger and the defaults of its columns.
  private static let stillClock = [
    "CREATE TABLE still (now timestamptz NOT NULL)",
    "INSERT INTO still VALUES (clock_timestamp())",
    """
    CREATE FUNCTION darkroom.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT now FROM darkroom.still'
    """,
    """
    DO $$
    DECLARE f regprocedure; c record;
    BEGIN
      FOR f IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = 'darkroom'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = darkroom, pg_catalog, pg_temp', f);
      END LOOP;
      FOR c IN SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'darkroom' AND column_default LIKE '%clock_timestamp()%' LOOP
        EXECUTE format('ALTER TABLE %I ALTER %I SET DEFAULT darkroom.clock_timestamp()',
          c.table_name, c.column_name);
      END LOOP;
    END $$
    """,
  ]

  func office(_ node: String, run: UInt64) throws -> any ListOffice {
    try office(node, run: run) { _ in }
  }

  func office(
    _ node: String, run: UInt64 = 1, ring: @escaping @Sendable (LedgerBell) -> Void
  ) throws -> any ListOffice {
    try office(node, run: run, at: place, ring: ring)
  }

  func office(_ node: String, through cutter: PostgresCutter?) throws -> PostgresOffice {
    try office(node, run: 1, at: cutter?.place(of: place) ?? place) { _ in }
  }

  private func office(
    _ node: String, run: UInt64, at place: String, ring: @escaping @Sendable (LedgerBell) -> Void
  ) throws -> PostgresOffice {
    let office = try PostgresOffice(
      LedgerPlace(
        server: place, node: node, run: run, silence: silence,
        patience: .seconds(Patience.seconds)), clock: SystemClock(), ring: ring)
    offices.withLock { $0.append(office) }
    return office
  }

  /// Lists and all that belongs to them are gone; the nodes are there.
  func clear() async throws {
    let tables = [
      "share", "list", "name", "origin", "folder", "account", "tally", "outcome", "asker", "host",
      "seat", "focus", "cut",
    ]
    _ = try await PostgresServer.shared.run(
      tables.map { "DELETE FROM \($0)" } + [
        "ALTER TABLE list ALTER id RESTART",
        "UPDATE node SET draining = false, seen = now, entered = now FROM still",
      ], at: place)
  }

  /// A transaction that was undone leaves a gap in the numbers of lists.
  func closeGap() async throws {
    _ = try await PostgresServer.shared.run(
      [
        "SELECT setval(pg_get_serial_sequence('list', 'id'), coalesce(max(id), 1)) FROM list"
      ], at: place)
  }

  func pass(_ time: Duration) async throws {
    _ = try await PostgresServer.shared.run(
      ["UPDATE still SET now = now + interval '\(time.components.seconds) s'"], at: place)
  }

  func close() async { for office in offices.withLock({ $0 }) { office.close() } }
}

/// The implementations of the office.
enum WorldKind: String, CaseIterable, CustomTestStringConvertible {
  case model, postgres

  static let installed = allCases.filter { $0 == .model || PostgresServer.isInstalled }

  var testDescription: String { rawValue }

  func use<R>(_ body: (any OfficeWorld) async throws -> R) async throws -> R {
    let world: any OfficeWorld =
      switch self {
      case .model: ModelWorld(silence: silence)
      case .postgres: try await PostgresWorld()
      }
    do {
      let result = try await body(world)
      await world.close()
      return result
    } catch {
      await world.close()
      throw error
    }
  }
}
