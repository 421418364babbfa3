// SPDX-License-Identifier: Apache-2.0
// Pause, resume and cancel with darkroomctl: their effect on the work, which outlasts restarts. The
// origin's log is the witness.

import Foundation
import Support
import Testing

@Suite struct SteeringTests {
  /// Drops six photos for two connections; returns when the first two wait at the gate.
  private func begin(_ bench: DaemonBench) async throws -> RunningProgram {
    try bench.settings(DaemonBench.settings + "[Download]\nConnections=2\n")
    let urls = try bench.serveSamples(6)
    let photos = urls.enumerated().map { number, url in
      ("Photo \(number + 1)", url + (number < 2 ? "?gate=g" : ""))
    }
    let daemon = try await bench.start()
    try await bench.drop(photos, as: "summer.plist")
    await bench.origin.arrivals(at: "g", 2)
    return daemon
  }

  @Test func `a paused list starts nothing until it is resumed, even after a restart`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let end = try await bench.tool("--json", "pause", "summer")
      #expect(end.code == 0 && end.output.contains("\"paused\""), "\(end)")
      #expect(bench.journal.contains { $0.kind == "paused" && $0.list == 1 })
      await bench.origin.release("g")
      try await bench.stop(daemon)
      let again = try await bench.start()
      #expect(try await bench.show("summer").state == "paused")
      // Another list finishes meanwhile, so the daemon has had time to continue this one.
      try await bench.drop([("Other", bench.origin.url("/1.jpg?other"))], as: "other.plist")
      #expect(try await bench.wait(for: "other", again).code == 0)
      // At most the first two: the origin logs a request when it ends, broken off or not.
      let asked = bench.origin.requests().filter { !$0.contains("other") }
      #expect(asked.count <= 2 && asked.allSatisfy { $0.contains("gate=g") }, "\(asked)")
      #expect(try await bench.tool("resume", "1").code == 0)
      try await again.says("Finished list 'summer'")
      #expect(try await bench.show("summer").filtered == 6)
      #expect(bench.names("prints/summer").count == 6)
    }
  }

  @Test
  func `lists that arrive while others are cancelled are all accepted, and nothing gets stuck`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      // Each is accepted while the one before is cancelled and returned.
      for number in 1...12 {
        let url = bench.origin.url("/1.jpg?gate=g&n=\(number)")
        try await bench.drop([("P", url)], as: "list\(number).plist")
        if number > 1 {
          #expect(try await bench.tool("cancel", "list\(number - 1)").code == 0)
        }
        try await daemon.says("Accepted list 'list\(number)'")
      }
      await bench.origin.release("g")
      try await daemon.says("Finished list 'list12'")
      try await daemon.says("Finished list 'summer'")
      #expect(try await bench.lists().filter { $0.state == "cancelled" }.count == 11)
    }
  }

  @Test func `removing the folder of prints under the daemon fails no photo`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      #expect(bench.names("prints") == ["summer"])
      try FileManager.default.removeItem(atPath: "\(bench.root)/prints/summer")
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
      let list = try await bench.show("summer")
      #expect(list.failed == 0 && list.filtered == 6)
    }
  }

  @Test func `photos in flight when a list is paused are neither lost nor failed`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      #expect(try await bench.tool("pause", "summer").code == 0)
      #expect(try await bench.tool("pause", "summer").code == 0, "asking twice is not an error")
      #expect(try await bench.tool("resume", "summer").code == 0)
      #expect(try await bench.tool("resume", "summer").code == 0, "asking twice is not an error")
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
      let list = try await bench.show("summer")
      #expect(list.filtered == 6 && list.failed == 0)
      #expect(!bench.journal.contains { $0.kind == "failed" })
    }
  }

  @Test func `a cancelled list stops its transfers, keeps its prints and stays cancelled`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let daemon = try await bench.start()
      try await bench.drop(
        [("Done", urls[0]), ("Held 1", urls[1] + "?gate=g"), ("Held 2", urls[2] + "?gate=g")],
        as: "summer.plist")
      await bench.origin.arrivals(at: "g", 2)
      try await daemon.says("Filtered 'Done'")
      #expect(try await bench.tool("cancel", "summer").code == 0)
      await bench.origin.departures(at: "g", 2)
      let list = try await bench.show("summer")
      #expect(list.state == "cancelled" && list.filtered == 1 && list.failed == 0)
      #expect(bench.names("prints/summer") == ["Done.jpg"])
      #expect(try await bench.tool("wait", "summer").code == 6)
      for verb in ["pause", "resume"] {
        let end = try await bench.tool(verb, "summer")
        #expect(end.code == 1 && end.errors.contains("the list is over"), "\(end)")
      }
      try await bench.stop(daemon)
      let again = try await bench.start()
      #expect(try await bench.show("summer").state == "cancelled")
      #expect(bench.names("state/originals").isEmpty)
      try await bench.stop(again)
      #expect(bench.origin.requests().count <= 3)
    }
  }

  @Test func `the lists behind a cancelled one continue`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      try await bench.drop([("Other", bench.origin.url("/1.jpg?other"))], as: "other.plist")
      try await daemon.says("Accepted list 'other'")
      #expect(try await bench.tool("cancel", "summer").code == 0)
      try await daemon.says("Finished list 'other'")
      #expect(try await bench.wait(for: "other", daemon).code == 0)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "only root can act for two users"))
  func `an unknown name and an ambiguous name of a list are refused`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let daemon = try await bench.start()
      let none = try await bench.tool("pause", "none")
      #expect(none.code == 4 && none.errors.contains("none"), "\(none)")
      try await bench.drop([("One", urls[0] + "?gate=g")], as: "same.plist")
      try await daemon.says("Accepted list 'same'")
      try await bench.dropForeign([("One", urls[0] + "?gate=g")], as: "same.plist")
      try await daemon.says("Accepted list 'same'", times: 2)
      let both = try await bench.tool("cancel", "same")
      #expect(both.code == 4 && both.errors.contains("1") && both.errors.contains("2"), "\(both)")
      #expect(try await bench.tool("cancel", "2").code == 0)
      #expect(try await bench.lists().map(\.state).sorted() == ["accepted", "cancelled"])
      #expect(
        try await bench.tool("cancel", "same").code == 0, "only one list is left to cancel")
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `another user may look but not change`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      try bench.letAllUsersCall()
      for verb in ["pause", "cancel", "resume"] {
        let end = try await bench.tool(verb, "summer", as: DaemonBench.stranger)
        #expect(end.code == 5 && end.errors.contains("another user"), "\(verb): \(end)")
      }
      let quality = try await bench.tool(
        "quality", "summer", "utility", as: DaemonBench.stranger)
      #expect(quality.code == 5, "\(quality)")
      let reload = try await bench.tool("reload", as: DaemonBench.stranger)
      #expect(reload.code == 5, "\(reload)")
      #expect(try await bench.tool("list", as: DaemonBench.stranger).code == 0)
      #expect(try await bench.show("summer").state == "accepted", "none of it was done")
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `the user who dropped a list may change it`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let daemon = try await bench.start()
      let list = PhotoListText.dictionary([("One", urls[0] + "?gate=g")])
      try bench.folder.write(list, to: "root/own.plist")
      try await bench.give("\(bench.root)/own.plist", to: DaemonBench.stranger)
      let files = FileManager.default
      try files.moveItem(
        atPath: "\(bench.root)/own.plist", toPath: "\(bench.root)/inbox/own.plist")
      await bench.origin.arrivals(at: "g")
      try bench.letAllUsersCall()
      #expect(try await bench.show("own").owner == Int(DaemonBench.stranger))
      #expect(try await bench.tool("pause", "own", as: DaemonBench.stranger).code == 0)
      #expect(try await bench.tool("resume", "own").code == 0, "root may as well")
      #expect(try await bench.tool("cancel", "own", as: DaemonBench.stranger).code == 0)
      try await bench.stop(daemon)
    }
  }

  @Test func `status shows the current work`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let status = try await bench.tool("--json", "status")
      #expect(status.code == 0)
      for words in ["\"running\":true", "\"lists\":1", "\"downloads\":2", bench.root] {
        #expect(
          status.output.replacingOccurrences(of: " ", with: "").contains(words),
          "\(words) in \(status)")
      }
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
    }
  }
}
