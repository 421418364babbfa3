// SPDX-License-Identifier: Apache-2.0
// Seats at servers, as every office gives them.

import Cluster
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.timeLimit(.minutes(60)))
struct SeatTests {
  /// A node that uses what it was told, until it is told otherwise.
  private struct Node {
    let office: any ListOffice
    var most = 6
    var useful = 6
    var number: UInt64 = 0
    var told: [String: Int] = [:]
    /// Its word about `x`.
    var word = HostWord.none
    /// The report about `x` in its last answer.
    var report: HostReport?

    init(_ office: any ListOffice) { self.office = office }

    /// - Parameter busy: in flight to each server, if more than it was told.
    mutating func ask(_ needs: [String: Int], busy: Int = 0) async throws -> [String: Int] {
      number += 1
      let hosts = needs.sorted { $0.key < $1.key }.map { name, need in
        SeatClaim(
          name, held: max(told[name] ?? 0, busy), need: need, word: name == "x" ? word : .none)
      }
      let answer = try await office.pulse(
        SeatRequest(number: number, most: most, useful: useful, hosts))
      let grants = try #require(answer.seats).get()
      #expect(grants.map(\.host) == hosts.map(\.host))
      told = Dictionary(grants.map { ($0.host, $0.seats) }) { $1 }
      report = grants.first { $0.host == "x" }?.report
      return told
    }

    mutating func ask(_ need: Int, busy: Int = 0) async throws -> Int {
      try await ask(["x"].reduce(into: [:]) { $0[$1] = need }, busy: busy)["x"] ?? -1
    }
  }

  private func nodes(_ world: any OfficeWorld, _ count: Int) throws -> [Node] {
    try (0..<count).map { Node(try world.office("\($0)")) }
  }

  @Test(arguments: WorldKind.installed)
  func `a node that alone uses a server has all seats there at once, also for photos to come`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 2)
      #expect(try await nodes[0].ask(1) == 6)
      #expect(try await nodes[1].ask(["y": 9, "z": 1]) == ["y": 6, "z": 6])
      #expect(try await nodes[0].ask(100) == 6)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `what a node is to leave goes to another only when the first one holds it no more`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 2)
      #expect(try await nodes[0].ask(9) == 6)
      #expect(try await nodes[1].ask(9) == 0)
      #expect(try await nodes[0].ask(9) == 3, "it is told")
      #expect(try await nodes[1].ask(9) == 0)
      #expect(try await nodes[0].ask(9, busy: 5) == 3, "two of its photos are still under way")
      #expect(try await nodes[1].ask(9) == 1)
      #expect(try await nodes[0].ask(9) == 3)
      #expect(try await nodes[1].ask(9) == 3)
      #expect(try await nodes[0].ask([:]) == [:])
      #expect(try await nodes[1].ask(9) == 6)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `the photos that nodes have decide, and the rest is divided`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 3)
      func settle(_ needs: [Int]) async throws -> [Int] {
        for _ in 0..<3 {
          for place in needs.indices { _ = try await nodes[place].ask(needs[place]) }
        }
        return nodes.map { $0.told["x"] ?? -1 }
      }
      #expect(try await settle([1, 9, 9]) == [1, 3, 2])
      #expect(try await settle([1, 1, 9]) == [1, 1, 4])
      #expect(try await settle([1, 1, 1]) == [2, 2, 2])
      #expect(try await settle([9, 9, 9]) == [2, 2, 2])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a node is told no more seats than it can use, so that others have theirs at once`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 3)
      for place in 0...1 { nodes[place].useful = 2 }
      for place in nodes.indices { #expect(try await nodes[place].ask(9) == 2) }
      #expect(try await nodes[2].ask(9) == 2, "the others have theirs")
      #expect(try await nodes[0].ask([:]) == [:])
      #expect(try await nodes[2].ask(9) == 4)
      nodes[1].useful = 1
      #expect(try await nodes[1].ask(9) == 1, "after a reload")
      #expect(try await nodes[1].ask(9) == 1)
      #expect(try await nodes[2].ask(9) == 5)
      nodes[1].useful = 3
      #expect(try await nodes[1].ask(9) == 1, "the other seats are taken")
      for _ in 1...2 { #expect(try await nodes[2].ask(9) == 3) }
      #expect(try await nodes[1].ask(9) == 3)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `more nodes than seats take turns`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 3)
      for place in nodes.indices { nodes[place].most = 2 }
      var served: Set<Int> = []
      for _ in 0..<10 {
        for _ in 0..<2 {
          for place in nodes.indices { _ = try await nodes[place].ask(9) }
        }
        let told = nodes.map { $0.told["x"] ?? -1 }
        #expect(told.reduce(0, +) <= 2 && told.max() == 1, "\(told)")
        served.formUnion(told.indices.filter { told[$0] > 0 })
        try await world.pass(.seconds(20))
      }
      #expect(served == [0, 1, 2])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `the seats of a silent node go to others when its lease is over, not before`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 3)
      #expect(try await nodes[0].ask(9) == 6)
      #expect(try await nodes[1].ask(9) == 0)
      try await world.pass(.seconds(20))
      #expect(try await nodes[1].ask(9) == 0)
      try await world.pass(.seconds(20))
      // After a failover, say, all nodes are new to the ledger.
      #expect(try await nodes[2].ask(9) == 0, "it was out of touch itself")
      #expect(try await nodes[1].ask(9) == 3)
      #expect(try await nodes[2].ask(9) == 3)
      #expect(try await nodes[0].ask(9) == 0)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a request that comes late, after another one, changes nothing`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 2)
      #expect(try await nodes[0].ask(9) == 6)
      let late = SeatRequest(
        number: nodes[0].number, most: 6, useful: 6, [.init("x", held: 0, need: 1)])
      #expect(try await nodes[0].ask(9) == 6)
      #expect(try await nodes[0].office.pulse(late).seats == .success([]))
      let empty = SeatRequest(number: 1, most: 6, useful: 6, [])
      #expect(try await nodes[0].office.pulse(empty).seats == .success([]))
      #expect(try await nodes[1].ask(9) == 0)
    }
  }

  @Test(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
  func `a request that fails says why, and the leases are known all the same`() async throws {
    try await WorldKind.postgres.use { world in
      let world = try #require(world as? PostgresWorld)
      let office = try world.office("0")
      let list = try await office.submit(.sample("summer", photos: 8)).list
      #expect(try await office.lease(8).count == 1)
      _ = try await PostgresServer.shared.run(
        ["ALTER FUNCTION seats RENAME TO moved"], at: world.place)
      let answer = try await office.pulse(
        SeatRequest(number: 1, most: 6, useful: 6, [.init("x", held: 0, need: 1)]))
      #expect(answer.leases.map(\.share.id.list) == [list])
      guard case .failure(let failure) = answer.seats else {
        Issue.record("\(String(describing: answer.seats))")
        return
      }
      #expect(failure.reason.contains("function seats"), "\(failure)")
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a daemon that starts again has the seats of the one before`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 2)
      for _ in 0..<3 {
        for place in 0...1 { _ = try await nodes[place].ask(9) }
      }
      nodes[0] = Node(try world.office("0", run: 2))
      #expect(try await nodes[0].ask(9) == 3)
      #expect(try await nodes[1].ask(9) == 3)
      nodes[0] = Node(try world.office("0", run: 3))
      #expect(try await nodes[0].ask([:]) == [:])
      #expect(try await nodes[1].ask(9) == 6, "it uses the server no more")
    }
  }

  @Test(arguments: WorldKind.installed)
  func `the least limit of the nodes that use a server counts there`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 2)
      #expect(try await nodes[0].ask(9) == 6)
      nodes[1].most = 4
      #expect(try await nodes[1].ask(["x": 9, "y": 9]) == ["x": 0, "y": 4])
      for _ in 0..<2 {
        for place in 0...1 { _ = try await nodes[place].ask(9) }
      }
      #expect(nodes.map(\.told) == [["x": 2], ["x": 2]])
      #expect(try await nodes[1].ask([:]) == [:])
      #expect(try await nodes[0].ask(9) == 6)
    }
  }

  // MARK: closed servers

  @Test(arguments: WorldKind.installed)
  func `a node hears of the last probe of another one, also from one without photos`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      var nodes = try nodes(world, 3)
      for place in nodes.indices { _ = try await nodes[place].ask(9) }
      #expect(nodes.allSatisfy { $0.report == nil })
      nodes[0].word = .failed(wait: .seconds(20))
      _ = try await nodes[0].ask(1)
      nodes[0].word = .none
      try await world.pass(.seconds(5))
      let failed = HostReport(age: .seconds(5), word: .failed(wait: .seconds(20)))
      for place in nodes.indices {
        _ = try await nodes[place].ask(9)
        #expect(nodes[place].report == (place == 0 ? nil : failed))
      }
      nodes[1].word = .failed(wait: .zero)
      #expect(try await nodes[1].ask(0) == 0, "it leaves")
      _ = try await nodes[0].ask(9)
      #expect(nodes[0].report == HostReport(age: .zero, word: .failed(wait: .zero)))
      nodes[2].word = .answered
      #expect(try await nodes[2].ask(9) == 3)
      _ = try await nodes[0].ask(9)
      #expect(nodes[0].report == HostReport(age: .zero, word: .answered))
      nodes[2].word = .none
      nodes[1].word = .failed(wait: .zero)
      for _ in 0..<2 {
        _ = try await nodes[1].ask(9)
        #expect(nodes[1].report?.word == .answered, "it alone may not reach the server")
        _ = try await nodes[0].ask(9)
        #expect(nodes[0].report?.word == .answered)
        try await world.pass(.seconds(14))
      }
      try await world.pass(.seconds(3))
      for place in [1, 0] { _ = try await nodes[place].ask(9) }
      #expect(nodes[0].report == HostReport(age: .zero, word: .failed(wait: .zero)))
      for place in [0, 2] { _ = try await nodes[place].ask([:]) }
      nodes[1].word = .none
      #expect(try await nodes[1].ask(9) == 6)
      #expect(nodes[1].report == nil, "no node used the server")
    }
  }

  // MARK: the ledger alone

  private func usePostgres(_ body: (PostgresWorld) async throws -> Void) async throws {
    try await WorldKind.postgres.use { world in try await body(#require(world as? PostgresWorld)) }
  }

  @Test(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
  func `a clock that is set back keeps the seats of a dead node no longer than a lease`()
    async throws
  {
    try await usePostgres { world in
      var nodes = try nodes(world, 2)
      _ = try await nodes[0].ask(["x": 9, "y": 9])
      #expect(try await nodes[1].ask(9) == 0)
      try await world.pass(.seconds(-3600))
      #expect(try await nodes[1].ask(9) == 0, "the other one may live, and use them")
      try await world.pass(.seconds(20))
      #expect(try await nodes[1].ask(9) == 0)
      try await world.pass(.seconds(20))
      #expect(try await nodes[1].ask(9) == 6)
      for _ in 0..<16 { _ = try await nodes[1].ask(9) }
      try await world.pass(.seconds(40))
      for _ in 0..<16 { _ = try await nodes[1].ask(9) }
      #expect(try await number("SELECT count(*) FROM seat", world) == 1)
    }
  }

  @Test(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
  func `a clock that is set back holds up no turn, and what was said of a server is forgotten`()
    async throws
  {
    try await usePostgres { world in
      var nodes = try nodes(world, 2)
      for place in 0...1 { nodes[place].most = 1 }
      #expect(try await nodes[0].ask(9) == 1)
      #expect(try await nodes[1].ask(9) == 0)
      nodes[0].word = .failed(wait: .seconds(20))
      _ = try await nodes[0].ask(9)
      nodes[0].word = .none
      try await world.pass(.seconds(-3600))
      for _ in 0..<2 {
        for place in 0...1 { _ = try await nodes[place].ask(9) }
      }
      #expect(nodes.map { $0.told["x"] } == [0, 1])
      #expect(nodes[1].report == nil)
      nodes[1].word = .failed(wait: .seconds(20))
      _ = try await nodes[1].ask(9)
      _ = try await nodes[0].ask(9)
      #expect(nodes[0].report?.word == .failed(wait: .seconds(20)))
    }
  }

  private func number(_ query: String, _ world: PostgresWorld) async throws -> Int64 {
    try await PostgresServer.shared.run([query], at: world.place).first?.first?.int(0) ?? -1
  }

  @Test(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
  func `nothing is left of servers that no node uses, nor of those of dead nodes`() async throws {
    try await WorldKind.postgres.use { world in
      let world = try #require(world as? PostgresWorld)
      var nodes = try nodes(world, 2)
      _ = try await nodes[0].ask(["x": 1, "y": 1])
      _ = try await nodes[0].ask(["y": 1])
      #expect(try await number("SELECT count(*) FROM host", world) == 1)
      _ = try await nodes[1].ask(1)
      try await world.pass(.seconds(40))
      for _ in 0..<16 { _ = try await nodes[1].ask(1) }
      #expect(try await number("SELECT count(*) FROM host", world) == 1)
      #expect(try await number("SELECT count(*) FROM seat", world) == 1)
      _ = try await nodes[1].ask([:])
      #expect(try await number("SELECT count(*) FROM host", world) == 0)
    }
  }

  @Test(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
  func `a node is rung for seats that it is to leave, and for those that others have left`()
    async throws
  {
    try await WorldKind.postgres.use { world in
      let world = try #require(world as? PostgresWorld)
      let bells = [EventBoard<Int>(0), EventBoard<Int>(0)]
      var nodes = try (0...1).map { place in
        Node(
          try world.office("\(place)") { [board = bells[place]] bell in
            if bell == .seats { board.change { $0 += 1 } }
          })
      }
      _ = try await nodes[0].ask(9)
      _ = try await nodes[1].ask(9)
      #expect(await bells[0].wait { $0 == 1 }, "it is to leave some")
      #expect(try await nodes[0].ask(9) == 3)
      #expect(try await nodes[0].ask(9) == 3)
      #expect(await bells[1].wait { $0 == 1 }, "some are free")
      #expect(try await nodes[1].ask(9) == 3)
      _ = try await nodes[0].ask(9)
      _ = try await nodes[0].ask([:])
      #expect(await bells[1].wait { $0 == 2 }, "the others are free")
      #expect(bells[0].value == 1, "no bell rings while each has its part")
    }
  }

  @Test(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
  func `a server that crashes has not forgotten the seats that a node was told`() async throws {
    let server = PostgresServer()
    let place = try await server.database()
    let office = try PostgresOffice(
      LedgerPlace(server: place, node: "a", run: 1, silence: silence, patience: Patience.time),
      clock: try SystemClock())
    defer { office.close() }
    // The time in which it may forget what need not be durable.
    _ = try await server.run(["ALTER SYSTEM SET wal_writer_delay = '10s'"], at: place)
    _ = try await office.nodes()
    try await server.stop()
    try await server.goOn()
    _ = try? await office.nodes()
    var node = Node(office)
    #expect(try await node.ask(9) == 6)
    try await server.crash()
    try await server.goOn()
    let seats = try await server.run(["SELECT coalesce(sum(seats), 0)::int8 FROM seat"], at: place)
    #expect(seats.first?.first?.int(0) == 6)
  }
}
