// SPDX-License-Identifier: Apache-2.0
// Files in the inbox that are not lists: rejected with a reason, or left alone.

import Foundation
import Support
import Testing

@Suite struct RejectedListTests {
  @Test func `a file that is not a list goes to failed, with its reason and what to do`()
    async throws
  {
    try await DaemonBench.use { bench in
      let good = PhotoListText.dictionary([("One", try bench.serveSamples(1)[0])])
      let bad: [(String, [UInt8], String)] = [
        ("cut.plist", Array(good.dropLast(60)), "list."),
        ("empty.plist", [], "list.empty"),
        ("words.plist", Array("just words".utf8), "list.format"),
        ("array.plist", Array("<plist><array/></plist>".utf8), "list."),
        ("none.plist", PhotoListText.dictionary([]), "list.empty"),
        (
          "twice.plist", PhotoListText.dictionary([("A", "http://a/"), ("A", "http://b/")]), "list."
        ),
        (
          "option.plist",
          PhotoListText.array([("A", "http://a/")], options: [("QualityOfServce", "default")]),
          "list.option"
        ),
        (
          "filter.plist",
          PhotoListText.array([("A", "http://a/")], options: [("Filter", "blur(1)")]),
          "list.option"
        ),
        ("binary.plist", Array("bplist00garbage".utf8), "list."),
      ]
      for (name, bytes, _) in bad { try await bench.drop(bytes, as: name) }
      try await bench.drop(good, as: "good.plist")
      let end = try await bench.runUntilIdle()
      #expect(end.code == 3, "\(end)")
      for (name, bytes, code) in bad {
        #expect(bench.bytes("failed/\(name)") == bytes, "\(name)")
        let reason = bench.text("failed/\(name).reason.txt") ?? ""
        #expect(reason.hasPrefix("The list '\(name)' was not accepted: "), "\(reason)")
        #expect(reason.contains("\ncode=\(code)"), "\(name): \(reason)")
        #expect(reason.contains("\nretry="), "\(reason)")
        #expect(end.errors.contains("Could not accept list '\(name)': "), "\(end)")
        #expect(try bench.mode("failed/\(name)") == 0o600)
      }
      #expect(bench.names("failed").count == 2 * bad.count)
      #expect(bench.names("inbox").filter { !$0.hasPrefix(".") }.isEmpty)
      #expect(bench.names("prints/good") == ["One.jpg"])
    }
  }

  @Test func `a corrected list is accepted under the same name`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      try await bench.drop(Array("just words".utf8), as: "summer.plist")
      try await daemon.says("Could not accept list 'summer.plist'")
      try await bench.until("it is out of the inbox") {
        !bench.names("inbox").contains("summer.plist")
      }
      try await bench.drop([("One", url)], as: "summer.plist")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      #expect(bench.names("failed").count == 2)
    }
  }

  @Test func `waiting for a list that is rejected gives the reason`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try await bench.drop(Array("just words".utf8), as: "summer.plist")
      // The answer is the same while the list lies in the inbox and afterwards.
      for _ in 1...2 {
        let end = try await bench.tool("wait", "summer")
        #expect(end.code == 1, "\(end)")
        #expect(end.errors.contains("the list 'summer' was not accepted: "), "\(end)")
      }
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "summer.plist")
      #expect(try await bench.tool("wait", "summer").code == 0)
      try await bench.drop(Array("other words".utf8), as: "summer.plist")
      #expect(try await bench.tool("wait", "summer").code == 1, "the newest list of a name counts")
      #expect(try await bench.tool("wait", "winter").code == 4)
      try await bench.stop(daemon)
    }
  }

  @Test func `a list larger than the settings allow is rejected unread`() async throws {
    let settings = DaemonBench.settings + "[Inbox]\nMaximumListSize=1K\n"
    try await DaemonBench.use(settings: settings) { bench in
      let photos = (1...100).map { ("Photo \($0)", "http://a/\($0)") }
      try await bench.drop(photos, as: "long.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      #expect(bench.text("failed/long.plist.reason.txt")?.contains("code=list.size") == true)
      #expect(bench.origin.requests().isEmpty)
    }
  }

  @Test func `a file with another name, or a special file, is left alone and reported once`()
    async throws
  {
    try await DaemonBench.use { bench in
      let list = PhotoListText.dictionary([("One", try bench.serveSamples(1)[0])])
      for name in [
        "notes.doc", ".hidden.plist", "summer.plist~", "summer.plist.part", "folder.plist/a",
      ] { try bench.folder.write(list, to: "root/inbox/\(name)") }
      try bench.folder.write(list, to: "elsewhere.plist")
      try bench.folder.link("root/inbox/link.plist", to: "../../elsewhere.plist")
      #expect(
        await HelperProcess.status(of: ["mkfifo", "\(bench.root)/inbox/fifo.plist"]) == 0)
      let before = bench.names("inbox")
      let end = try await bench.runUntilIdle()
      #expect(end.code == 0, "\(end)")
      #expect(bench.names("inbox").filter { $0 != ".claim" } == before)
      for name in ["notes.doc", "summer.plist~", "folder.plist", "link.plist", "fifo.plist"] {
        #expect(end.errors.components(separatedBy: "Ignored '\(name)'").count == 2, "\(end)")
      }
      #expect(bench.names("failed").isEmpty && bench.names("done").isEmpty)
      #expect(bench.origin.requests().isEmpty)
    }
  }

  @Test func `a list may end in .PLIST`() async throws {
    try await DaemonBench.use { bench in
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "SUMMER.PLIST")
      let daemon = try await bench.start()
      try await bench.wait(for: "SUMMER", daemon)
      #expect(try await bench.tool("wait", "SUMMER.PLIST").code == 0)
      try await bench.until("the copy in done") { bench.copies == ["SUMMER.PLIST"] }
      try await bench.stop(daemon)
      #expect(bench.names("prints") == ["SUMMER"])
    }
  }
}
