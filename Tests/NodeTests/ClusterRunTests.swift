// SPDX-License-Identifier: Apache-2.0
// Lists that several daemons develop together, whatever happens to one of them.

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
struct ClusterRunTests {
  @Test func `three nodes develop a list that was dropped at one of them`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      for node in ["b", "c"] { _ = try await nodes.start(node) }
      try await nodes.drop(nodes.photos(60), at: "a")
      try await nodes.nodesAtWork(3)
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(60)
      #expect(try await nodes.number("SELECT count(*) FROM tally") == 3)
      let wait = try await nodes.tool("a", "wait", "summer")
      #expect(wait.code == 0, "\(wait)")
      #expect(nodes.names("a/done") == ["summer.plist", "summer.result.plist"])
      #expect(nodes.names("b/done").isEmpty && nodes.names("c/done").isEmpty)
      try await nodes.bench.until("the ledger knows that the list was returned") {
        try await nodes.number("SELECT count(*) FROM list WHERE is_returned") == 1
      }
      try await nodes.bench.until("the shares are gone") {
        ["a", "b", "c"].allSatisfy { nodes.names("\($0)/state/lists").count == ($0 == "a" ? 1 : 0) }
      }
    }
  }

  @Test func `three nodes have no more connections to an origin than one may have`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      for node in ["b", "c"] { _ = try await nodes.start(node) }
      let photos = try nodes.photos(60).map { ($0.0, "\($0.1)&pause=20") }
      try await nodes.drop(photos, at: "a")
      try await nodes.nodesAtWork(3)
      await nodes.bench.origin.arrivals(at: "g", 2)
      try await nodes.bench.until("all three have asked for connections") {
        try await nodes.number("SELECT count(*) FROM seat WHERE need > 0") == 3
      }
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(60)
      #expect(await nodes.bench.origin.peak() <= 6)
      #expect(try await nodes.number("SELECT count(*) FROM tally") == 3, "all have worked")
    }
  }

  @Test func `other nodes get the photos of a node whose own trouble lasts`() async throws {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      let shares = """
        SELECT count(*) FROM share s JOIN node n ON n.id = s.node WHERE n.name = 'b' AND s.state = 1
        """
      let home = try await nodes.start("a")
      _ = try await nodes.start("b")
      try await nodes.drop(nodes.photos(32), at: "a")
      try await nodes.nodesAtWork(2)
      try nodes.configure("b", more: "[Download]\nFreeSpace=1000000G")
      #expect(try await nodes.tool("b", "reload").code == 0)
      try await nodes.bench.until("node b has no shares") { try await nodes.number(shares) == 0 }
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(32)
      try nodes.configure("b", more: "")
      #expect(try await nodes.tool("b", "reload").code == 0)
      try await nodes.drop(nodes.photos(16, at: "h"), as: "winter.plist", at: "a")
      try await nodes.bench.until("node b has shares again") { try await nodes.number(shares) > 0 }
      await nodes.bench.origin.release("h")
      try await home.says("Finished list 'winter'")
    }
  }

  @Test func `a list whose server is down keeps no other list waiting`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a", more: "[Download]\nAttempts=30")
      _ = try await nodes.start("b", more: "[Download]\nAttempts=30")
      let lost = (1...60).map { ("photo \($0)", "http://127.0.0.9:9/\($0).jpg") }
      try await nodes.drop(lost, as: "lost.plist", at: "a")
      try await nodes.nodesAtWork(2)
      try await nodes.drop(nodes.photos(24, at: nil), at: "a")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(24, of: LedgerList(2))
      #expect(try await nodes.number("SELECT count(*) FROM list WHERE state = 0") == 1)
    }
  }

  @Test func `when a server is well again for one node, all nodes go on`() async throws {
    try await NodeBench.use { nodes in
      // Nothing listens on the port until then.
      let root = nodes.bench.folder.path
      let (folder, log) = ("\(root)/photos", "\(root)/second.log")
      let down = try Origin(folder: folder, log: log, address: "127.0.0.9")
      await down.end()
      let server = "127.0.0.9:\(down.port)"
      let photos = try nodes.bench.serveSamples(60).enumerated().map { place, url in
        ("photo \(place + 1)", url.replacing("127.0.0.1:\(nodes.bench.origin.port)", with: server))
      }
      let home = try await nodes.start("a", more: "[Download]\nAttempts=30")
      for node in ["b", "c"] {
        _ = try await nodes.start(node, more: "[Download]\nAttempts=30")
      }
      try await nodes.drop(photos, at: "a")
      try await nodes.nodesAtWork(3)
      for node in ["a", "b", "c"] {
        try await nodes.bench.until("node \(node) has it closed") {
          try await nodes.tool(node, "status", "--json").output.contains("\"\(server)\"")
        }
      }
      try await nodes.bench.until("the ledger knows of a probe") {
        try await nodes.number("SELECT count(*) FROM host WHERE word = 1") == 1
      }
      let well = try Origin(folder: folder, log: log, address: "127.0.0.9", port: down.port)
      #expect(try await nodes.tool("b", "flush", server).code == 0)
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(60)
      well.stop()
    }
  }

  @Test func `the photos of a node that is killed go to others when its lease is over`()
    async throws
  {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      let home = try await nodes.start("a")
      let killed = try await nodes.start("b")
      try await nodes.drop(nodes.photos(60), at: "a")
      try await nodes.nodesAtWork(2)
      await killed.cut()
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(60)
      #expect(try await nodes.number("SELECT max(deaths) FROM share") <= 0, "no share is left")
    }
  }

  @Test func `a node that is killed and starts again goes on with its shares`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      let killed = try await nodes.start("b")
      try await nodes.drop(nodes.photos(24), at: "a")
      try await nodes.nodesAtWork(2)
      await killed.cut()
      _ = try await nodes.start("b")
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(24)
      #expect(try await nodes.number("SELECT count(*) FROM tally") == 2)
      #expect(try await nodes.number("SELECT max(epoch) FROM outcome") == 1, "no lease was lost")
    }
  }

  @Test func `a share whose files are damaged goes back, and the files go`() async throws {
    try await NodeBench.use { nodes in
      let node = try await nodes.start("a")
      try await nodes.drop(nodes.photos(8), at: "a")
      try await nodes.nodesAtWork(1)
      // It is recorded, and open.
      await nodes.bench.origin.arrivals(at: "g")
      await node.cut()
      let copy = try #require(nodes.names("a/state/cluster").first)
      try nodes.bench.folder.write([1, 2, 3], to: "a/state/cluster/\(copy)/catalog")
      _ = try await nodes.start("a")
      try await nodes.bench.until("the ledger has it back") {
        try await nodes.number("SELECT count(*) FROM share WHERE state = 0") == 1
      }
      #expect(nodes.bench.folder.bytes(of: "a/state/cluster/\(copy)/catalog") != [1, 2, 3])
      try await nodes.bench.until("its list here has ended") {
        nodes.names("a/state/lists") == ["1"]
      }
      await nodes.bench.origin.release("g")
    }
  }

  @Test func `a list whose files are gone from the shared folder keeps no other list waiting`()
    async throws
  {
    try await NodeBench.use { nodes in
      _ = try await nodes.start("a")
      try await nodes.drop(nodes.photos(40), at: "a")
      try await nodes.nodesAtWork(1)
      for list in nodes.names("blobs/lists") {
        try FileManager.default.removeItem(
          atPath: "\(nodes.bench.folder.path)/blobs/lists/\(list)")
      }
      let other = try await nodes.start("b")
      try await other.says("the files of list 'summer' cannot be had")
      #expect(try await nodes.tool("a", "drain", "a").code == 0)
      await nodes.bench.origin.release("g")
      try await nodes.drop(nodes.photos(4, at: nil), as: "autumn.plist", at: "b")
      try await other.says("Finished list 'autumn'")
      #expect(nodes.prints("autumn").count == 4)
    }
  }

  @Test func `a cluster whose nodes are all drained says why nothing is done`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      #expect(try await nodes.tool("a", "drain", "a").code == 0)
      try await nodes.drop(nodes.photos(4, at: nil), at: "a")
      let reason = "no node takes new photos: a is drained"
      for words in [["why", "summer"], ["status"]] {
        #expect(
          try await Patience.sees {
            try await nodes.tool("a", words: words).output.contains(reason)
          }, "\(words)")
      }
      #expect(try await nodes.tool("a", "drain", "--off", "a").code == 0)
      try await home.says("Finished list 'summer'")
      #expect(
        try await Patience.sees {
          try await !nodes.tool("a", "status").output.contains(reason)
        })
    }
  }

  @Test func `a node that starts again shows no shares that it had`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      let other = try await nodes.start("b")
      try await nodes.drop(nodes.photos(24), at: "a")
      try await nodes.nodesAtWork(2)
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.bench.until("the shares are gone") { nodes.names("b/state/lists").isEmpty }
      await other.cut()
      _ = try await nodes.start("b")
      let lists = try await nodes.tool("b", "list", "--json")
      #expect(lists.code == 0 && !lists.output.contains("\"id\""), "\(lists)")
      _ = home
    }
  }

  @Test func `a node that was frozen for longer than a lease reports nothing of what it lost`()
    async throws
  {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      let home = try await nodes.start("a")
      let frozen = try await nodes.start("b")
      try await nodes.drop(nodes.photos(40), at: "a")
      try await nodes.nodesAtWork(2)
      try await frozen.halt()
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      frozen.send(SIGCONT)
      try await nodes.bench.until("the frozen node has dropped its shares") {
        nodes.names("b/state/lists").isEmpty
      }
      try await nodes.checkBooks(40)
      #expect(try await nodes.number("SELECT count(*) FROM tally") == 1)
    }
  }

  @Test func `a list is cancelled at a node where it was not dropped`() async throws {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      let other = try await nodes.start("b")
      try await nodes.drop(nodes.photos(40), at: "a")
      try await nodes.nodesAtWork(2)
      for words in [["show", "summer"], ["wait", "summer.plist"], ["why", "summer"]] {
        let answer = try await nodes.tool("b", words[0], words[1])
        #expect(
          answer.code == 4 && answer.errors.contains("was dropped at node 'a'; ask there"),
          "\(answer)")
      }
      let unknown = try await nodes.tool("b", "show", "autumn")
      #expect(unknown.errors.contains("there is no list 'autumn'"), "\(unknown)")
      let cancel = try await nodes.tool("b", "cancel", "summer")
      #expect(cancel.code == 0, "\(cancel)")
      try await home.says("Cancelled list 'summer'")
      try await nodes.bench.until("no node has a share") {
        try await nodes.number("SELECT count(*) FROM share") == 0
          && nodes.names("b/state/lists").isEmpty
      }
      #expect(try await nodes.number("SELECT state FROM list") == 4)
      #expect(try await nodes.photosDone() == 0)
      try await nodes.bench.until("the list is back") {
        nodes.names("a/done") == ["summer.plist", "summer.result.plist"]
      }
      let over = try await nodes.tool("b", "show", "summer")
      #expect(over.errors.contains("was dropped at node 'a'; ask there"), "\(over)")
      await nodes.bench.origin.release("g")
      _ = (home, other)
    }
  }

  @Test func `a list at another node is named to its owner and root alone, and no number is`()
    async throws
  {
    try await NodeBench.use { nodes in
      _ = try await nodes.start("a")
      _ = try await nodes.start("b")
      try await nodes.drop(nodes.photos(1), as: "summer.plist", at: "a")
      try await nodes.drop(nodes.photos(1), as: "17.plist", at: "a")
      try await nodes.bench.until("the ledger has both") {
        try await nodes.number("SELECT count(*) FROM list") == 2
      }
      let number = try await nodes.tool("b", "show", "17")
      #expect(number.code == 4 && !number.errors.contains("node"), "\(number)")
      let office = try PostgresOffice(
        LedgerPlace(server: nodes.place, node: "c", run: 1, patience: Patience.time),
        clock: SystemClock()
      ) { _ in }
      defer { office.close() }
      let lists = ForeignLists(office: office)
      let asked = [0, ThisProcess.user, 4_000_001].map {
        ControlPeer(process: 1, user: $0, group: 1)
      }
      #expect(await lists.home(of: "summer", asked[0]) == "a")
      #expect(await lists.home(of: "summer", asked[1]) == "a")
      #expect(await lists.home(of: "summer", asked[2]) == nil)
      await nodes.bench.origin.release("g")
    }
  }

  @Test
  func `while PostgreSQL is away leased photos go on, and nothing is told before it has them`()
    async throws
  {
    let server = PostgresServer()
    try await NodeBench.use(server: server) { nodes in
      let home = try await nodes.start("a")
      _ = try await nodes.start("b")
      try await nodes.drop(nodes.photos(40), at: "a")
      try await nodes.nodesAtWork(2)
      try await nodes.bench.until("both have seats at the origin") {
        try await nodes.number("SELECT count(*) FROM seat WHERE told > 0") == 2
      }
      try await server.stop()
      await nodes.bench.origin.release("g")
      try await nodes.bench.until("the prints of both nodes' shares are there") {
        nodes.prints("summer").count == 16
      }
      try await nodes.bench.until("the status tells it") {
        try await nodes.tool("b", "status").output.contains("the ledger does not answer")
      }
      let shown = try await nodes.tool("a", "show", "summer")
      #expect(shown.output.contains("40 photos: 0 filtered"), "\(shown)")
      try await server.goOn()
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(40)
    }
  }

  @Test func `the status shows the last reason why the ledger does not answer, and since when`()
    async throws
  {
    try await NodeBench.use(leaseTime: "4s") { nodes in
      _ = try await nodes.start("a")
      try await nodes.drop(nodes.photos(8), at: "a")
      try await nodes.nodesAtWork(1)
      let mark = "dbname="
      let name = try #require(nodes.place.split(separator: " ").last?.dropFirst(mark.count))
      let elsewhere = nodes.place.replacingOccurrences(of: mark + name, with: "\(mark)postgres")

      /// Waits for a reason; returns since when there is one.
      func since(_ words: String) async throws -> Substring {
        var since: Substring = ""
        try await nodes.bench.until("the status says '\(words)'") {
          let status = try await nodes.tool("a", "status").output
          let line = status.split(separator: "\n").first { $0.hasPrefix("cluster\t") }
          let columns = (line ?? "").split(separator: "\t", omittingEmptySubsequences: false)
          guard columns.count == 5, columns[4].contains(words) || words == columns[4] else {
            return false
          }
          since = columns[2]
          return true
        }
        return since
      }

      _ = try await nodes.server.run(
        [
          "ALTER DATABASE \(name) ALLOW_CONNECTIONS false",
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
        ], at: elsewhere)
      let first = try await since("not currently accepting connections")
      #expect(first != "0")
      _ = try await nodes.server.run(
        ["ALTER DATABASE \(name) RENAME TO moved_\(name)"], at: elsewhere)
      #expect(try await since("\"\(name)\" does not exist") == first)
      _ = try await nodes.server.run(
        [
          "ALTER DATABASE moved_\(name) RENAME TO \(name)",
          "ALTER DATABASE \(name) ALLOW_CONNECTIONS true",
        ], at: elsewhere)
      #expect(try await since("") == "0")
      _ = try await nodes.server.run(["ALTER FUNCTION seats RENAME TO moved"], at: nodes.place)
      _ = try await since("function seats")
      _ = try await nodes.server.run(["ALTER FUNCTION moved RENAME TO seats"], at: nodes.place)
      _ = try await since("")
      await nodes.bench.origin.release("g")
    }
  }

  @Test func `no photo is lost or recorded twice while all conversations with PostgreSQL are cut`()
    async throws
  {
    try await NodeBench.use(leaseTime: "4s") { nodes in
      let cutter = try PostgresCutter(before: nodes.place)
      try await cutter.cutAtRandom(seed: 1)
      let home = try await nodes.start("a", through: cutter)
      for node in ["b", "c"] { _ = try await nodes.start(node, through: cutter) }
      try await nodes.drop(nodes.photos(72, at: nil), at: "a")
      try await home.says("Finished list 'summer'")
      #expect(try await cutter.pass() > 8)
      try await nodes.checkBooks(72)
      let shown = try await nodes.tool("a", "show", "summer")
      #expect(shown.output.contains("72 photos: 72 filtered"), "\(shown)")
      cutter.stop()
    }
  }

  @Test func `the same list at two nodes is developed once, and both return it`() async throws {
    try await NodeBench.use { nodes in
      let out = "\(nodes.bench.folder.path)/keys"
      let hook = "\(nodes.bench.folder.path)/hook"
      try nodes.bench.folder.write(
        Array("#!/bin/sh\necho $DARKROOM_KEY >>\(out)\n".utf8), to: "hook")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook)
      let more = "[Hooks]\nOnFinished=\(hook)"
      let daemons = [
        try await nodes.start("a", more: more), try await nodes.start("b", more: more),
      ]
      let photos = try nodes.photos(12)
      try await nodes.drop(photos, at: "a")
      try await nodes.nodesAtWork(2)
      try await nodes.drop(photos, at: "b")
      try await nodes.bench.until("the second one is a twin") {
        try await nodes.number("SELECT count(*) FROM origin WHERE is_twin") == 1
      }
      await nodes.bench.origin.release("g")
      for daemon in daemons { try await daemon.says("Finished list 'summer'") }
      try await nodes.checkBooks(12)
      let identity = try await nodes.server.run(["SELECT identity FROM release"], at: nodes.place)
      let key = "\(identity[0][0].text(0))/1/finished\n"
      try await nodes.bench.until("both nodes have run their program, with one key") {
        nodes.bench.folder.bytes(of: "keys") == Array((key + key).utf8)
      }
    }
  }

  @Test func `a list with the name of an earlier one takes over from it, with prints of its own`()
    async throws
  {
    try await NodeBench.use { nodes in
      let first = try await nodes.start("a")
      let second = try await nodes.start("b")
      let photos = try nodes.photos(16)
      try await nodes.drop(photos, at: "a")
      try await nodes.nodesAtWork(2)
      try await nodes.drop(Array(photos.prefix(9)), at: "b")
      try await first.says("Cancelled list 'summer'")
      await nodes.bench.origin.release("g")
      try await second.says("Finished list 'summer'")
      #expect(nodes.prints("summer~2").count == 9)
    }
  }

  @Test func `a list whose own node is gone for good is returned by another`() async throws {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      let home = try await nodes.start("a")
      let other = try await nodes.start("b")
      try await nodes.drop(nodes.photos(24), at: "a")
      try await nodes.nodesAtWork(2)
      await home.cut()
      await nodes.bench.origin.release("g")
      try await other.says("Finished list 'summer'")
      try await nodes.checkBooks(24)
      try await nodes.bench.until("the list is back") {
        nodes.names("b/done") == ["summer.plist", "summer.result.plist"]
      }
    }
  }
}
