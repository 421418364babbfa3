// SPDX-License-Identifier: Apache-2.0
// The same list is dropped again: unchanged, changed, while it is at work, by another user. The origin's
// log shows which photos were done again.

import Foundation
import Support
import Testing

@Suite struct RevisionTests {
  @Test func `a finished list that is dropped again is finished at once, and nothing is redone`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let photos = [("Hills", urls[0]), ("Lake", urls[1])]
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      try await daemon.says("Finished list 'summer'")
      let inode = try bench.inode("prints/summer/Lake.jpg")
      try await bench.drop(photos, as: "summer.plist")
      try await daemon.says("Finished list 'summer'", times: 2)
      #expect(daemon.errors.contains("it takes over from list 1"))
      #expect(try await bench.lists().map(\.state) == ["finished", "finished"])
      #expect(try await bench.show("2").photos.map(\.print) == ["Hills.jpg", "Lake.jpg"])
      #expect(bench.names("prints") == ["summer"])
      #expect(try bench.inode("prints/summer/Lake.jpg") == inode)
      #expect(bench.origin.requests().count == 2)
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.copies == ["summer.plist", "summer~2.plist"], "each with its results")
    }
  }

  @Test func `only failed photos and missing prints are done again`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let photos = [
        ("Hills", urls[0]), ("Lake", urls[1]), ("Late", bench.origin.url("/late.jpg")),
      ]
      try await bench.drop(photos, as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      try bench.serve(SamplePictures.jpeg(width: 16, height: 16), as: "late.jpg")
      try FileManager.default.removeItem(atPath: "\(bench.root)/prints/summer/Lake.jpg")
      let inode = try bench.inode("prints/summer/Hills.jpg")
      try await bench.drop(photos, as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/summer") == ["Hills.jpg", "Lake.jpg", "Late.jpg"])
      #expect(try bench.inode("prints/summer/Hills.jpg") == inode)
      let asked = bench.origin.requests().map { $0.split(separator: " ")[1] }
      #expect(asked.filter { $0 == "/1.jpg" }.count == 1)
      #expect(asked.filter { $0 == "/2.jpg" }.count == 2)
      #expect(asked.filter { $0 == "/late.jpg" }.count == 2)
    }
  }

  @Test func `a retry does again what failed, with the settings of its list`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let photos = [
        ("Hills", urls[0]), ("Lake", urls[1]), ("Late", bench.origin.url("/late.jpg")),
      ]
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      try await daemon.says("Finished list 'summer'")
      let early = try await bench.tool("retry", "autumn")
      #expect(early.code == 4)
      try bench.serve(SamplePictures.jpeg(width: 16, height: 16), as: "late.jpg")
      let inode = try bench.inode("prints/summer/Hills.jpg")
      let retry = try await bench.tool("retry", "summer")
      #expect(retry.code == 0)
      try await daemon.says("Finished list 'summer'", times: 2)
      #expect(daemon.errors.contains("it takes over from list 1"))
      #expect(try await bench.lists().map(\.state) == ["finished", "finished"])
      #expect(bench.names("prints/summer") == ["Hills.jpg", "Lake.jpg", "Late.jpg"])
      #expect(try bench.inode("prints/summer/Hills.jpg") == inode)
      let asked = bench.origin.requests().map { $0.split(separator: " ")[1] }
      #expect(asked.filter { $0 == "/late.jpg" }.count == 2 && asked.count == 4)
      let again = try await bench.tool("retry", "summer")
      #expect(again.code == 1)
      #expect(
        again.errors
          == "darkroomctl: Could not retry 'summer': none of its photos has failed\n")
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.copies == ["summer.plist", "summer~2.plist"])
    }
  }

  @Test func `a changed list redoes its changed photos, in any order, and keeps the rest`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      try await bench.drop(
        [("Hills", urls[0]), ("Lake", urls[1])], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let before = bench.bytes("prints/summer/Lake.jpg")
      let inode = try bench.inode("prints/summer/Hills.jpg")
      try await bench.drop(
        [("Barn", urls[2]), ("Lake", urls[2]), ("Hills", urls[0])], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints") == ["summer"])
      #expect(bench.names("prints/summer") == ["Barn.jpg", "Hills.jpg", "Lake.jpg"])
      #expect(try bench.inode("prints/summer/Hills.jpg") == inode)
      #expect(bench.bytes("prints/summer/Lake.jpg") != before)
      #expect(bench.bytes("prints/summer/Lake.jpg") == bench.bytes("prints/summer/Barn.jpg"))
      // Two photos with one URL share a transfer if they want it at the same time.
      #expect((3...4).contains(bench.origin.requests().count))
      #expect(bench.copies == ["summer.plist", "summer~2.plist"])
    }
  }

  @Test func `another filter redoes every photo`() async throws {
    try await DaemonBench.use { bench in
      let photos = [("Hills", try bench.serveSamples(1)[0])]
      for filter in ["sepia(0.8)", "sepia(0.2)"] {
        try await bench.drop(
          PhotoListText.array(photos, options: [("Filter", filter)]), as: "summer.plist")
        #expect(try await bench.runUntilIdle().code == 0)
      }
      #expect(bench.origin.requests().count == 2)
    }
  }

  @Test func `another filter for one photo redoes that one`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      for filter in ["sepia(0.8)", "sepia(0.2)"] {
        let list = """
          <plist><dict><key>Hills</key><dict><key>URL</key><string>\(urls[0])</string>
          <key>Filter</key><string>\(filter)</string></dict>
          <key>Lake</key><string>\(urls[1])</string></dict></plist>
          """
        try await bench.drop(Array(list.utf8), as: "summer.plist")
        #expect(try await bench.runUntilIdle().code == 0)
      }
      let asked = bench.origin.requests().map { $0.split(separator: " ")[1] }
      #expect(asked.filter { $0 == "/1.jpg" }.count == 2)
      #expect(asked.filter { $0 == "/2.jpg" }.count == 1)
    }
  }

  @Test func `a second copy of a list at work does not become another list`() async throws {
    try await DaemonBench.use { bench in
      let photos = [("Same", try bench.serveSamples(1)[0] + "?gate=g")]
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      await bench.origin.arrivals(at: "g")
      try await bench.drop(photos, as: "summer.plist")
      try await daemon.says("the same list is already at work as list 1")
      #expect(try await bench.inbox().map(\.fate) == ["accepted", "accepted"])
      #expect(try await bench.inbox().map(\.list) == [1, 1])
      #expect(bench.names("inbox").filter { $0 != ".claim" }.isEmpty)
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
      #expect(try await bench.lists().count == 1)
      #expect(bench.origin.requests().count == 1)
    }
  }

  @Test func `a changed list takes over from the first one while that is at work`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let daemon = try await bench.start()
      try await bench.drop(
        [("Done", urls[0]), ("Held", urls[1] + "?gate=g")], as: "summer.plist")
      await bench.origin.arrivals(at: "g")
      try await daemon.says("Filtered 'Done'")
      try await bench.drop([("Done", urls[0]), ("Held", urls[2])], as: "summer.plist")
      try await daemon.says("Finished list 'summer': 2 of 2 photos filtered.")
      await bench.origin.departures(at: "g")
      #expect(try await bench.lists().map(\.state) == ["cancelled", "finished"])
      #expect(bench.names("prints") == ["summer"])
      #expect(bench.names("prints/summer") == ["Done.jpg", "Held.jpg"])
      let asked = bench.origin.requests().map { $0.split(separator: " ")[1] }
      #expect(asked.filter { $0 == "/1.jpg" }.count == 1)
      await bench.origin.release("g")
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 0)
      // Either may have come back first.
      #expect(bench.copies.count == 2 && bench.copies.first == "summer.plist")
    }
  }

  @Test func `the counts of a list that another one takes over are those of its photos`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let daemon = try await bench.start()
      try await bench.drop(
        [("Done", urls[0]), ("Held", urls[1] + "?gate=g")], as: "summer.plist")
      await bench.origin.arrivals(at: "g")
      try await daemon.says("Filtered 'Done'")
      #expect(try await bench.tool("pause", "1").code == 0)
      await bench.origin.release("g")
      try await bench.until("it is downloaded") {
        bench.journal.count { $0.kind == "downloaded" } == 2
      }
      try await bench.drop([("Done", urls[0]), ("Other", urls[2])], as: "summer.plist")
      try await daemon.says("Finished list 'summer': 2 of 2 photos filtered.")
      let shown = try await bench.show("1")
      #expect(shown.state == "cancelled" && shown.photos.map(\.state) == ["filtered", "new"])
      #expect(shown.new == 1 && shown.downloaded == 0 && shown.filtered == 1)
      let listed = try #require(try await bench.lists().first)
      #expect(listed.new == 1 && listed.downloaded == 0 && listed.filtered == 1)
      try await bench.stop(daemon)
      let results = try #require(bench.text("done/summer.result.plist"))
      #expect(results.contains("<key>PhotosFiltered</key>\n\t<integer>1</integer>"))
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "only root can act for two users"))
  func `another user's list of the same name always prints into its own folder`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      try await bench.drop([("One", urls[0])], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      for _ in 1...2 {
        try await bench.dropForeign([("One", urls[1])], as: "summer.plist")
        #expect(try await bench.runUntilIdle().code == 0)
        #expect(bench.names("prints") == ["summer", "summer~2"])
        #expect(bench.bytes("prints/summer/One.jpg") != bench.bytes("prints/summer~2/One.jpg"))
      }
      #expect(bench.origin.requests().count == 2)
    }
  }

  @Test func `a takeover that a kill interrupts is completed at the next start`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let photos = (1...600).map { ("Photo \($0)", urls[0] + "?n=\($0)") }
      try await bench.drop(photos, as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      try await bench.drop(photos, as: "summer.plist")
      let daemon = try await bench.launch("darkroomd", ["--root", bench.root])
      try await bench.until("some are taken over") {
        bench.journal.contains { $0.kind == "filtered" && $0.list == 2 }
      }
      await daemon.cut()
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.origin.requests().count == 600)
    }
  }

  @Test func `the third list keeps the prints of the first, however far the second came`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let photos = (1...600).map { ("Photo \($0)", urls[0] + "?n=\($0)") }
      try await bench.drop(photos, as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let daemon = try await bench.start()
      try await bench.drop(photos + [("Held", urls[0] + "?gate=g")], as: "summer.plist")
      try await bench.until("some are taken over") {
        bench.journal.contains { $0.kind == "filtered" && $0.list == 2 }
      }
      #expect(try await bench.tool("cancel", "2").code == 0)
      try await bench.drop(Array(photos.reversed()), as: "summer.plist")
      try await daemon.says("Finished list 'summer': 600 of 600 photos filtered.")
      await bench.origin.release("g")
      try await bench.stop(daemon)
      #expect(bench.origin.requests().filter { !$0.contains("gate") }.count == 600)
    }
  }

  @Test func `two names that look alike are two lists`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      try await bench.drop([("One", urls[0] + "?gate=g")], as: "caf\u{E9}.plist")
      await bench.origin.arrivals(at: "g")
      try await bench.drop([("One", urls[1])], as: "cafe\u{301}.plist")
      try await daemon.says("Finished list")
      await bench.origin.release("g")
      try await daemon.says("Finished list", times: 2)
      #expect(try await bench.lists().map(\.state) == ["finished", "finished"])
      #expect(bench.names("prints").count == 2)
    }
  }

  @Test func `a copy of a list that can no longer be opened is accepted`() async throws {
    try await DaemonBench.use { bench in
      let photos = [("Held", try bench.serveSamples(1)[0] + "?gate=g")]
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      await bench.origin.arrivals(at: "g")
      try await bench.until("it is known as claimed") {
        bench.text("state/lists/1/state")?.hasPrefix("claimed") == true
      }
      await daemon.cut()
      await bench.origin.release("g")
      try bench.folder.write([], to: "root/state/lists/1/catalog")
      let again = try await bench.start()
      #expect(try await bench.lists().count == 1)
      try await bench.drop(photos, as: "summer.plist")
      try await again.says("Finished list 'summer'")
      #expect(bench.names("prints/summer") == ["Held.jpg"])
      #expect(try await bench.lists().map(\.state) == ["cancelled", "finished"])
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "only root can act for two users"))
  func `the prints folder of a forgotten list goes to no other user`() async throws {
    let settings = DaemonBench.settings + "[Record]\nKeepLists=1s\n"
    try await DaemonBench.use(settings: settings) { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start(["--expire-at-once"])
      try await bench.drop([("One", urls[0])], as: "summer.plist")
      try await daemon.says("Finished list 'summer'")
      let print = bench.bytes("prints/summer/One.jpg")
      try await bench.until("it is forgotten") {
        !bench.copies.isEmpty && bench.names("state/lists").isEmpty
      }
      try await bench.dropForeign([("One", urls[1])], as: "summer.plist")
      try await daemon.says("Finished list 'summer'", times: 2)
      #expect(bench.names("prints") == ["summer", "summer~2"])
      #expect(bench.bytes("prints/summer/One.jpg") == print)
    }
  }
}
