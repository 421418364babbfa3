// SPDX-License-Identifier: Apache-2.0
// PgBouncer between the nodes and PostgreSQL: the settings of a session hold, or a node says what is wrong.

import Cluster
import Foundation
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct PoolerTests {
  private static let program = "/usr/sbin/pgbouncer"

  /// The connection string of the database through a pooler, which has one session with the server.
  private func use(
    _ mode: String, _ body: (_ place: String, _ own: String) async throws -> Void
  ) async throws {
    let own = try await PostgresServer.shared.database()
    let words = own.split(separator: " ")
    let folder = "/tmp/darkroom-pooler-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try """
    [databases]
    * = \(words[0]) user=postgres
    [pgbouncer]
    unix_socket_dir = \(folder)
    listen_port = 5432
    auth_type = any
    pool_mode = \(mode)
    default_pool_size = \(mode == "session" ? 9 : 1)
    """.write(toFile: "\(folder)/ini", atomically: true, encoding: .utf8)
    var command = [Self.program, "-q", "\(folder)/ini"]
    if ThisProcess.user == 0 {
      _ = await HelperProcess.status(of: ["chown", "-R", "postgres", folder])
      command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + command
    }
    // The pooler does not look at its input.
    let script = "\"$@\" & read -r end; kill $!; wait"
    let pooler = try HelperProcess(["bash", "-c", script, "bash"] + command)
    defer { pooler.closeInput() }
    let place = "host=\(folder) \(words[1]) \(words[2])"
    #expect(
      try await Patience.sees {
        (try? await PostgresServer.shared.run(["SELECT 1"], at: own)) != nil
          && FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.5432")
      })
    try await body(place, own)
  }

  private func office(_ node: String, at place: String) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(server: place, node: node, run: 1, patience: Patience.time), clock: SystemClock())
  }

  private func settings(of place: String) async throws -> (String?, [String]) {
    try await onOwnThread {
      let clock = try SystemClock()
      let deadline = clock.uptime() + Patience.time
      let settings = LedgerPlace(server: place, node: "a", run: 1).settings
      var session = try PostgresSession.open(place, settings, clock: clock, until: deadline)
      let problem = try SessionSettings.set(in: &session, until: deadline)
      let names = ["jit", "synchronous_commit", "statement_timeout", "search_path"]
      let words = names.map { "current_setting('\($0)')" }.joined(separator: ", ")
      let rows = try session.run([[PostgresStatement("", "SELECT \(words)")]], until: deadline)
      let row = try rows[0].get()[0][0]
      return (problem, names.indices.map { row.text($0) })
    }
  }

  private static let expected = ["off", "on", "10s", "darkroom"]

  @Test func `no default of the server weakens a session`() async throws {
    let own = try await PostgresServer.shared.database()
    let database = own.split(separator: "=").last ?? ""
    _ = try await PostgresServer.shared.run(
      [
        "ALTER DATABASE \(database) SET synchronous_commit = off",
        "ALTER DATABASE \(database) SET jit = on",
      ], at: own)
    let (problem, values) = try await settings(of: own)
    #expect(problem == nil && values == Self.expected)
  }

  @Test(.enabled("pgbouncer is not installed") { FileManager.default.fileExists(atPath: program) })
  func `a pooler that gives each node a session keeps the settings`() async throws {
    try await use("session") { place, own in
      let database = own.split(separator: "=").last ?? ""
      _ = try await PostgresServer.shared.run(
        ["ALTER DATABASE \(database) SET synchronous_commit = off"], at: own)
      let (problem, values) = try await settings(of: place)
      #expect(problem == nil && values == Self.expected)
      let office = try office("a", at: place)
      defer { office.close() }
      #expect(try await office.pulse().leases.isEmpty)
    }
  }

  @Test(.enabled("pgbouncer is not installed") { FileManager.default.fileExists(atPath: program) })
  func `a pooler that gives each transaction another session is refused with an advice`()
    async throws
  {
    try await use("transaction") { place, _ in
      let first = try office("a", at: place)
      defer { first.close() }
      #expect(try await first.pulse().leases.isEmpty)
      let second = try office("b", at: place)
      defer { second.close() }
      let failure = try #require(await failure { _ = try await second.pulse() })
      #expect(failure.code == "ledger.pooler" && failure.kind == .machine, "\(failure)")
      #expect(failure.advice.contains("pool_mode = session"), "\(failure)")
      #expect(failure.isLedgerSilence)
    }
  }

  @Test(arguments: [
    (["off", "on", "10s", "10s", "darkroom"], "7", "7", nil),
    (
      ["off", "off", "10s", "10s", "darkroom"], "7", "7",
      "a session does not keep its settings: synchronous_commit is 'off', not 'on'"
    ),
    (
      ["off", "on", "10s", "10s", "darkroom"], "7", "8",
      "a session does not keep its place at the server"
    ),
  ])
  func `settings that do not hold are named`(
    _ values: [String], _ was: String, _ now: String, _ problem: String?
  ) {
    #expect(SessionSettings.problem(values, wasHere: was, isHere: now) == problem)
  }
}
