// SPDX-License-Identifier: Apache-2.0
// A number of the ledger is a list only with the origin that it came from; a run enters an older copy of the ledger again.

import Cluster
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.timeLimit(.minutes(60)))
struct ListOriginTests {
  @Test(arguments: WorldKind.installed)
  func `a number is steered, read and returned only with the origin that it came from`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8, origin: "a/1")).list
      #expect(try await b.submit(.sample("summer", photos: 8, origin: "b/1")).list == list)
      _ = try await a.submit(.sample("autumn", photos: 8, origin: "a/2"))
      for origin in ["a/2", "other"] {
        for order in [ListOrder.pause, .quality(.background), .cancel] {
          #expect(try await !a.order(order, of: list, from: origin))
        }
      }
      #expect(try await a.order(.pause, of: list, from: "b/1"))
      #expect(try await a.order(.resume, of: list, from: "a/1"))
      let share = try #require(try await a.lease(8).first)
      #expect(try await a.report(share.report()) == .recorded)
      for origin in ["a/1", "b/1"] {
        #expect(try await b.entry(origin)?.list == list)
        #expect(try await b.entry(origin)?.state == .finished)
        #expect(try await b.outcomes(of: list, from: origin, in: 1...8).count == 8)
      }
      #expect(try await b.entry("other") == nil)
      for origin in ["a/2", "other"] {
        #expect(try await b.outcomes(of: list, from: origin, in: 1...8).isEmpty)
        try await a.returned(list, from: origin)
      }
      #expect(try await a.closed() == [list])
      try await a.returned(list, from: "b/1")
      #expect(try await a.closed().isEmpty)
    }
  }
}

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LedgerEnterTests {
  private static let end = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    """

  private func office(run: UInt64, at place: String) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(server: place, node: "a", run: run, patience: Patience.time),
      clock: SystemClock())
  }

  /// The refusal of a run, with incarnation 2, whose row is changed like this.
  private func code(after change: String) async throws -> String? {
    let place = try await PostgresServer.shared.database()
    let offices = [try office(run: 1, at: place), try office(run: 2, at: place)]
    defer { for office in offices { office.close() } }
    for office in offices { _ = try await office.pulse() }
    _ = try await PostgresServer.shared.run([change, Self.end], at: place)
    var code: String?
    let isSettled = try await Patience.sees {
      code = await failure { _ = try await offices[1].pulse() }?.code
      return code == nil || code == "ledger.replaced"
    }
    #expect(isSettled, "\(code ?? "")")
    if code == nil {
      let list = try await offices[1].submit(.sample("summer", photos: 8)).list
      #expect(try await offices[1].lease(8).map(\.id.list) == [list], "it can work")
    }
    return code
  }

  @Test(arguments: [
    "UPDATE node SET seen = seen", "DELETE FROM node",
    "UPDATE node SET (run, incarnation) = (1, 1)", "UPDATE node SET incarnation = 1",
  ])
  func `a run enters again where its row is its own, older, or gone`(_ change: String)
    async throws
  {
    #expect(try await code(after: change) == nil)
  }

  @Test(arguments: [
    "UPDATE node SET run = 1", "UPDATE node SET (run, incarnation) = (1, 3)",
    "UPDATE node SET incarnation = 3",
  ])
  func `a run whose name was taken by another one does not enter again`(_ change: String)
    async throws
  {
    #expect(try await code(after: change) == "ledger.replaced")
  }
}
