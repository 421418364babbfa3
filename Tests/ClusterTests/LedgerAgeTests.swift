// SPDX-License-Identifier: Apache-2.0
// A ledger that is older than its node: one that was restored from a copy, or a standby that lacked changes.

import Cluster
import Linux
import Postgres
import Support
import Synchronization
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LedgerAgeTests {
  private typealias Home = MemoryHome

  private func office(_ node: String, _ home: Home, at place: String, run: UInt64 = 1) throws
    -> PostgresOffice
  {
    try PostgresOffice(
      LedgerPlace(server: place, node: node, run: run, patience: Patience.time, home: home),
      clock: SystemClock())
  }

  // MARK: values

  @Test func `a ledger lacks what was seen if one node has fewer changes, but not in a later life`()
  {
    func lacks(_ life: Int64, _ counts: [OutsideText: Int64]) -> Bool {
      LedgerHistory(life: life, counts).lacks(LedgerHistory(life: 5, ["a": 2, "b b": 3]))
    }
    #expect(!lacks(5, ["a": 2, "b b": 3]) && !lacks(5, ["a": 9, "b b": 3, "c": 1]))
    #expect(lacks(5, ["a": 1, "b b": 900]) && lacks(5, ["a": 2]) && lacks(5, [:]))
    #expect(!lacks(6, [:]) && lacks(4, ["a": 2, "b b": 3]))
  }

  @Test func `what was seen in two answers is the most of both, and the later life`() {
    var seen = LedgerHistory(life: 5, ["a": 2, "b": 3])
    seen.take(LedgerHistory(life: 5, ["a": 1, "c": 1]))
    #expect(seen == LedgerHistory(life: 5, ["a": 2, "b": 3, "c": 1]))
    seen.take(LedgerHistory(life: 4, ["a": 7]))
    #expect(seen == LedgerHistory(life: 5, ["a": 2, "b": 3, "c": 1]))
    seen.take(LedgerHistory(life: 6, ["a": 1]))
    #expect(seen == LedgerHistory(life: 6, ["a": 1]))
  }

  @Test(arguments: [false, true])
  func `what a node knows is read as it was written`(isOlder: Bool) {
    let known = KnownLedger(
      "0-1", LedgerHistory(life: 7, ["a": 2, "b older 3": 3]), isOlder: isOlder)
    #expect(KnownLedger(known.bytes) == known && (known.trouble != nil) == isOlder)
    #expect(KnownLedger(Array("0-1".utf8)) == KnownLedger("0-1"))
  }

  // MARK: counts

  @Test func `each list, report and order is a change that all nodes remember with a heartbeat`()
    async throws
  {
    let place = try await PostgresServer.shared.database()
    let home = Home()
    let (a, b) = (try office("a", home.other(), at: place), try office("b", home, at: place))
    defer { for office in [a, b] { office.close() } }
    func isSeen(_ change: () async throws -> Void) async throws -> Bool {
      let before = home.counts["a"] ?? 0
      try await change()
      _ = try await b.pulse()
      return home.counts["a"] ?? 0 > before
    }
    var list = LedgerList(0)
    #expect(try await isSeen { list = try await a.submit(.sample("one", photos: 2)).list })
    #expect(try await !isSeen {}, "an idle node would write to its disk")
    let share = try #require(try await a.lease(2).first)
    #expect(try await isSeen { _ = try await a.report(share.report([0], isLast: false)) })
    #expect(try await isSeen { _ = try await a.order(.pause, of: list) })
    #expect(
      try await isSeen { _ = try await a.submit(.sample("one", photos: 2, origin: "twin")) })
    #expect(home.counts["b"] == nil)
  }

  @Test func `a list has its number only when the node remembers that there is one more`()
    async throws
  {
    let (place, home) = (try await PostgresServer.shared.database(), Home())
    let office = try office("a", home, at: place)
    defer { office.close() }
    _ = try await office.pulse()
    home.faults.withLock { $0 = [.before] }
    #expect(await failure { _ = try await office.submit(.sample("one")) }?.code == "test")
    #expect(home.counts.isEmpty)
    let list = try await office.submit(.sample("one")).list
    #expect(list == LedgerList(1) && home.counts == ["a": 1])
    // What no answer depends on stops no work.
    _ = try await office.order(.pause, of: list)
    home.faults.withLock { $0 = [.before] }
    _ = try await office.pulse()
    #expect(home.counts == ["a": 1])
    _ = try await office.pulse()
    #expect(home.counts == ["a": 2])
  }

  // MARK: an older copy

  /// A copy of the database as it is now, as a restore of a backup makes it.
  private func copy(of place: String) async throws -> String {
    let copy = try await PostgresServer.shared.database()
    _ = try await PostgresServer.shared.run(
      [
        Self.end(name(place)), "DROP DATABASE \(name(copy))",
        "CREATE DATABASE \(name(copy)) TEMPLATE \(name(place))",
      ], at: PostgresServer.shared.place(of: "postgres"))
    return copy
  }

  private func name(_ place: String) -> Substring { place.split(separator: "=").last ?? "" }

  private static func end(_ database: Substring) -> String {
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'"
  }

  /// The database at `place` becomes the older one, and is then called `newer_`.
  private func restore(_ older: String, to place: String) async throws {
    _ = try await PostgresServer.shared.run(
      [
        Self.end(name(place)), Self.end(name(older)),
        "ALTER DATABASE \(name(place)) RENAME TO newer_\(name(place))",
        "ALTER DATABASE \(name(older)) RENAME TO \(name(place))",
      ], at: PostgresServer.shared.place(of: "postgres"))
  }

  /// The code with which a node refuses a ledger that answers; nil if it works with the ledger.
  private func code(_ office: PostgresOffice) async throws -> String? {
    var code: String?
    let isSettled = try await Patience.sees {
      code = await failure { _ = try await office.pulse() }?.code
      return code != "ledger.lost"
    }
    #expect(isSettled)
    return code
  }

  /// How a node meets the older ledger.
  enum Meeting: CaseIterable {
    /// It runs on.
    case same
    /// Its daemon starts again after the restore.
    case next
    /// Its daemon has started again between the copy and the restore.
    case between
  }

  @Test(arguments: Meeting.allCases)
  func `a node enters an older ledger only when that was told that it is to be used`(
    _ meeting: Meeting
  ) async throws {
    let (place, home) = (try await PostgresServer.shared.database(), Home())
    var office = try office("a", home, at: place)
    let one = try await office.submit(.sample("one")).list
    let older = try await copy(of: place)
    if meeting == .between {
      office.close()
      office = try self.office("a", home, at: place, run: 2)
    }
    #expect(try await code(office) == nil)
    let two = try await office.submit(.sample("two")).list
    try await restore(older, to: place)
    if meeting == .next {
      office.close()
      office = try self.office("a", home, at: place, run: 2)
    }
    defer { office.close() }
    #expect(try await code(office) == "ledger.older")
    let refusal = await failure { _ = try await office.submit(.sample("x")) }
    #expect(refusal?.isOlderLedger == true && refusal?.isLedgerSilence == true)
    #expect(home.isOlder && home.counts == ["a": 2])

    // The work of others hides nothing, and nor does the end of their nodes.
    let other = try self.office("b", home.other(), at: place)
    for number in 1...9 { _ = try await other.submit(.sample("other \(number)")) }
    other.close()
    _ = try await PostgresServer.shared.run(["DELETE FROM node WHERE name = 'b'"], at: place)
    #expect(try await code(office) == "ledger.older")
    // Nor does another run.
    let again = try self.office("a", home, at: place, run: 3)
    #expect(try await code(again) == "ledger.older")
    again.close()
    #expect(home.isOlder)

    // Twice is as good as once.
    for _ in 1...2 { _ = try await PostgresServer.shared.run(["SELECT go_on()"], at: place) }
    #expect(try await answers(office))
    #expect(!home.isOlder && home.counts == ["a": 1, "b": 9])
    #expect(try await office.progress(of: one) != nil)
    // No number is given twice, not even of a list that was forgotten.
    let new = try await office.submit(.sample("three")).list
    #expect(new.number > two.number + 1_000_000)
    // The way back is the same.
    try await returnTo("newer_\(name(place))", home)
  }

  private func returnTo(_ database: String, _ home: Home) async throws {
    let place = try await PostgresServer.shared.place(of: database)
    let office = try office("a", home, at: place, run: 4)
    defer { office.close() }
    #expect(try await code(office) == "ledger.older")
    _ = try await PostgresServer.shared.run(["SELECT go_on()"], at: place)
    #expect(try await answers(office))
  }

  @Test func `the right ledger ends the verdict when it is back`() async throws {
    let (place, home) = (try await PostgresServer.shared.database(), Home())
    let office = try office("a", home, at: place)
    defer { office.close() }
    #expect(try await code(office) == nil)
    let older = try await copy(of: place)
    #expect(try await code(office) == nil)
    _ = try await office.submit(.sample("one"))
    let spare = try await copy(of: place)
    try await restore(older, to: place)
    #expect(try await code(office) == "ledger.older" && home.isOlder)
    _ = try await PostgresServer.shared.run(
      [
        Self.end(name(place)), "ALTER DATABASE \(name(place)) RENAME TO older_\(name(place))",
        Self.end(name(spare)), "ALTER DATABASE \(name(spare)) RENAME TO \(name(place))",
      ], at: PostgresServer.shared.place(of: "postgres"))
    #expect(try await answers(office) && !home.isOlder)
  }

  @Test func `a ledger that is restored under a session is left with the next heartbeat`()
    async throws
  {
    let (place, home) = (try await PostgresServer.shared.database(), Home())
    let office = try office("a", home, at: place)
    defer { office.close() }
    _ = try await office.submit(.sample("one"))
    _ = try await PostgresServer.shared.run(["DELETE FROM change"], at: place)
    #expect(await failure { _ = try await office.pulse() }?.code == "ledger.older")
    #expect(try await code(office) == "ledger.older" && home.isOlder)
  }

  @Test func `a running node takes a fresh server whose timelines begin again`() async throws {
    let servers = [PostgresServer(), PostgresServer()]
    let places = [try await servers[0].database(), try await servers[1].database()]
    #expect(name(places[0]) == name(places[1]))
    let standby = PostgresServer(standbyOf: servers[0])
    _ = try await PostgresServer.place(of: "postgres", at: [standby])
    let all = try await PostgresServer.place(
      of: String(name(places[0])), at: [servers[0], standby, servers[1]])
    let office = try PostgresOffice(
      LedgerPlace(server: all, node: "a", run: 1, patience: .seconds(20), home: Home()),
      clock: SystemClock())
    defer { office.close() }
    #expect(try await code(office) == nil)
    let dump = try FreshFolder()
    try await servers[0].stop()
    try await standby.promote()
    #expect(try await code(office) == nil)
    let source = try await standby.place(of: String(name(places[0])))
    let file = "\(dump.path)/dump"
    let dumped = await HelperProcess.status(
      of: ["pg_dump", "--format=custom", "--file", file, "--dbname", source])
    let restored = await HelperProcess.status(of: ["pg_restore", "--dbname", places[1], file])
    #expect(dumped == 0 && restored == 0)
    try await standby.stop()
    #expect(try await code(office) == nil)
  }
}
