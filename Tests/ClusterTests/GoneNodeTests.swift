// SPDX-License-Identifier: Apache-2.0
// An administrator removes the row of a node.

import Cluster
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct GoneNodeTests {
  @Test func `what a node has whose row is removed goes to another node at once`() async throws {
    let world = try await PostgresWorld()
    let (a, b) = (try world.office("a"), try world.office("b"))
    _ = try await b.pulse()
    let over = try await a.submit(.sample("over", photos: 8, origin: "1")).list
    let share = try #require(try await a.lease(8).first)
    #expect(try await a.report(share.report()) == .recorded)
    let open = try await a.submit(.sample("open", photos: 8, origin: "2")).list
    #expect(try await a.lease(8).map(\.id.list) == [open])
    #expect(try await b.lease(8).isEmpty)
    #expect(try await b.closed().isEmpty)
    _ = try await PostgresServer.shared.run(["DELETE FROM node WHERE name = 'a'"], at: world.place)
    #expect(try await b.closed() == [over])
    let taken = try #require(try await b.lease(8).first, "the lease has ended with the row")
    #expect(taken.id.list == open && taken.id.epoch == 2 && taken.deaths == 0)
    #expect(try await b.report(taken.report()) == .recorded)
    // Its home is gone.
    #expect(try await b.closed() == [over, open])
    // All rows go: the next node that enters has the lists.
    _ = try await PostgresServer.shared.run(["DELETE FROM node"], at: world.place)
    let c = try world.office("c")
    _ = try await c.pulse()
    #expect(try await c.closed() == [over, open])
    await world.close()
  }
}
