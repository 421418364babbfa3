// SPDX-License-Identifier: Apache-2.0
// The contact sheet of a list that several nodes develop.

import Support
import Testing

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct ClusterSheetTests {
  @Test func `the node where a list was dropped makes its page, with the thumbnails of all nodes`()
    async throws
  {
    try await NodeBench.use { nodes in
      let home = try await nodes.start("a")
      _ = try await nodes.start("b")
      try await nodes.drop(nodes.photos(24), at: "a")
      try await nodes.nodesAtWork(2)
      await nodes.bench.origin.release("g")
      try await home.says("Finished list 'summer'")
      #expect(try await nodes.number("SELECT count(*) FROM tally") == 2)
      try await nodes.checkBooks(24)
      try await nodes.bench.until("the list is back") {
        nodes.names("a/done") == ["summer.plist", "summer.result.plist"]
      }
      let folder = "blobs/prints/summer"
      #expect(
        Set(nodes.all("\(folder)/.sheet")) == Set((1...24).map { "\($0).jpg" }))
      let page = String(
        decoding: try #require(nodes.bench.folder.bytes(of: "\(folder)/index.html")),
        as: UTF8.self)
      #expect(page.contains("<b>24 prints</b>") && page.contains("src=\".sheet/24.jpg\""))
      #expect(
        nodes.all(folder).filter { $0.hasPrefix(".") } == [".sheet"], "no draft is left")
    }
  }
}
