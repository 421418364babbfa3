// SPDX-License-Identifier: Apache-2.0
// Nodes that have their prints and lists in a store of objects, real daemons against a strict store: what the store, or
// a node, does in the middle of a list.

import Cluster
import Foundation
import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct StoreNodeTests {
  @Test func `three nodes develop a list into a store, and nothing of it stays with a node`()
    async throws
  {
    try await NodeBench.use(inStore: true) { nodes in
      let home = try await nodes.start("a")
      for node in ["b", "c"] { _ = try await nodes.start(node) }
      try await nodes.drop(nodes.photos(60), at: "a")
      try await nodes.nodesAtWork(3)
      let files = nodes.objects("lists/").map { $0.drop { $0 != "/" } }
      #expect(files == ["/catalog", "/collisions", "/list.plist"])
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(60)
      for node in ["a", "b", "c"] {
        #expect(nodes.names("\(node)/prints").isEmpty)
        try await nodes.bench.until("the drafts of node \(node) are gone") {
          nodes.all("\(node)/state/drafts").isEmpty
        }
      }
      try await nodes.bench.until("the list is back") {
        nodes.names("a/done") == ["summer.plist", "summer.result.plist"]
      }
      let results = try #require(nodes.bench.folder.bytes(of: "a/done/summer.result.plist"))
      let place = try #require(nodes.store).url
      #expect(String(decoding: results, as: UTF8.self).contains("\(place)/deep/prints/summer<"))
    }
  }

  @Test func `verify reads the prints from the store, and finds each that is not as recorded`()
    async throws
  {
    try await NodeBench.use(inStore: true) { nodes in
      let home = try await nodes.start("a")
      try await nodes.drop(nodes.photos(20, at: nil), at: "a")
      try await home.says("Finished list 'summer'")
      let whole = try await nodes.tool("a", "--plain", "verify", "summer")
      #expect(whole.code == 0 && whole.output.contains("20\t0\t0\t0"), "\(whole)")
      let store = try #require(nodes.store)
      let key = "deep/prints/summer/photo 7.jpg"
      store.put(key, String(repeating: "x", count: try #require(store.object(key)).count))
      store.put("deep/prints/summer/photo 9.jpg", "short")
      try store.remove("deep/prints/summer/photo 12.jpg")
      let found = try await nodes.tool("a", "--plain", "verify", "summer")
      #expect(found.code != 0)
      for words in [
        "changed\t7\tphoto 7\tphoto 7.jpg\tits contents differ", "changed\t9\tphoto 9",
        "missing\t12\tphoto 12", "list\tsummer\t17\t1\t2\t0",
      ] { #expect(found.output.contains(words), "\(found)") }
      store.fault(.busy, count: -1)
      let busy = try await nodes.tool("a", "--plain", "verify", "summer")
      #expect(busy.output.contains("unreadable\t1\t") && busy.output.contains("503"), "\(busy)")
    }
  }

  @Test func `while the store is away the photos wait, and none fails`() async throws {
    try await NodeBench.use(inStore: true) { nodes in
      let home = try await nodes.start("a")
      _ = try await nodes.start("b")
      try await nodes.drop(nodes.photos(24), at: "a")
      try await nodes.nodesAtWork(2)
      let store = try #require(nodes.store)
      store.fault(.busy, count: -1)
      await nodes.bench.origin.release("g")
      for node in ["a", "b"] {
        try await nodes.bench.until("node \(node) says so") {
          try await nodes.tool(node, "status").output.contains("503 (SlowDown")
        }
      }
      #expect(try await nodes.photosDone() == 0)
      store.fault(.busy, count: 0)
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(24)
      #expect(try await nodes.number("SELECT coalesce(sum(failed), 0)::bigint FROM tally") == 0)
    }
  }

  @Test func `answers that are lost, cut and refused cost no photo`() async throws {
    try await NodeBench.use(inStore: true) { nodes in
      let store = try #require(nodes.store)
      let home = try await nodes.start("a")
      _ = try await nodes.start("b")
      store.fault(.lost, count: 3, method: "PUT", key: "prints")
      store.fault(.half, count: 4, method: "GET")
      store.fault(.conflict, count: 3, method: "PUT")
      store.fault(.drop, count: 2, method: "PUT", key: "lists")
      store.fault(.error, count: 3, method: "PUT", key: "prints")
      try await nodes.drop(nodes.photos(32, at: nil), at: "a")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(32)
      #expect(try await nodes.number("SELECT coalesce(sum(failed), 0)::bigint FROM tally") == 0)
    }
  }

  @Test func `a print that a dead node's request makes late is the one on record, or is refused`()
    async throws
  {
    try await NodeBench.use(leaseTime: "3s", inStore: true) { nodes in
      let store = try #require(nodes.store)
      let home = try await nodes.start("a")
      let killed = try await nodes.start("b")
      try await nodes.drop(nodes.photos(32), at: "a")
      try await nodes.nodesAtWork(2)
      store.fault(.stall, count: 4, method: "PUT", key: "prints")
      await nodes.bench.origin.release("g")
      try await nodes.bench.until("four prints are on their way") {
        store.count("PUT", "prints") >= 4
      }
      await killed.cut()
      // The requests of node a are answered, too.
      store.fault(.stall, count: 0)
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(32)
    }
  }

  @Test func `a print that stands is the one on record, whoever has made it`() async throws {
    try await NodeBench.use(inStore: true) { nodes in
      let store = try #require(nodes.store)
      let home = try await nodes.start("a")
      try await nodes.drop(nodes.photos(12), at: "a")
      try await nodes.nodesAtWork(1)
      // Another picture than the prints of all photos, and a file that is none.
      let other = try #require(nodes.bench.folder.bytes(of: "photos/5.jpg"))
      try store.put("deep/prints/summer/photo 3.jpg", other)
      try store.put("deep/prints/summer/photo 4.jpg", Array("no picture".utf8))
      await nodes.bench.origin.release("g")
      try await home.says("is not a jpeg picture")
      try await home.says("Finished list 'summer'")
      #expect(store.object("deep/prints/summer/photo 3.jpg") == other)
      #expect(store.object("deep/prints/summer/photo 4.jpg") == Array("no picture".utf8))
      let found = try await nodes.tool("a", "--plain", "verify", "summer")
      #expect(found.output.contains("list\tsummer\t11\t0\t0\t0"), "\(found)")
      let drafts = nodes.all("a/state/drafts")
      #expect(drafts.isEmpty, "\(drafts)")
    }
  }

  @Test func `nodes that are killed lose no photo, and none is recorded twice`() async throws {
    try await NodeBench.use(leaseTime: "3s", inStore: true) { nodes in
      let home = try await nodes.start("a")
      try await nodes.drop(nodes.photos(96, at: nil), at: "a")
      var (done, kills) = (Int64(0), 0)
      while done < 96, kills < 4 {
        let node = try await nodes.start("b")
        let before = try await nodes.photosDone()
        try await nodes.bench.until("photos are reported") {
          done = try await nodes.photosDone()
          return done > before || done == 96
        }
        await node.cut()
        kills += 1
      }
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(96)
      #expect(kills > 1)
    }
  }

  @Test func `a list that is removed, and one whose time is over, leave the store`() async throws {
    try await NodeBench.use(leaseTime: "3s", inStore: true) { nodes in
      let keep = "[Record]\nKeepLists=80s\n"
      let home = try await nodes.start("a", more: keep, ["--expire-at-once"])
      let store = try #require(nodes.store)
      let photos = try nodes.photos(12, at: nil)
      for name in ["one", "two"] {
        try await nodes.drop(photos, as: "\(name).plist", at: "a")
        try await home.says("Finished list '\(name)'")
      }
      #expect(nodes.prints("one").count == 12)
      // Prints that this machine made before it became a node.
      for name in ["one", "two"] {
        try nodes.bench.folder.write(Array("old".utf8), to: "a/prints/\(name)/old.jpg")
      }
      let gone = try await nodes.tool("a", "remove", "one")
      #expect(gone.code == 0, "\(gone)")
      try await nodes.bench.until("its prints are gone") { nodes.prints("one").isEmpty }
      #expect(nodes.prints("two").count == 12)
      // The store is away when the prints of the other list expire, and the node is stopped.
      store.fault(.busy, count: -1)
      try nodes.configure("a", more: keep + "KeepPrints=1s\n")
      #expect(try await nodes.tool("a", "reload").code == 0)
      try await nodes.bench.until("the status says it") {
        try await nodes.tool("a", "status").output.contains("prints are not removed from the store")
      }
      #expect(nodes.prints("two").count == 12)
      await home.cut()
      store.fault(.busy, count: 0)
      let again = try await nodes.start(
        "a", more: keep + "KeepPrints=1s\n", ["--expire-at-once"])
      try await again.says("Removed the prints of list 'two'")
      #expect(nodes.objects("prints/").isEmpty)
      #expect(nodes.all("a/state/unwanted").count == 2, "they are removed again")
      #expect(nodes.names("a/prints") == ["one", "two"])
      #expect(nodes.all("a/prints/one") == ["old.jpg"] && nodes.all("a/prints/two") == ["old.jpg"])
      _ = try await nodes.server.run(
        ["UPDATE list SET ended = ended - interval '10 minutes'"], at: nodes.place)
      try await nodes.bench.until("the files of the lists are gone as well") {
        nodes.objects("") == ["cluster"]
      }
    }
  }

  @Test func `a store that ignores conditions is refused at the start, with the reason`()
    async throws
  {
    try await NodeBench.use { nodes in
      let root = nodes.bench.folder.path
      let careless = try StoreOrigin(folder: "\(root)/blobs", isCareless: true)
      defer { careless.stop() }
      let end = try await nodes.launch("a", store: careless).end()
      #expect(end.code == 78, "\(end)")
      #expect(end.errors.contains("ignores If-None-Match"), "\(end)")
      #expect(careless.keys.isEmpty)
    }
  }

  @Test func `a start waits for a store that cannot be asked, and says why`() async throws {
    try await NodeBench.use(inStore: true) { nodes in
      let store = try #require(nodes.store)
      store.fault(.forbid, count: -1)
      let daemon = try await nodes.launch("a")
      try await nodes.bench.until("the status says it") {
        let status = try await nodes.tool("a", "status").output
        return status.contains("403 (AccessDenied") && status.contains("BlobCredentials=")
      }
      store.fault(.forbid, count: 0)
      try await daemon.says(" is ready: ")
    }
  }
}
