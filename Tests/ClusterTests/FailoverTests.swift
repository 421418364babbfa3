// SPDX-License-Identifier: Apache-2.0
// Several servers in Ledger=: a primary, its standby, and servers that are silent, read-only or out of date.

import Cluster
import Foundation
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct FailoverTests {
  /// A primary with a standby, for which it waits, and an office that knows both.
  private struct Pair {
    let primary: PostgresServer
    let standby: PostgresServer
    let place: String
    let database: String
    let office: PostgresOffice

    /// A call lasts as long as a busy server needs, not as long as a test waits for one that is away.
    static func use(patience: Duration = .seconds(20), _ body: (Pair) async throws -> Void)
      async throws
    {
      let primary = PostgresServer()
      let own = try await primary.database()
      try await onOwnThread {
        try LedgerSchema.install(at: own, clock: SystemClock(), within: Patience.time)
      }
      let standby = PostgresServer(standbyOf: primary)
      let database = String(own.split(separator: "=").last ?? "")
      let place = try await PostgresServer.place(of: database, at: [primary, standby])
      let office = try FailoverTests.office(at: place, patience: patience)
      defer { office.close() }
      try await body(
        Pair(primary: primary, standby: standby, place: place, database: database, office: office))
    }

    func outcomes(at server: PostgresServer) async throws -> Int64 {
      try await server.run(["SELECT count(*) FROM outcome"], at: server.place(of: database))[0][0]
        .int(0)
    }
  }

  private static func office(at place: String, patience: Duration) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(server: place, node: "a", run: 1, patience: patience), clock: SystemClock())
  }

  /// Repeats a call until it is answered: on a busy machine one attempt may take too long.
  private func persistently<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
    var answer: Answer?
    #expect(
      try await Patience.sees {
        answer = try? await ask()
        return answer != nil
      })
    return try #require(answer)
  }

  /// Tells of each client, and never answers: as a machine does whose process hangs.
  private func silentServer() throws -> (HelperProcess, port: Int) {
    let script = """
      import os, socket, sys, threading
      threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      clients = []
      while True:
        clients.append(server.accept())
        print("client", flush=True)
      """
    let helper = try HelperProcess(["python3", "-c", script])
    return (helper, try #require(helper.readLine().flatMap { Int($0) }))
  }

  @Test(arguments: [
    ("host=a,b port=1,2 dbname=x", ["a:1 host=a port=1", "b:2 host=b port=2"]),
    ("host=a,b port=1", ["a:1 host=a port=1", "b:1 host=b port=1"]),
    ("host=a,b", ["a host=a", "b host=b"]),
    ("host=/run,b port=,2", ["/run:5432 host=/run port=5432", "b:2 host=b port=2"]),
    ("hostaddr=1.1.1.1,2.2.2.2", ["1.1.1.1 hostaddr=1.1.1.1", "2.2.2.2 hostaddr=2.2.2.2"]),
    (
      "host=a,b hostaddr=1.1.1.1,2.2.2.2",
      ["a host=a hostaddr=1.1.1.1", "b host=b hostaddr=2.2.2.2"]
    ),
    ("postgresql://u@a:1,b:2/x", ["a:1 host=a port=1", "b:2 host=b port=2"]),
    ("host=a", ["the server"]), ("dbname=x", ["the server"]), ("darkroom", ["the server"]),
    ("host=a,b port=1,2,3", ["the server"]), ("host=a,", ["the server"]),
    ("host='", ["the server"]),
  ])
  func `each server of a connection string is chosen alone`(_ text: String, _ servers: [String])
    throws
  {
    let found = try PostgresServers(in: text).all.map { server in
      ([server.name] + server.settings.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
    }
    #expect(found == servers)
  }

  @Test(arguments: [
    ("host=db no_option=x", #"invalid connection option "no_option""#),
    ("postgresql://db/x?no_option=x", #"invalid URI query parameter: "no_option""#),
    ("host='", "unterminated quoted string in connection info string"),
    ("host=db dbname=x", nil), ("postgresql://u@a:1,b:2/x", nil), ("darkroom", nil),
  ])
  func `a connection string that libpq does not understand is found before a connection`(
    _ text: String, _ problem: String?
  ) {
    #expect(LedgerPlace.problem(in: text) == problem)
  }

  @Test func `a server that is silent does not keep a node from the next one`() async throws {
    let own = try await PostgresServer.shared.database()
    try await onOwnThread {
      try LedgerSchema.install(at: own, clock: SystemClock(), within: Patience.time)
    }
    let (silent, port) = try silentServer()
    defer { silent.closeInput() }
    let place = own.replacingOccurrences(of: "host=", with: "port=\(port),5432 host=127.0.0.1,")
    let office = try Self.office(at: place, patience: .seconds(3))
    defer { office.close() }
    #expect(try await answers(office))
  }

  @Test func `a call that waits for a silent server ends with the node`() async throws {
    let (silent, port) = try silentServer()
    defer { silent.closeInput() }
    let office = try Self.office(at: "host=127.0.0.1 port=\(port)", patience: Patience.time)
    async let ended = failure { _ = try await office.pulse() }
    let client = try await onOwnThread {
      let line = silent.readLine()
      office.close()
      return line
    }
    #expect(client == "client")
    #expect(await ended == .cancelled)
  }

  @Test func `a silent server is told, with its name`() async throws {
    let (silent, port) = try silentServer()
    defer { silent.closeInput() }
    let office = try Self.office(
      at: "host=127.0.0.1,/nowhere port=\(port)", patience: .milliseconds(200))
    defer { office.close() }
    let told = try #require(await failure { _ = try await office.pulse() })
    #expect(told.code == "ledger.lost")
    #expect(
      told.reason.contains("127.0.0.1:\(port): the server did not answer in time; /nowhere:"),
      "\(told.reason)")
  }

  @Test
  func `when the primary is killed and its standby promoted, reports go on and nothing is lost`()
    async throws
  {
    try await Pair.use { pair in
      let office = pair.office
      let list = try await persistently {
        try await office.submit(.sample("summer", photos: 16)).list
      }
      let shares = try await office.lease(8, largest: 8) + office.lease(8, largest: 8)
      #expect(try await office.report(shares[0].report()) == .recorded)
      try await pair.primary.kill()
      try await pair.standby.promote()
      #expect(try await answers(office))
      #expect(try await office.pulse().leases.map(\.share.id) == [shares[1].id])
      #expect(try await office.report(shares[0].report()) == .recorded, "as before")
      #expect(try await office.report(shares[1].report()) == .recorded)
      #expect(try await office.progress(of: list)?.state == .finished)
      #expect(try await office.outcomes(of: list, in: 1...16).map(\.photo) == Array(1...16))
      #expect(try await office.submit(.sample("winter", photos: 8)).list.number > list.number)
    }
  }

  @Test func `a node leaves a server that has become read-only`() async throws {
    try await Pair.use { pair in
      _ = try await pair.office.pulse()
      try await pair.primary.alter(["default_transaction_read_only = on"])
      try await pair.standby.promote()
      #expect(try await answers(pair.office))
    }
  }

  @Test func `a primary that comes back after its standby was promoted is not used again`()
    async throws
  {
    try await Pair.use { pair in
      _ = try await pair.office.pulse()
      try await pair.primary.kill()
      try await pair.standby.promote()
      #expect(try await answers(pair.office))
      try await pair.standby.stop()
      try await pair.primary.goOn()
      try await pair.primary.alter(["synchronous_standby_names = ''"])
      // Each server is asked first once.
      for _ in 0..<2 {
        let told = await failure { _ = try await pair.office.pulse() }
        #expect(told?.reason.contains("it was the primary earlier") == true, "\(told as Any)")
      }
      try await pair.standby.goOn()
      #expect(try await answers(pair.office))
    }
  }

  @Test func `a server without the ledger is not taken for the one that had it`() async throws {
    let (server, other) = (PostgresServer(), PostgresServer())
    let own = try await server.database()
    _ = try await other.database()
    let database = String(own.split(separator: "=").last ?? "")
    let place = try await PostgresServer.place(of: database, at: [server, other])
    let office = try Self.office(at: place, patience: .seconds(20))
    defer { office.close() }
    #expect(try await answers(office))
    try await server.stop()
    let told = await failure { _ = try await office.pulse() }
    #expect(
      told?.reason.contains("has another database, without the ledger") == true, "\(told as Any)")
    try await server.goOn()
    #expect(try await answers(office))
  }

  @Test
  func
    `no node hears of a report that the standby lacks, also after the primary has started again`()
    async throws
  {
    try await Pair.use(patience: .seconds(3)) { pair in
      // Nodes do not trust the defaults of a server.
      try await pair.primary.alter(["synchronous_commit = local"])
      #expect(try await answers(pair.office))
      let office = pair.office
      let summer = try await persistently {
        try await office.submit(.sample("summer", photos: 8)).list
      }
      let share = try await persistently {
        // The answer to a lease may be lost.
        _ = try? await office.lease(8)
        return try #require(try await office.pulse().leases.first?.share)
      }
      let report = share.report()
      try await pair.standby.stop()
      let told = await failure { _ = try await office.report(report) }
      #expect(told?.code == "ledger.lost")
      try await pair.primary.kill()
      try await pair.primary.goOn()
      #expect(try await pair.outcomes(at: pair.primary) == 1, "it is committed here")
      let read = await failure { _ = try await office.outcomes(of: summer, in: 1...8) }
      #expect(read?.code == "ledger.lost", "and not told")
      try await pair.standby.goOn()
      #expect(try await answers(office))
      #expect(try await persistently { try await office.report(report) } == .recorded)
      #expect(try await pair.outcomes(at: pair.primary) == 1)
    }
  }
}
