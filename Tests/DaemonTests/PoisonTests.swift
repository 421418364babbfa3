// SPDX-License-Identifier: Apache-2.0
// Pictures and lists that kill their workers, also while the daemon is killed: each is set aside with
// its story after two deaths.

import Foundation
import Support
import Testing

@Suite struct PoisonTests {
  @Test func `a picture that kills its worker twice is set aside, whenever the daemon is killed`()
    async throws
  {
    try await DaemonBench.use { bench in
      try bench.serve(Array("crash now".utf8), as: "killer.jpg")
      try bench.serve(Array("echo".utf8), as: "good.jpg")
      let photos = [
        ("Häßlich/1", bench.origin.url("/killer.jpg?key=secret")),
        ("Good", bench.origin.url("/good.jpg")),
      ]
      let list = try PhotoListText.binary(photos)
      let first = try await bench.startWithTestWorker()
      try await bench.drop(list, as: "summer.plist")
      try await bench.until("a worker died") { bench.journal.contains { $0.kind == "died" } }
      await first.cut()
      let died = bench.journal.filter { $0.kind == "died" }.count
      for _ in 1...2 {
        let end = try await bench.startWithTestWorker(["--until-idle"]).end()
        #expect(end.code == 3 || end.code == 0, "\(end)")
      }
      // The kill may have kept a death from being recorded; none is recorded twice.
      #expect(bench.journal.filter { $0.kind == "died" }.count <= 2 && died >= 1)
      let names = bench.names("state/quarantine")
      #expect(names == ["1-1", "1-1.txt"])
      #expect(bench.text("state/quarantine/1-1") == "crash now")
      let story = try #require(bench.text("state/quarantine/1-1.txt"))
      #expect(story.contains("\nlist=1\nphoto=1\nname=H%C3%A4%C3%9Flich%2F1\nhost=127.0.0.1\n"))
      // After a kill between the second death and the quarantine, only the record knows of the deaths.
      let isKnown = died == 2 && story.contains("\ndeath=a worker died on it before\n")
      #expect(story.contains("\ndeath=the worker ") || isKnown, "\(story)")
      #expect(!story.contains("secret"))
      let daemon = try await bench.start()
      let shown = try await bench.show("summer")
      #expect(shown.photos.map(\.state) == ["failed", "filtered"])
      #expect(shown.photos[0].code == "worker.died")
      #expect(shown.photos[0].reason.contains("quarantine/1-1"), "\(shown.photos[0].reason)")
      #expect(bench.names("state/originals").isEmpty)
      try await bench.stop(daemon)
    }
  }

  @Test
  func `a list that kills its worker twice is rejected and set aside, and recognised later`()
    async throws
  {
    try await DaemonBench.use { bench in
      let killer = try PhotoListText.binary([("killer list", "http://a/")])
      let good = try PhotoListText.binary([("Good", bench.origin.url("/good.jpg"))])
      try bench.serve(Array("echo".utf8), as: "good.jpg")
      let daemon = try await bench.startWithTestWorker()
      try await bench.drop(killer, as: "bad.plist")
      try await daemon.says("A worker died while working on list 'bad'")
      await daemon.cut()
      let end = try await bench.startWithTestWorker(["--until-idle"]).end()
      // 0 if the first daemon rejected the list before the kill.
      #expect(end.code == 3 || end.code == 0, "\(end)")
      let reason = try #require(bench.text("failed/bad.plist.reason.txt"))
      #expect(reason.contains("code=list.poison") && reason.contains("quarantine/list-"))
      let names = bench.names("state/quarantine")
      let stem = try #require(names.first)
      #expect(names == [stem, "\(stem).died", "\(stem).txt"])
      #expect(bench.bytes("state/quarantine/\(stem)") == killer)
      #expect(bench.names("state/lists").isEmpty)
      // The same list again, beside a good one, which is not affected.
      try await bench.drop(killer, as: "again.plist")
      try await bench.drop(good, as: "good.plist")
      let second = try await bench.startWithTestWorker(["--until-idle"]).end()
      #expect(second.code == 3 && !second.errors.contains("A worker died"), "\(second)")
      #expect(bench.copies == ["good.plist"])
      #expect(bench.text("failed/again.plist.reason.txt")?.contains("list.poison") == true)
    }
  }
}
