// SPDX-License-Identifier: Apache-2.0
// A ledger that is restored from an old dump under the daemons of its nodes.

import Foundation
import Linux
import Postgres
import Support
import Testing

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct OlderLedgerTests {
  /// Runs a program of PostgreSQL.
  private func run(_ words: String...) async {
    #expect(await HelperProcess.status(of: words) == 0, "\(words)")
  }

  private func dump(_ nodes: NodeBench) async -> String {
    let dump = "\(nodes.bench.folder.path)/ledger.dump"
    await run("pg_dump", "--format=custom", "--file", dump, nodes.place)
    return dump
  }

  /// The database of the ledger becomes what it was at the dump.
  private func restore(_ nodes: NodeBench, _ dump: String) async throws {
    let name = nodes.place.split(separator: "=").last ?? ""
    _ = try await nodes.server.run(
      ["DROP DATABASE \(name) WITH (FORCE)", "CREATE DATABASE \(name)"],
      at: nodes.server.place(of: "postgres"))
    await run("pg_restore", "--dbname", nodes.place, dump)
  }

  private func stop(_ node: RunningProgram) async throws {
    node.send(SIGTERM)
    #expect(try await node.end().code == 0)
  }

  private func isOlder(_ node: String, _ nodes: NodeBench) async throws {
    let words = "the ledger is older than this node"
    try await nodes.bench.until("\(node) tells that the ledger is older") {
      try await nodes.tool(node, "status").output.contains(words)
    }
    let check = try await nodes.tool(node, "status", "--check")
    #expect(check.code == 1 && check.output.contains(words), "\(check)")
  }

  @Test(arguments: [false, true])
  func `nodes wait for an administrator when their ledger was restored from an old dump`(
    whileTheyRun: Bool
  ) async throws {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      var (a, b) = (try await nodes.start("a"), try await nodes.start("b"))
      try await nodes.drop(nodes.photos(4, at: nil), as: "one.plist", at: "a")
      try await a.says("Finished list 'one'")
      let dump = await dump(nodes)
      // The ledger will know less of this run than the run itself.
      try await stop(a)
      a = try await nodes.start("a")
      try await nodes.drop(nodes.photos(8, at: nil), as: "two.plist", at: "a")
      try await a.says("Finished list 'two'")
      try await nodes.drop(nodes.photos(8), as: "open.plist", at: "b")
      try await nodes.bench.until("the list is at work") {
        try await nodes.number("SELECT count(*) FROM share WHERE state = 1") > 0
      }
      #expect(try await nodes.tool("b", "pause", "open").code == 0)
      if whileTheyRun {
        try await restore(nodes, dump)
      } else {
        for node in [a, b] { try await stop(node) }
        try await restore(nodes, dump)
        (a, b) = (try await nodes.start("a"), try await nodes.start("b"))
      }
      for node in ["a", "b"] { try await isOlder(node, nodes) }

      // A node that knows nothing works, and hides nothing from the others.
      let other = try await nodes.start("c")
      try await nodes.drop(nodes.photos(4, at: nil), as: "theirs.plist", at: "c")
      try await other.says("Finished list 'theirs'")
      for node in ["a", "b"] { try await isOlder(node, nodes) }

      // The verdict stands when a daemon starts again, before the ledger has said a word.
      try await stop(a)
      try await nodes.drop(nodes.photos(2, at: nil), as: "new.plist", at: "a")
      a = try await nodes.start("a")
      try await nodes.bench.until("the new list waits with the reason") {
        try await nodes.tool("a", "inbox").output.contains("the ledger is older than this node")
      }
      try await isOlder("a", nodes)
      #expect(nodes.names("a/inbox") == ["new.plist"])
      #expect(!b.errors.contains("Resumed"), "\(b.errors)")
      #expect(nodes.prints("one").count == 4 && nodes.prints("two").count == 8)

      _ = try await nodes.server.run(["SELECT go_on()"], at: nodes.place)
      await nodes.bench.origin.release("g")
      try await a.says("Finished list 'new'")
      #expect(nodes.prints("one").count == 4 && nodes.prints("two").count == 8)
      // The ledger has forgotten the list, and its node has not.
      try await b.says("Finished list 'open'")
      #expect(try await nodes.tool("b", "verify", "open").code == 0)
      #expect(nodes.prints("theirs").count == 4)
    }
  }

  @Test func `a node that does not notice an older ledger takes no list of others for its own`()
    async throws
  {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      var a = try await nodes.start("a")
      try await nodes.drop(nodes.photos(4, at: nil), as: "one.plist", at: "a")
      try await a.says("Finished list 'one'")
      let dump = await dump(nodes)
      try await nodes.drop(nodes.photos(8), as: "mine.plist", at: "a")
      try await nodes.bench.until("the list is at work") {
        try await nodes.number("SELECT count(*) FROM share WHERE state = 1 AND list = 2") > 0
      }
      try await stop(a)
      try await restore(nodes, dump)
      let b = try await nodes.start("b")
      try await nodes.drop(nodes.photos(8, at: nil), as: "theirs.plist", at: "b")
      try await b.says("Finished list 'theirs'")
      let theirs = "SELECT id FROM list WHERE name = 'theirs'"
      #expect(try await nodes.number(theirs) == 2, "the number is given again")
      // As if it had never been written.
      try FileManager.default.removeItem(atPath: "\(nodes.root("a"))/state/ledger")
      a = try await nodes.start("a")
      await nodes.bench.origin.release("g")
      try await a.says("Finished list 'mine'")
      let verified = try await nodes.tool("a", "verify", "mine")
      #expect(verified.code == 0, "\(verified)")
      let mine = try await nodes.number("SELECT id FROM list WHERE name = 'mine'")
      let prints = nodes.prints("mine") + nodes.prints("mine~\(mine)")
      #expect(prints.count == 8 && nodes.prints("theirs").count == 8)
    }
  }
}
