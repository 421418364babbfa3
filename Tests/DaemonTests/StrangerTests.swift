// SPDX-License-Identifier: Apache-2.0
// The daemon without privileges: an ordinary user starts it on a root folder of their own.

import Foundation
import Support
import Testing

@Suite struct StrangerTests {
  @Test(.enabled(if: DaemonBench.isRoot, "we are an ordinary user: every other test shows it"))
  func `an ordinary user runs the daemon below a folder of their own`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      try await bench.give(bench.root, to: DaemonBench.stranger)
      let daemon = try await bench.start(as: DaemonBench.stranger)
      let list = PhotoListText.dictionary(urls.enumerated().map { ("Photo \($0)", $1) })
      try bench.folder.write(list, to: "root/own.plist")
      try await bench.give("\(bench.root)/own.plist", to: DaemonBench.stranger)
      try FileManager.default.moveItem(
        atPath: "\(bench.root)/own.plist", toPath: "\(bench.root)/inbox/own.plist")
      // A list of another user, which may be read but not leased.
      try await bench.drop([("One", urls[0])], as: "theirs.plist")
      try await daemon.says("Finished list", times: 2)
      #expect(bench.names("prints") == ["own", "theirs"])
      try await bench.until("the copies in done") {
        bench.copies == ["own.plist", "theirs.plist"]
      }
      let end = try await bench.tool("--json", "status", as: DaemonBench.stranger)
      #expect(end.code == 0, "\(end)")
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "needs lists of two users"))
  func `a user with too many lists waits alone, with the reason, until a list is pruned`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nListsPerUser=1")
    try await DaemonBench.use(settings: settings) { bench in
      let photos = [("One", try bench.serveSamples(1)[0])]
      let daemon = try await bench.start()
      try bench.letAllUsersCall()
      try await bench.dropForeign(photos, as: "first.plist")
      try await daemon.says("Finished list 'first'")
      try await bench.dropForeign(photos, as: "second.plist")
      let user = DaemonBench.stranger
      try await daemon.says("1 list of user \(user) is kept, which is the limit")
      let wait = try await bench.tool("wait", "second", as: user)
      #expect(wait.code == 1 && wait.errors.contains("darkroomctl prune"), "\(wait)")
      #expect(try await bench.tool("status", "--check").code == 0, "the daemon is well")
      try await bench.drop(photos, as: "roots.plist")
      try await daemon.says("Finished list 'roots'")
      #expect(bench.names("inbox").contains("second.plist"))
      let prune = try await bench.tool("prune", "first", as: user)
      #expect(prune.code == 0, "\(prune)")
      try await daemon.says("Finished list 'second'")
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "needs lists of two users"))
  func
    `lists of one user shut out nobody, and root pauses and cancels lists of one user or of all`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nMaximumLists=2")
    try await DaemonBench.use(settings: settings) { bench in
      let daemon = try await bench.start()
      // The origin never answers, so these lists stay at work.
      let photos = [("One", bench.origin.url("/hang?gate=never"))]
      func drop(_ name: String, as user: UInt32? = nil) async throws {
        let path = "\(bench.root)/\(name).plist"
        try bench.folder.write(PhotoListText.dictionary(photos), to: "root/\(name).plist")
        if let user { try await bench.give(path, to: user) }
        try FileManager.default.moveItem(atPath: path, toPath: "\(bench.root)/inbox/\(name).plist")
      }
      for name in ["a", "b"] {
        try await drop(name, as: DaemonBench.stranger)
        try await daemon.says("Accepted list '\(name)'")
      }
      #expect(try await bench.tool("pause", "--user", "\(DaemonBench.stranger)").code == 0)
      try await daemon.says("Paused list 'b' (root)")
      try await drop("c", as: DaemonBench.stranger)
      try await daemon.says("queue full: 2 lists are at work already")
      try await drop("d")
      try await daemon.says("Accepted list 'd'")
      #expect(try await bench.inbox().first { $0.name == "c.plist" }?.fate == "waiting")
      // `d` alone is not paused.
      let paused = try await bench.tool("--json", "pause", "--all")
      #expect(paused.output.contains("\"name\":\"d\"") && !paused.output.contains("\"name\":\"a\""))
      #expect(try await bench.tool("resume", "--all").output.split(separator: "\n").count == 3)
      let cancel = ["cancel", "--user", "\(DaemonBench.stranger)"]
      #expect(try await bench.tool(cancel).output.split(separator: "\n").count == 2)
      try await daemon.says("Accepted list 'c'")
      #expect(try await bench.show("d").state != "cancelled")
      let record = try #require(bench.text("state/journal/0000000000000001.log"))
      #expect(
        record.contains(" cancelled 1 by=0") && record.contains(" owner=\(DaemonBench.stranger)"))
    }
  }
}
