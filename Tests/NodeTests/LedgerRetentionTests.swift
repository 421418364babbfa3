// SPDX-License-Identifier: Apache-2.0
// What is left of a list in the ledger and in the shared folder when it is over, and what follows when it is gone there.

import Cluster
import Foundation
import Postgres
import Support
import Testing

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LedgerRetentionTests {
  @Test func `a list that was returned long ago leaves the ledger and the shared folder`()
    async throws
  {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      let keep = "[Record]\nKeepLists=80s"
      let home = try await nodes.start("a", more: keep, ["--expire-at-once"])
      let other = try await nodes.start("b", more: keep, ["--expire-at-once"])
      let photos = try nodes.photos(16)
      try await nodes.drop(photos, at: "a")
      try await nodes.drop(photos, at: "b")
      try await nodes.bench.until("the second one is known as a twin, and its files are gone") {
        try await nodes.number("SELECT count(*) FROM origin") == 2
          && nodes.names("blobs/lists").count == 1
      }
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await other.says("Finished list 'summer'")
      _ = try await nodes.server.run(
        ["UPDATE list SET ended = ended - interval '10 minutes'"], at: nodes.place)
      for table in ["list", "outcome", "tally", "origin"] {
        try await nodes.bench.until("\(table) is empty") {
          try await nodes.number("SELECT count(*) FROM \(table)") == 0
        }
      }
      #expect(nodes.names("blobs/lists").isEmpty)
      #expect(nodes.prints("summer").count == 16)
      // The prints are there: a later list of that name has a folder of its own.
      try await nodes.drop(photos, at: "b")
      try await other.says("Finished list 'summer'", times: 2)
      #expect(nodes.names("blobs/prints") == ["summer", "summer~2"])
      #expect(nodes.prints("summer~2").count == 16)
    }
  }

  @Test func `a list whose files cannot be removed keeps no other one in the ledger`() async throws
  {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      let home = try await nodes.start(
        "a", more: "[Record]\nKeepLists=80s", ["--expire-at-once"])
      let photos = try nodes.photos(2, at: nil)
      for name in ["one", "two"] {
        try await nodes.drop(photos, as: "\(name).plist", at: "a")
        try await home.says("Finished list '\(name)'")
      }
      try await nodes.bench.until("both are returned") {
        try await nodes.number("SELECT count(*) FROM list WHERE is_returned") == 2
      }
      let rows = try await nodes.server.run(
        ["SELECT origin FROM list WHERE id = 1"], at: nodes.place)
      let origin = try #require(rows.first?.first?.text(0))
      try FileManager.default.createDirectory(
        atPath: "\(nodes.bench.folder.path)/blobs/lists/\(origin)/x",
        withIntermediateDirectories: false)
      _ = try await nodes.server.run(
        ["UPDATE list SET ended = ended - interval '10 minutes'"], at: nodes.place)
      try await nodes.bench.until("the second one is gone") {
        try await nodes.number("SELECT max(id) FROM list") == 1
      }
      try await home.says("old lists stay in the ledger")
    }
  }

  @Test func `a list with work left that the ledger has forgotten is submitted again`()
    async throws
  {
    try await NodeBench.use(leaseTime: "3s") { nodes in
      let home = try await nodes.start("a")
      try await nodes.drop(nodes.photos(16), at: "a")
      try await nodes.nodesAtWork(1)
      // As if another node had returned it long ago.
      _ = try await nodes.server.run(
        ["DELETE FROM share", "DELETE FROM list", "DELETE FROM origin"], at: nodes.place)
      for origin in nodes.names("blobs/lists") {
        try FileManager.default.removeItem(
          atPath: "\(nodes.bench.folder.path)/blobs/lists/\(origin)")
      }
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      try await nodes.checkBooks(16, of: LedgerList(2), prints: "summer~2")
    }
  }
}
