// SPDX-License-Identifier: Apache-2.0
// A list is developed by the nodes of a cluster, or by one machine alone: Ledger= that comes or goes meanwhile holds it up.

import Support
import Testing

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct ListHomeTests {
  @Test func `a list of a cluster waits while its node has no ledger`() async throws {
    try await NodeBench.use { nodes in
      let node = try await nodes.start("a")
      try await nodes.drop(nodes.photos(8), at: "a")
      try await nodes.nodesAtWork(1)
      await node.cut()
      let alone = try await nodes.startAlone("a")
      try await alone.says("it is a list of a cluster, and Ledger= is not set")
      await nodes.bench.origin.release("g")
      let status = try await nodes.tool("a", "status")
      #expect(status.output.contains("list 1 waits: it is a list of a cluster"), "\(status)")
      #expect(nodes.names("a/prints").isEmpty)
      try await nodes.bench.until("its share has ended: only the list itself waits") {
        nodes.names("a/state/lists") == ["1"]
      }
      await alone.cut()
      let again = try await nodes.start("a")
      try await again.says("Finished list 'summer'")
      try await nodes.checkBooks(8)
    }
  }

  @Test func `a list of one machine waits while that is a node`() async throws {
    try await NodeBench.use { nodes in
      let alone = try await nodes.startAlone("a")
      try await nodes.drop(nodes.photos(8), at: "a")
      try await alone.says("Accepted list 'summer'")
      await alone.cut()
      let node = try await nodes.start("a")
      try await node.says("it is a list of this machine alone, and Ledger= is set")
      #expect(try await nodes.number("SELECT count(*) FROM list") == 0)
      let cancel = try await nodes.tool("a", "cancel", "summer")
      #expect(cancel.code == 0, "\(cancel)")
      try await node.says("Cancelled list 'summer'")
      #expect(nodes.names("blobs/prints").isEmpty)
      await nodes.bench.origin.release("g")
    }
  }
}
