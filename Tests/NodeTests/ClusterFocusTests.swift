// SPDX-License-Identifier: Apache-2.0
// `darkroomctl focus` on a list that nodes share.

import Cluster
import Linux
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct ClusterFocusTests {
  @Test func `photos that a viewer looks at go first, though no node has them and all have enough`()
    async throws
  {
    try await NodeBench.use { nodes in
      // Those of another server wait behind shares whose photos hang.
      let root = nodes.bench.folder.path
      let other = try Origin(
        folder: "\(root)/photos", log: "\(root)/other.log", address: "127.0.0.2")
      defer { other.stop() }
      var photos = try nodes.photos(200)
      for place in 99..<200 { photos[place].1 = other.url("/\(place + 1).jpg") }
      let a = try await nodes.start("a")
      _ = try await nodes.start("b")
      try await nodes.drop(photos, at: "a")
      try await nodes.nodesAtWork(2)
      await nodes.bench.origin.arrivals(at: "g")
      let far = try await nodes.tool("b", "--json", "focus", "summer", "150-179", "--for", "1h")
      #expect(far.code == 0 && far.output.contains("\"photos\":30,\"left\":30"), "\(far)")
      try await nodes.done(Array(150...179))
      // By name, where the list was dropped.
      let near = try await nodes.tool("a", "--json", "focus", "summer", "photo 120", "179")
      #expect(near.code == 0 && near.output.contains("\"photos\":2,\"left\":1"), "\(near)")
      try await nodes.done([120] + Array(150...179))
      // A user has one focus on a list, wherever it was set.
      #expect(try await nodes.number("SELECT count(*) FROM focus") == 1)
      #expect(try await nodes.tool("b", "unfocus", "summer").code == 0)
      #expect(try await nodes.number("SELECT count(*) FROM focus") == 0)
      #expect(try await nodes.tool("a", "focus", "summer", "190").code == 0)
      try await nodes.done([120] + Array(150...179) + [190])
      #expect(try await nodes.tool("a", "unfocus", "summer").code == 0)
      #expect(try await nodes.number("SELECT count(*) FROM focus") == 0)
      await nodes.bench.origin.release("g")
      try await a.says("Finished list 'summer'")
      try await nodes.checkBooks(200)
    }
  }

  @Test func `a photo of a share that a node has goes first there`() async throws {
    try await NodeBench.use { nodes in
      let a = try await nodes.start("a", more: "[Download]\nConnections=1\nConnectionsPerHost=1\n")
      var photos = try nodes.photos(8, at: nil)
      photos[0].1 += "?tag=%22v%22&cut=100&key=1&gate=g"
      try await nodes.drop(photos, at: "a")
      await nodes.bench.origin.arrivals(at: "g")
      #expect(try await nodes.tool("a", "focus", "summer", "photo 7").code == 0)
      try await nodes.bench.until("photo 7 is done") { try await nodes.outcomes(8).contains(7) }
      await nodes.bench.origin.release("g")
      try await a.says("Finished list 'summer'")
      try await nodes.checkBooks(8)
      let first = nodes.bench.origin.requests().prefix { !$0.contains("/7.jpg") }
      #expect(!first.contains { $0.contains("/2.jpg") }, "\(first)")
    }
  }

  @Test func `names are known where the list was dropped, and a list that is over has no focus`()
    async throws
  {
    try await NodeBench.use { nodes in
      let a = try await nodes.start("a")
      _ = try await nodes.start("b")
      try await nodes.drop(nodes.photos(8), at: "a")
      try await nodes.nodesAtWork(1)
      for (words, reason) in [
        (["photo 3"], "name its photos by number"), ([], "name photos"),
        (["9"], "the list has 8 photos, so it has no photo 9"),
      ] {
        let end = try await nodes.tool("b", words: ["focus", "summer"] + words)
        #expect(end.code == 1 && end.errors.contains(reason), "\(end)")
      }
      #expect(try await nodes.tool("b", "focus", "autumn", "3").code == 4)
      #expect(try await nodes.tool("b", "unfocus", "autumn").code == 4)
      await nodes.bench.origin.release("g")
      try await a.says("Finished list 'summer'")
      #expect(try await nodes.tool("b", "focus", "summer", "3").code == 4)
      #expect(try await nodes.tool("b", "unfocus", "summer").code == 4)
      let over = try await nodes.tool("a", "focus", "summer", "3")
      #expect(over.code == 1 && over.errors.contains("the list is over"), "\(over)")
      #expect(try await nodes.tool("a", "unfocus", "summer").code == 0)
    }
  }
}

extension NodeBench {
  /// The photos that the ledger has.
  fileprivate func outcomes(_ count: UInt32) async throws -> [UInt32] {
    let office = try PostgresOffice(
      LedgerPlace(server: place, node: "reader", run: 1, patience: Patience.time),
      clock: SystemClock())
    defer { office.close() }
    return try await office.outcomes(of: LedgerList(1), from: nil, in: 1...count).map(\.photo)
  }

  /// Returns once the ledger has as many photos as these; fails unless they are these.
  fileprivate func done(_ photos: [UInt32]) async throws {
    try await bench.until("\(photos.count) photos are done") {
      try await photosDone() >= photos.count
    }
    #expect(try await outcomes(200) == photos)
  }
}
