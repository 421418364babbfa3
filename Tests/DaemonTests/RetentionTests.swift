// SPDX-License-Identifier: Apache-2.0
// Lists that are over are kept for KeepLists=, then forgotten and their folders removed; prints for KeepPrints=.

import Foundation
import Support
import Testing
import Vocabulary

@Suite struct RetentionTests {
  private static let short = DaemonBench.settings + "[Record]\nKeepLists=1s\n"
  private static let atOnce = ["--expire-at-once"]

  @Test func `a list that is over is forgotten after KeepLists=, and no start brings it back`()
    async throws
  {
    try await DaemonBench.use(settings: Self.short) { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start(Self.atOnce)
      try await bench.drop([("Hills", url)], as: "summer.plist")
      try await daemon.says("Finished list 'summer'")
      try await bench.until("the list's folder goes") {
        !bench.copies.isEmpty && bench.names("state/lists").isEmpty
      }
      #expect(bench.names("done") == ["summer.plist", "summer.result.plist"])
      #expect(bench.names("prints/summer") == ["Hills.jpg"])
      try await bench.until("it is listed no more") { try await bench.lists().isEmpty }
      // The end of the list is in the journal file, which the next start reads.
      await daemon.cut()
      let again = try await bench.start(Self.atOnce)
      #expect(try await bench.lists().isEmpty)
      try await bench.drop([("Hills", url)], as: "winter.plist")
      try await again.says("Finished list 'winter'")
      #expect(bench.journal.filter { $0.kind == "accepted" }.last?.list == 2, "no reuse of numbers")
      let end = try await bench.stop(again)
      #expect(!end.errors.contains("has no copy in done"), "\(end)")
    }
  }

  @Test func `a list kept for longer survives restarts, and goes when a reload shortens the time`()
    async throws
  {
    try await DaemonBench.use { bench in
      try await bench.drop([("Hills", try bench.serveSamples(1)[0])], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      // The remains of a crash during the removal of a folder.
      try bench.folder.write([1], to: "root/state/lists/.old-7/results")
      let daemon = try await bench.start(Self.atOnce)
      #expect(try await bench.lists().map(\.name) == ["summer"])
      #expect(bench.names("state/lists") == ["1"])
      try bench.settings(Self.short)
      #expect(try await bench.reload().code == 0)
      try await bench.until("the list's folder goes") {
        bench.names("state/lists").isEmpty
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `a slip in KeepPrints= is refused, or told before anything goes`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try await bench.drop([("Hills", try bench.serveSamples(1)[0])], as: "summer.plist")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      try bench.settings(DaemonBench.settings + "[Record]\nKeepPrints=30\n")
      let words = "KeepPrints=30 has no unit; write 30d for 30 days"
      let refused = try await bench.reload()
      #expect(refused.code == 78 && refused.errors.contains(words), "\(refused)")
      try bench.settings(DaemonBench.settings + "[Record]\nKeepPrints=1s\n")
      let forecast = "KeepPrints= sets 1 print of 1 user in 1 list aside in 60 min"
      let check = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(check.code == 0 && check.errors.contains("note: \(forecast)"), "\(check)")
      let reload = try await bench.tool("reload")
      #expect(reload.code == 0 && reload.output.hasPrefix(forecast), "\(reload)")
      // A restart does not make it sooner.
      try await bench.stop(daemon)
      let again = try await bench.start()
      let later = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(later.errors.contains(" aside in "), "\(later)")
      #expect(bench.names("prints/summer") == ["Hills.jpg"])
      try await bench.stop(again)
    }
  }

  @Test func `prints that have expired are told, and the list dropped again has new ones`()
    async throws
  {
    try await DaemonBench.use(settings: DaemonBench.settings + "[Record]\nKeepPrints=1s\n") {
      bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start(Self.atOnce)
      try await bench.drop([("Hills", url)], as: "summer.plist")
      try await daemon.says("Removed the prints of list 'summer'")
      #expect(bench.names("prints").isEmpty && bench.names("state/lists") == ["1"])
      let shown = try await bench.tool("show", "summer")
      #expect(shown.output.contains("its print has expired (KeepPrints=)"), "\(shown)")
      let photo = try #require(try await bench.show("summer").photos.first)
      #expect(photo.state == "filtered" && photo.print.isEmpty && photo.code == "print.expired")
      let why = try await bench.tool("why", "summer", "Hills")
      #expect(why.output.contains("print.expired"), "\(why)")
      let retry = try await bench.tool("retry", "summer")
      #expect(retry.errors.contains("its prints have expired (KeepPrints=)"), "\(retry)")
      // A restart still knows it.
      await daemon.cut()
      try bench.settings(DaemonBench.settings)
      let again = try await bench.start(Self.atOnce)
      #expect(try await bench.show("summer").photos.first?.code == "print.expired")
      let asked = bench.origin.requests().count
      try await bench.drop([("Hills", url)], as: "summer.plist")
      #expect(try await bench.wait(for: "summer", again).code == 0)
      #expect(bench.origin.requests().count == asked + 1)
      #expect(bench.names("prints/summer") == ["Hills.jpg"])
      #expect(try await bench.show("summer").photos.first?.print == "Hills.jpg")
      #expect(try await bench.tool("remove", "2").code == 0)
      #expect(bench.names("prints").isEmpty && bench.names("state/lists").isEmpty)
      #expect(try await bench.stop(again).code == 0)
    }
  }

  @Test func `private prints expire, too, and a retry of the list brings all of them back`()
    async throws
  {
    let settings = DaemonBench.settings + "PrivatePrints=yes\n"
    try await DaemonBench.use(settings: settings + "[Record]\nKeepPrints=1s\n") { bench in
      let good = try bench.serveSamples(1)[0]
      let daemon = try await bench.start(Self.atOnce)
      try await bench.drop(
        [("Hills", good), ("Lost", bench.origin.url("/nothing.jpg"))], as: "summer.plist")
      try await daemon.says("Removed the prints of list 'summer'")
      #expect(bench.names("prints").isEmpty)
      try bench.settings(settings)
      #expect(try await bench.reload().code == 0)
      let retry = try await bench.tool("retry", "summer")
      #expect(retry.code == 0, "\(retry)")
      let end = try await bench.tool("--json", "wait", "--timeout", "\(Patience.seconds)s", "2")
      #expect(end.output.contains("\"filtered\":1"), "\(end)")
      #expect(bench.names("prints/summer") == ["Hills.jpg"])
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a list without its copy in done is kept, however old it is`() async throws {
    try await DaemonBench.use(settings: Self.short) { bench in
      let daemon = try await bench.start(Self.atOnce)
      // Without the folder no copy can be made.
      try FileManager.default.removeItem(atPath: "\(bench.root)/done")
      try await bench.drop([("Hills", try bench.serveSamples(1)[0])], as: "summer.plist")
      try await daemon.says("the copy of list 1 in done waits")
      // The list is over; its results are not there yet.
      #expect(try await bench.tool("wait", "--timeout", "1s", "summer").code == 8)
      #expect(try await bench.tool("--json", "list").output.contains("\"returned\":false"))
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.copies == ["summer.plist"])
    }
  }
}
