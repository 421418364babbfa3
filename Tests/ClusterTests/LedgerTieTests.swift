// SPDX-License-Identifier: Apache-2.0
// A node works with one ledger, and shares what the other nodes share.

import Cluster
import Linux
import Postgres
import Support
import Synchronization
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LedgerTieTests {
  private typealias Shared = MemoryHome.Shared
  private typealias Home = MemoryHome

  private func office(_ node: String, _ home: Home, at place: String) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(server: place, node: node, run: 1, patience: Patience.time, home: home),
      clock: SystemClock())
  }

  /// Nil if the node may work with the ledger.
  private func refusal(_ node: String, _ home: Home, at place: String) async throws -> String? {
    let office = try office(node, home, at: place)
    defer { office.close() }
    return await failure { _ = try await office.pulse() }?.code
  }

  private func nodes(at place: String) async throws -> [String] {
    try await PostgresServer.shared.run(["SELECT name FROM node ORDER BY 1"], at: place)[0]
      .map { $0.text(0) }
  }

  @Test func `a node enters no other ledger than its own, and its own again`() async throws {
    let (own, other) = (
      try await PostgresServer.shared.database(), try await PostgresServer.shared.database()
    )
    let (home, stranger) = (Home(Shared()), Home(Shared()))
    #expect(try await refusal("a", home, at: own) == nil)
    #expect(try await refusal("z", stranger, at: other) == nil)
    #expect(try await refusal("a", home, at: other) == "ledger.other")
    #expect(try await nodes(at: other) == ["z"])
    #expect(try await refusal("a", home, at: own) == nil)
    // Its state folder is new, and what it shares is not.
    #expect(try await refusal("b", Home(home.shared), at: other) == "blobs.ledger")
    #expect(try await nodes(at: other) == ["z"])
  }

  @Test func `a node with another folder than the first one does not enter, and marks nothing`()
    async throws
  {
    let place = try await PostgresServer.shared.database()
    let (shared, wrong) = (Shared(), Shared())
    #expect(try await refusal("a", Home(shared), at: place) == nil)
    let home = Home(wrong)
    #expect(try await refusal("b", home, at: place) == "blobs.other")
    #expect(wrong.mark.withLock { $0 } == nil && home.known.withLock { $0 } == nil)
    let identity = try #require(shared.mark.withLock { $0 }?.split(separator: " ").first)
    wrong.mark.withLock { $0 = "\(identity) 00" }
    #expect(try await refusal("b", home, at: place) == "blobs.other")
    #expect(try await nodes(at: place) == ["a"])
    #expect(try await refusal("b", Home(shared), at: place) == nil)
  }

  @Test func `of nodes that are first together, with two folders, those with one of them enter`()
    async throws
  {
    let place = try await PostgresServer.shared.database()
    let folders = [Shared(), Shared()]
    let entered = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
      for number in 0..<8 {
        group.addTask {
          // On a busy machine, a node can wait in vain for the one that makes the ledger.
          var code: String?
          let isSettled = try await Patience.sees {
            code = try await refusal("\(number)", Home(folders[number % 2]), at: place)
            return code == nil || code == "blobs.other"
          }
          #expect(isSettled, "\(code ?? "")")
          return (number % 2, code == nil)
        }
      }
      var entered: [Set<Bool>] = [[], []]
      for try await (folder, isIn) in group { entered[folder].insert(isIn) }
      return entered
    }
    #expect(entered == [[true], [false]] || entered == [[false], [true]])
  }

  @Test(arguments: [
    [MemoryHome.Fault.before], [.after], [.before, .after, .before], [.never, .before],
    [.never, .after], [.after, .never, .before, .after],
  ])
  func `a first node that is interrupted goes on where it was`(_ faults: [MemoryHome.Fault])
    async throws
  {
    let place = try await PostgresServer.shared.database()
    let home = Home(Shared())
    home.faults.withLock { $0 = faults }
    let office = try office("a", home, at: place)
    defer { office.close() }
    let first = await failure { _ = try await office.pulse() }
    #expect(first?.reason == "the disk is full" && first?.kind == .machine)
    #expect(try await nodes(at: place).isEmpty == (faults[0] != .never))
    #expect(try await answers(office))
    #expect(home.faults.withLock { $0.isEmpty } && home.known.withLock { $0 } != nil)
    #expect(try await refusal("b", Home(home.shared), at: place) == nil)
  }

  @Test func `a node that has a ledger makes no other one`() async throws {
    let empty = try await PostgresServer.shared.database()
    #expect(try await refusal("a", Home(Shared(), known: "x"), at: empty) == "ledger.other")
    let schemas = try await PostgresServer.shared.run(
      ["SELECT count(*) FROM pg_namespace WHERE nspname = 'darkroom'"], at: empty)
    #expect(schemas[0][0].int(0) == 0)
  }

  @Test func `a node marks nothing with an identity that the standby lacks`() async throws {
    let primary = PostgresServer()
    let place = try await primary.database()
    let standby = PostgresServer(standbyOf: primary)
    _ = try await PostgresServer.place(of: "postgres", at: [primary, standby])
    try await standby.stop()
    _ = try await LedgerUpgradeTests.old(
      at: primary, in: place, after: ["SET synchronous_commit = local"])
    let home = Home(Shared())
    let office = try PostgresOffice(
      LedgerPlace(
        server: place, node: "a", run: 1, patience: .seconds(3), home: home,
        upgrade: LedgerUpgradeTests.next),
      clock: SystemClock())
    defer { office.close() }
    #expect(await failure { _ = try await office.pulse() } != nil)
    #expect(
      try await Patience.sees {
        try await LedgerUpgradeTests.release(at: place, of: primary)
          == "2 1"
      }, "the upgrade does not wait for the standby")
    #expect(await failure { _ = try await office.pulse() } != nil)
    #expect(home.shared.mark.withLock { $0 } == nil)
    try await standby.goOn()
    #expect(try await answers(office))
    #expect(home.shared.mark.withLock { $0 } != nil && home.known.withLock { $0 } != nil)
  }

  @Test func `a ledger that replaces another one behind the same address is noticed`() async throws
  {
    let place = try await PostgresServer.shared.database()
    let name = place.split(separator: "=").last ?? ""
    let home = Home(Shared())
    let office = try office("a", home, at: place)
    defer { office.close() }
    #expect(try await office.pulse().leases.isEmpty)
    _ = try await PostgresServer.shared.run(
      [
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
        "ALTER DATABASE \(name) RENAME TO away_\(name)", "CREATE DATABASE \(name)",
      ], at: PostgresServer.shared.place(of: "postgres"))
    let stranger = Home(Shared())
    #expect(try await refusal("z", stranger, at: place) == nil)
    let seen = try await Patience.sees {
      await failure { _ = try await office.pulse() }?.code == "ledger.other"
    }
    #expect(seen)
  }
}

/// Without a server.
@Suite struct ForeignPlaceTests {
  @Test(
    arguments: [
      (nil, nil, nil), (nil, "x 1", nil), ("x", "x 1", nil), ("x", nil, "blobs.other"),
      ("x", "x", "blobs.other"), ("x", "y 1", "blobs.ledger"),
    ] as [(String?, String?, String?)])
  func `a node that has worked with a ledger knows its place by the mark alone`(
    known: String?, mark: String?, code: String?
  ) {
    let home = MemoryHome(known: known)
    home.shared.mark.withLock { $0 = mark }
    let found = home.foreignPlace()
    #expect(found?.code == code && found?.isForeignPlace ?? true)
  }
}
