// SPDX-License-Identifier: Apache-2.0
// Daemons that are pointed at a ledger, a folder or a store that is not theirs.

import Cluster
import Foundation
import Linux
import Postgres
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct NodeHomeTests {
  private func stop(_ node: RunningProgram) async throws {
    node.send(SIGTERM)
    #expect(try await node.end().code == 0)
  }

  private func waits(_ node: String, for words: String, in nodes: NodeBench) async throws {
    try await nodes.bench.until("the status of \(node) says '\(words)'") {
      try await nodes.tool(node, "status").output.contains(words)
    }
    let check = try await nodes.tool(node, "status", "--check")
    #expect(check.code == 1 && check.output.contains(words), "\(check)")
  }

  @Test
  func `a node that is pointed at another ledger does nothing there, and goes on with its own`()
    async throws
  {
    try await NodeBench.use { nodes in
      let other = try await nodes.server.database()
      let first = try await nodes.start("a")
      try await nodes.drop(nodes.photos(8), at: "a")
      try await nodes.nodesAtWork(1)
      try await stop(first)
      let second = try await nodes.start("a", at: other)
      try await nodes.drop(nodes.photos(4, at: nil), as: "autumn.plist", at: "a")
      try await waits("a", for: "the database has no ledger that this node may use", in: nodes)
      let schemas = try await nodes.server.run(
        ["SELECT count(*) FROM pg_namespace WHERE nspname = 'darkroom'"], at: other)
      #expect(schemas[0][0].int(0) == 0)
      try await stop(second)
      let third = try await nodes.start("a")
      await nodes.bench.origin.release("g")
      try await third.says("Finished list 'summer'")
      try await third.says("Finished list 'autumn'")
      #expect(nodes.prints("summer").count == 8 && nodes.prints("autumn").count == 4)
    }
  }

  @Test func `a node with a folder of its own keeps no list of the others waiting`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      try await nodes.bench.until("the folder is marked") {
        nodes.names("blobs").contains("cluster")
      }
      try FileManager.default.createDirectory(
        atPath: "\(nodes.bench.folder.path)/elsewhere", withIntermediateDirectories: false)
      let stray = try await nodes.start("b", blobs: "elsewhere")
      try await nodes.drop(nodes.photos(4, at: nil), as: "autumn.plist", at: "b")
      try await waits("b", for: "is not the one that the other nodes share", in: nodes)
      #expect(nodes.names("elsewhere") == ["lists", "prints"])
      #expect(nodes.all("elsewhere/lists").isEmpty, "a list could be one that others must not read")
      try await nodes.drop(nodes.photos(8, at: nil), at: "a")
      try await home.says("Finished list 'summer'")
      #expect(try await nodes.number("SELECT count(*) FROM list") == 1)
      // The right folder is mounted there: no restart is needed.
      let elsewhere = "\(nodes.bench.folder.path)/elsewhere"
      try FileManager.default.removeItem(atPath: elsewhere)
      try FileManager.default.createSymbolicLink(
        atPath: elsewhere, withDestinationPath: "\(nodes.bench.folder.path)/blobs")
      try await stray.says("Finished list 'autumn'")
      #expect(nodes.prints("autumn").count == 4)
    }
  }

  @Test func `a node whose shared folder goes away prints nothing below, and goes on by itself`()
    async throws
  {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      try await nodes.drop(nodes.photos(8), at: "a")
      try await nodes.nodesAtWork(1)
      let (files, root) = (FileManager.default, nodes.bench.folder.path)
      try files.moveItem(atPath: "\(root)/blobs", toPath: "\(root)/away")
      for name in ["prints", "lists"] {
        try files.createDirectory(
          atPath: "\(root)/blobs/\(name)", withIntermediateDirectories: true)
      }
      try await nodes.drop(nodes.photos(4, at: nil), as: "autumn.plist", at: "a")
      await nodes.bench.origin.release("g")
      try await home.says("lacks the mark of the cluster")
      try await waits("a", for: "is not the one that the other nodes share", in: nodes)
      #expect(nodes.all("blobs/prints").isEmpty && nodes.all("blobs/lists").isEmpty)
      try files.removeItem(atPath: "\(root)/blobs")
      try files.moveItem(atPath: "\(root)/away", toPath: "\(root)/blobs")
      try await home.says("Finished list 'summer'")
      try await home.says("Finished list 'autumn'")
      #expect(nodes.prints("summer").count == 8 && nodes.prints("autumn").count == 4)
    }
  }

  @Test func `a node with another part of the store does not enter`() async throws {
    try await NodeBench.use(inStore: true) { nodes in
      let home = try await nodes.start("a")
      try await nodes.drop(nodes.photos(4, at: nil), at: "a")
      try await home.says("Finished list 'summer'")
      #expect(nodes.objects("cluster") == [""])
      _ = try await nodes.start("b", blobs: "other")
      try await waits("b", for: "is not the one that the other nodes share", in: nodes)
      #expect(nodes.store?.keys.contains { $0.hasPrefix("other/") } == false)
    }
  }

  @Test func `a node that is pointed at the store of another cluster removes nothing from it`()
    async throws
  {
    try await NodeBench.use(inStore: true) { nodes in
      let other = try await nodes.server.database()
      let ours = try await nodes.start("a")
      try await nodes.bench.until("the store is marked") { nodes.objects("cluster") == [""] }
      try await stop(ours)
      let theirs = try await nodes.start("b", at: other, blobs: "other")
      try await nodes.drop(nodes.photos(4, at: nil), at: "b")
      try await theirs.says("Finished list 'summer'")
      let store = try #require(nodes.store)
      let prints = store.keys.filter { $0.hasPrefix("other/prints/summer/") }
      #expect(prints.count == 4)
      // The prints of a list of this name are to go, and the settings have slipped.
      try nodes.bench.folder.write(Array("summer".utf8), to: "a/state/unwanted/7")
      let removals = store.count("DELETE", "prints")
      let strange = try await nodes.start("a", blobs: "other")
      try await waits("a", for: "belongs to another ledger", in: nodes)
      #expect(store.count("DELETE", "prints") == removals)
      #expect(prints.allSatisfy(store.keys.contains))
      try await stop(strange)
      store.put("\(NodeBench.prefix)/prints/summer/old.jpg", "ours")
      _ = try await nodes.start("a")
      try await nodes.bench.until("the prints are gone where they were meant") {
        nodes.objects("prints/summer").isEmpty
      }
      #expect(prints.allSatisfy(store.keys.contains))
    }
  }

  @Test func `a node that has left is told from one that has died`() {
    func state(_ seconds: Int, _ isDraining: Bool, _ leased: UInt32) -> NodeSummary.State {
      NodeSummary.State(
        NodeFacts(
          "a", silence: .seconds(seconds), isDraining: isDraining, leased: leased, version: ""),
        quiet: .seconds(20))
    }
    #expect(state(20, false, 0) == .working && state(20, false, 8) == .working)
    #expect(state(20, true, 8) == .draining && state(20, true, 0) == .drained)
    #expect(state(21, true, 0) == .left)
    #expect(state(21, true, 8) == .silent && state(21, false, 0) == .silent)
  }
}
