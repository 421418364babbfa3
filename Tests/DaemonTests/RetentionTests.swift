// SPDX-License-Identifier: Apache-2.0
// Lists that are over are kept for a while, then forgotten with all their files.

import Foundation
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct RetentionTests {
  private static let short = DaemonBench.settings + "[Record]\nKeepLists=1s\n"

  @Test func `a list that is over is forgotten in time, by itself, and no start brings it back`()
    async throws
  {
    try await DaemonBench.use(settings: Self.short) { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      try await bench.drop([("Hills", url)], as: "summer.plist")
      try await daemon.says("Finished list 'summer'")
      try await bench.until("the list's folder goes") {
        !bench.copies.isEmpty && bench.names("state/lists").isEmpty
      }
      #expect(bench.names("done") == ["summer.plist", "summer.result.plist"])
      #expect(bench.names("prints/summer") == ["Hills.jpg"])
      try await bench.until("it is listed no more") { try await bench.lists().isEmpty }
      // Its end stands in the journal file, where the next start reads it.
      await daemon.cut()
      let again = try await bench.start()
      #expect(try await bench.lists().isEmpty)
      try await bench.drop([("Hills", url)], as: "winter.plist")
      try await again.says("Finished list 'winter'")
      #expect(bench.journal.filter { $0.kind == "accepted" }.last?.list == 2, "no number twice")
      let end = try await bench.stop(again)
      #expect(!end.errors.contains("has no copy in done"), "\(end)")
    }
  }

  @Test func `what is kept longer stays over restarts, and goes when a reload says so`()
    async throws
  {
    try await DaemonBench.use { bench in
      try await bench.drop([("Hills", try bench.serveSamples(1)[0])], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      // As a crash leaves it that came while a folder was removed.
      try bench.folder.write([1], to: "root/state/lists/.old-7/results")
      let daemon = try await bench.start()
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

  @Test func `a list whose copy in done is not made is kept, however old it is`() async throws {
    try await DaemonBench.use(settings: Self.short) { bench in
      let daemon = try await bench.start()
      // No copy can be made there.
      try FileManager.default.removeItem(atPath: "\(bench.root)/done")
      try await bench.drop([("Hills", try bench.serveSamples(1)[0])], as: "summer.plist")
      try await daemon.says("the copy of list 1 in done waits")
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.copies == ["summer.plist"])
    }
  }

  @Test(
    arguments: [
      ([], nil), ([0], 60_000), ([50], 50), ([5000], 5000), ([7000, 5000], 5000),
      ([.max], 86_400_000),
    ] as [([UInt64], Int64?)])
  func `the next look is when the oldest list is due, or in a minute where that did not help`(
    ends: [UInt64], pause: Int64?
  ) {
    let retention = Retention(.milliseconds(100))
    let now: UInt64 = 100
    #expect(retention.pause(until: ends, now: now) == pause.map { .milliseconds($0) })
    #expect(Retention(.seconds(1)).isOver(since: 5, now: 1005))
    #expect(!Retention(.seconds(1)).isOver(since: 5, now: 1004))
    #expect(!Retention(.seconds(1)).isOver(since: .max, now: .max))
    #expect(Retention(.seconds(1)).pause(until: [1 << 60], now: 0) == .seconds(86400))
  }
}
