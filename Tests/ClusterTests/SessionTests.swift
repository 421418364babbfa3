// SPDX-License-Identifier: Apache-2.0
// The connection to a real PostgreSQL: values, transactions, time limits, and connections that break.

import Cluster
import Foundation
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct SessionTests {
  private func use<Value: Sendable>(
    _ body: @escaping @Sendable (inout PostgresSession, Duration) throws -> Value
  ) async throws -> Value {
    let place = try await PostgresServer.shared.database()
    return try await onOwnThread {
      let clock = try SystemClock()
      let deadline = clock.uptime() + Patience.time
      var session = try PostgresSession.open(place, [], clock: clock, until: deadline)
      return try body(&session, deadline)
    }
  }

  @Test func `values arrive as they were sent`() async throws {
    let row = try await use { session, deadline in
      let statement = PostgresStatement(
        "values",
        """
        SELECT $1::bool, $2::int2, $3::int4, $4::int8, $5::text, $6::bytea, ($7::int4[])[2],
          ($8::int8[])[1], ($9::bool[])[2], ($10::bytea[])[2], ($11::varbit[])[1], $12::int4,
          coalesce(array_length($13::int4[], 1), 0)
        """,
        [
          .bool(true), .int2(-2), .int4(.min), .int8(.max), .text("ä'\""), .bytes([0, 255]),
          .int4s([1, -7]), .int8s([.min]), .bools([true, false]), .byteArrays([[], [0, 1]]),
          .bitArrays([PostgresBits([0xA0], count: 3)]), .null, .int4s([]),
        ])
      return try session.run([[statement], [statement]], until: deadline)[1].get()[0][0]
    }
    #expect(row.bool(0) && row.int(1) == -2 && row.int(2) == Int64(Int32.min))
    #expect(row.int(3) == .max && row.text(4) == "ä'\"" && row.bytes(5) == [0, 255])
    #expect(row.int(6) == -7 && row.int(7) == .min && !row.bool(8) && row.bytes(9) == [0, 1])
    #expect(row.bits(10) == PostgresBits([0xA0], count: 3) && row.isNull(11) && row.int(12) == 0)
    #expect(row.isNull(99) && row.bytes(99).isEmpty && row.bits(99).count == 0)
  }

  @Test func `a statement that fails undoes its transaction, and no other`() async throws {
    let (answers, count) = try await use { session, deadline in
      func insert(_ number: Int32) -> PostgresStatement {
        PostgresStatement("insert", "INSERT INTO t VALUES ($1::int4)", [.int4(number)])
      }
      let answers = try session.run(
        [
          [PostgresStatement("", "CREATE TABLE t (n int PRIMARY KEY)")], [insert(1)],
          [insert(2), insert(1), insert(3)], [PostgresStatement("wrong", "SELECT nothing(")],
          [insert(4)],
        ], until: deadline)
      let count = try session.run(
        [[PostgresStatement("count", "SELECT count(*), sum(n) FROM t")]], until: deadline)
      return (answers, try count[0].get()[0][0])
    }
    let codes = answers.map { answer -> String in
      guard case .failure(.statement(let state, _)) = answer else { return "" }
      return state
    }
    #expect(codes == ["", "", "23505", "42601", ""])
    #expect(count.int(0) == 2 && count.int(1) == 5)
  }

  @Test func `a server that does not answer in time ends the session`() async throws {
    let place = try await PostgresServer.shared.database()
    let error = try await onOwnThread { () -> PostgresError? in
      let clock = try SystemClock()
      var session = try PostgresSession.open(
        place, [], clock: clock, until: clock.uptime() + Patience.time)
      do {
        _ = try session.run(
          [[PostgresStatement("", "SELECT pg_sleep(3600)")]],
          until: clock.uptime() + .milliseconds(50))
        return nil
      } catch { return error as? PostgresError }
    }
    #expect(error == .timeIsOver)
  }

  @Test func `a server that cannot be reached is named`() async throws {
    let error = try await onOwnThread { () -> PostgresError? in
      let clock = try SystemClock()
      do {
        _ = try PostgresSession.open(
          "host=/nowhere dbname=x", [], clock: clock, until: clock.uptime() + Patience.time)
        return nil
      } catch { return error as? PostgresError }
    }
    guard case .lost(let words) = error else { throw PostgresProblem("\(error as Any)") }
    #expect(words.contains("/nowhere") && !words.contains("\n"), "\(words)")
  }

  @Test func `a connection that breaks fails its calls, and the next one goes on with the shares`()
    async throws
  {
    try await WorldKind.postgres.use { world in
      let world = try #require(world as? PostgresWorld)
      let office = try world.office("a")
      let list = try await office.submit(.sample("summer", photos: 8)).list
      let share = try #require(try await office.lease(8).first)
      _ = try await PostgresServer.shared.run(
        [
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            + "WHERE application_name = 'darkroomd' AND datname = current_database()"
        ], at: world.place)
      // The server ends the connection at once, or after the next call.
      var broken: Failure?
      _ = try await Patience.sees {
        do {
          return try await office.report(share.report()) == .recorded
        } catch {
          broken = error as? Failure
          return false
        }
      }
      if let broken { #expect(broken.kind == .machine && broken.code == "ledger.lost") }
      #expect(try await office.progress(of: list)?.state == .finished)
      #expect(try await office.outcomes(of: list, in: 1...8).count == 8)
    }
  }

  private func office(at place: String) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(server: place, node: "a", run: 1, patience: Patience.time),
      clock: try SystemClock())
  }

  @Test func `the first node makes the schema, or says that its user may not`() async throws {
    let place = try await PostgresServer.shared.database()
    _ = try await PostgresServer.shared.run(["CREATE ROLE stranger LOGIN"], at: place)
    let stranger = try office(
      at: place.replacingOccurrences(of: "user=postgres", with: "user=stranger"))
    defer { stranger.close() }
    let failure = try #require(await failure { _ = try await stranger.pulse() })
    #expect(failure.code == "ledger.schema" && failure.kind == .machine)
    #expect(failure.advice.contains("CREATE on the database"), "\(failure)")
    let office = try office(at: place)
    defer { office.close() }
    #expect(try await office.pulse().leases.isEmpty)
  }

  @Test
  func `a node refuses a ledger that is too old for it, or too new, and changes nothing in it`()
    async throws
  {
    try await WorldKind.postgres.use { world in
      let world = try #require(world as? PostgresWorld)
      let own = Int64(LedgerSchema.release)
      for (version, oldest, isFit) in [(0, 0, false), (own + 1, own, true)]
        + [(own + 1, own + 1, false)] as [(Int64, Int64, Bool)]
      {
        _ = try await PostgresServer.shared.run(
          ["UPDATE release SET version = \(version), oldest = \(oldest)"], at: world.place)
        let node = try world.office("node \(version) \(oldest)")
        let refusal = await failure { _ = try await node.pulse() }
        if isFit {
          #expect(refusal == nil)
        } else {
          #expect(refusal?.code == "ledger.release" && refusal?.kind == .final)
        }
      }
      let known = try await PostgresServer.shared.run(
        ["SELECT count(*) FROM node WHERE name LIKE 'node %'"], at: world.place)
      #expect(known.first?.first?.int(0) == 1)
    }
  }

  @Test func `bells ring for work, for orders, for files and for ends`() async throws {
    try await WorldKind.postgres.use { world in
      let world = try #require(world as? PostgresWorld)
      let bells = EventBoard<[LedgerBell]>([])
      let a = try world.office("a") { bell in bells.change { $0.append(bell) } }
      let b = try world.office("b", run: 1)
      _ = try await a.pulse()
      let list = try await b.submit(.sample("summer", photos: 8, .utility)).list
      #expect(await bells.wait { $0.contains(.work(.utility)) })
      #expect(try await b.order(.pause, of: list))
      #expect(await bells.wait { $0.contains(.list(list)) })
      try await b.lacks(list)
      #expect(await bells.wait { $0.contains(.files(list)) })
      #expect(try await b.order(.cancel, of: list))
      #expect(await bells.wait { $0.contains(.over(list)) })
    }
  }

  @Test func `a bell that comes with the answer of a call is heard`() async throws {
    try await WorldKind.postgres.use { world in
      let world = try #require(world as? PostgresWorld)
      let bells = EventBoard<[LedgerBell]>([])
      let office = try world.office("a") { bell in bells.change { $0.append(bell) } }
      // A session hears its own notice before the end of its call.
      _ = try await office.submit(.sample("summer", photos: 8, .utility))
      #expect(await bells.wait { $0.contains(.work(.utility)) })
    }
  }
}
