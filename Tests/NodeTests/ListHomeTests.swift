// SPDX-License-Identifier: Apache-2.0
// A list is developed by the nodes of a cluster, or by one machine alone: Ledger= that comes or goes meanwhile holds it up.

import Foundation
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

/// Prints from before Ledger= are in the folder of the machine, and those of a cluster in the shared one.
@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct EarlierPrintsTests {
  @Test
  func `a node verifies and removes prints from before it was one, and says so when they are gone`()
    async throws
  {
    try await NodeBench.use { nodes in
      let alone = try await nodes.startAlone("a")
      try await nodes.drop(nodes.photos(2, at: nil), at: "a")
      #expect(try await nodes.tool("a", "wait", "summer").code == 0)
      try await nodes.drop(nodes.photos(1, at: nil), as: "winter.plist", at: "a")
      #expect(try await nodes.tool("a", "wait", "winter").code == 0)
      await alone.cut()
      let node = try await nodes.start("a")
      let verify = try await nodes.tool("a", "verify", "summer")
      #expect(verify.code == 0 && verify.output.contains("summer\t2"), "\(verify)")
      // A list of the cluster takes over the name, and has a folder of that name in the shared one.
      try await nodes.drop(nodes.photos(1, at: nil), at: "a")
      try await node.says("Finished list 'summer'")
      #expect(nodes.prints("summer") == ["photo 1.jpg"])
      let remove = try await nodes.tool("a", "remove", "1")
      #expect(remove.code == 0, "\(remove)")
      try await node.says("Removed list 'summer' with its results and the prints")
      #expect(nodes.names("a/prints") == ["winter"])
      #expect(nodes.prints("summer") == ["photo 1.jpg"])
    }
  }

  @Test func `a node whose own folder of prints is missing removes no list that has prints there`()
    async throws
  {
    try await NodeBench.use { nodes in
      let alone = try await nodes.startAlone("a")
      try await nodes.drop(nodes.photos(1, at: nil), at: "a")
      #expect(try await nodes.tool("a", "wait", "summer").code == 0)
      await alone.cut()
      let prints = "\(nodes.root("a"))/prints"
      try FileManager.default.moveItem(atPath: prints, toPath: "\(prints)-away")
      try FileManager.default.createSymbolicLink(
        atPath: prints, withDestinationPath: "\(prints)-gone")
      let node = try await nodes.start("a")
      let remove = try await nodes.tool("a", "remove", "summer")
      #expect(remove.code != 0, "\(remove)")
      #expect(
        remove.errors.contains(
          "its prints are in the folder of this machine alone, which is missing"))
      #expect(nodes.names("a/prints-away") == ["summer"])
      await node.cut()
    }
  }

  @Test
  func `a machine that has left its cluster says that the prints are there, and removes none`()
    async throws
  {
    try await NodeBench.use { nodes in
      let node = try await nodes.start("a")
      try await nodes.drop(nodes.photos(2, at: nil), at: "a")
      #expect(try await nodes.tool("a", "wait", "summer").code == 0)
      await node.cut()
      _ = try await nodes.startAlone("a")
      let list = try await nodes.tool("a", "list").output
      #expect(list.contains("summer") && !list.contains("list 2"), "\(list)")
      let verify = try await nodes.tool("a", "verify", "summer")
      #expect(verify.code == 1, "\(verify)")
      #expect(
        verify.errors.contains(
          "the prints of summer (list 1) are in a cluster, and Ledger= is not set"),
        "\(verify)")
      let remove = try await nodes.tool("a", "remove", "summer")
      #expect(
        remove.errors.contains("its prints are in a cluster, and Ledger= is not set"), "\(remove)")
      #expect(nodes.prints("summer").count == 2)
    }
  }

  @Test func `prints from before a machine became a node expire as well`() async throws {
    try await NodeBench.use { nodes in
      let alone = try await nodes.startAlone("a")
      try await nodes.drop(nodes.photos(1, at: nil), at: "a")
      #expect(try await nodes.tool("a", "wait", "summer").code == 0)
      await alone.cut()
      let node = try await nodes.start(
        "a", more: "[Record]\nKeepPrints=1s", ["--expire-at-once"])
      try await node.says("Removed the prints of list 'summer'")
      #expect(nodes.names("a/prints").isEmpty)
    }
  }
}

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct NodePictureTests {
  @Test func `a node says why dropped pictures stay, and submit refuses them at once`() async throws
  {
    try await NodeBench.use { nodes in
      let node = try await nodes.start("a")
      let why = "the nodes of a cluster do not share dropped pictures"
      try nodes.bench.folder.write(
        SamplePictures.jpeg(width: 24, height: 16), to: "a/inbox/one.jpg")
      try nodes.bench.folder.write(SamplePictures.jpeg(width: 24, height: 16), to: "roll/two.jpg")
      try await node.says("Ignored 'one.jpg' in the inbox: it is a picture, and \(why)")
      let folder = "\(nodes.bench.folder.path)/roll"
      for picture in [folder, "\(folder)/two.jpg"] {
        let end = try await nodes.tool("a", "submit", picture)
        #expect(end.code == 1 && end.errors.contains(why), "\(end)")
      }
      #expect(nodes.names("a/inbox") == ["one.jpg"])
      let status = try await nodes.tool("a", "status")
      #expect(status.output.contains("pictureRefusal\t\(why)"), "\(status)")
      #expect(try await nodes.tool("a", "inbox").output.contains(why))
    }
  }
}

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct NodePasswordTests {
  @Test func `a reload reads a new password, and refuses an empty or missing file`() async throws {
    let server = PostgresServer(withTLS: true)
    try await NodeBench.use(server: server) { nodes in
      let words = nodes.place.split(separator: " ")
      let database = words.last?.dropFirst("dbname=".count) ?? ""
      _ = try await server.run(
        [
          "CREATE ROLE node LOGIN SUPERUSER PASSWORD 'first'",
          "GRANT ALL ON DATABASE \(database) TO node",
        ], at: nodes.place)
      try nodes.bench.folder.write(Array("first\n".utf8), to: "password")
      let password = "\(nodes.bench.folder.path)/password"
      let certificate = try await server.certificate()
      let node = try await nodes.start(
        "a",
        at: "host=localhost \(words[1]) dbname=\(database) user=node sslrootcert=\(certificate)",
        more: "LedgerPassword=\(password)")
      try await nodes.bench.until("the node is there") {
        try await nodes.number("SELECT count(*) FROM node") == 1
      }
      _ = try await server.run(
        [
          "ALTER ROLE node PASSWORD 'second'",
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'node'",
        ], at: nodes.place)
      // An earlier message is about the session that ended.
      try await node.says("password authentication failed")
      try await nodes.bench.until("the status tells that the password is wrong") {
        try await nodes.tool("a", "status").output.contains("password authentication failed")
      }
      try nodes.bench.folder.write(Array("second\n".utf8), to: "password")
      let reload = try await nodes.tool("a", "reload")
      #expect(reload.code == 0, "\(reload)")
      #expect(reload.output.contains("the contents of LedgerPassword= have changed"), "\(reload)")
      try await nodes.bench.until("the node has a session again") {
        let query = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
        return try await nodes.number(query + "WHERE ssl AND usename = 'node'") == 1
      }
      try nodes.bench.folder.write(Array("\n".utf8), to: "password")
      let empty = try await nodes.tool("a", "reload")
      #expect(empty.code != 0 && empty.errors.contains("whose first line is empty"), "\(empty)")
      try FileManager.default.removeItem(atPath: password)
      let refused = try await nodes.tool("a", "reload")
      #expect(refused.code != 0 && refused.errors.contains("could not read LedgerPassword="))
    }
  }
}
