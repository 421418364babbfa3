// SPDX-License-Identifier: Apache-2.0
// Hosts that are dead, busy or recover, beside healthy ones.

import Foundation
import Support
import Testing

@Suite struct HostTests {
  /// An address of this machine without a listener: to the daemon, a different host than the
  /// origin.
  private func dead(_ bench: DaemonBench, _ path: String) -> String { "http://127.0.0.9:9\(path)" }

  private func settings(_ more: String) -> String {
    DaemonBench.settings.replacing("[Filter]", with: "\(more)\n[Filter]")
  }

  @Test func `photos on a dead host do not delay photos on another`() async throws {
    try await DaemonBench.use(settings: settings("Attempts=30")) { bench in
      let urls = try bench.serveSamples(10)
      try await bench.drop(
        (1...200).map { ("Lost \($0)", dead(bench, "/\($0).jpg")) }, as: "dead.plist")
      let daemon = try await bench.start()
      try await daemon.says("Could not download from 127.0.0.9:9: 127.0.0.9:9 refused")
      try await bench.drop(urls.enumerated().map { ("Photo \($0)", $1) }, as: "well.plist")
      #expect(try await bench.wait(for: "well", daemon).code == 0)
      let list = try await bench.show("dead")
      #expect(list.state == "running" && list.failed == 0)
      let waiting = list.photos.filter { $0.code == "connect.refused" && !$0.reason.isEmpty }
      #expect(waiting.count > 100, "\(list.photos.prefix(9))")
      let tried = bench.journal.filter { $0.text.contains("connect.refused") }
      #expect(Set(tried.map(\.photo)).count < 100, "most photos used no attempt")
      let status = try await bench.tool("status", "--json").output
      #expect(status.contains("\"127.0.0.9:9\""))
      #expect(try await bench.tool("flush", "127.0.0.9:9").output == "1\n")
      try await bench.stop(daemon)
    }
  }

  @Test func `a list on a dead host ends, and leaves a retry list of its photos`() async throws {
    try await DaemonBench.use(settings: settings("HostPatience=1s\nAttempts=2")) { bench in
      try await bench.drop(
        (1...300).map { ("Lost \($0)", dead(bench, "/\($0).jpg")) }, as: "dead.plist")
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "dead", daemon).code == 1)
      let list = try await bench.show("dead")
      #expect(list.failed == 300)
      #expect(list.photos.allSatisfy { $0.code == "connect.refused" })
      let words = list.photos.filter { $0.reason.contains("refused the connection, for ") }
      #expect(words.count > 50, "\(list.photos.last.map(\.reason) ?? "")")
      try await bench.until("the retry list") { bench.names("failed").contains("dead.retry.plist") }
      let again = bench.text("failed/dead.retry.plist") ?? ""
      #expect(again.components(separatedBy: "<key>URL</key>").count == 301)
      try await bench.stop(daemon)
    }
  }

  @Test func `a host that asks to be left alone is asked again at its time, by few photos`()
    async throws
  {
    try await DaemonBench.use { bench in
      _ = try bench.serveSamples(1)
      try await bench.drop(
        (1...40).map { ("Busy \($0)", bench.origin.url("/busy?key=k&until=2&after=1&n=\($0)")) },
        as: "busy.plist")
      let daemon = try await bench.start()
      try await daemon.says("photos wait for it, next attempt in")
      try await daemon.says("Downloading from 127.0.0.1:\(bench.origin.port) again")
      #expect(try await bench.wait(for: "busy", daemon).code == 0)
      let refused = bench.origin.requests().filter { $0.contains(" 503 ") }
      #expect(refused.count <= 4, "\(refused)")
      let retries = bench.journal.filter { $0.kind == "retry" }
      #expect(!retries.isEmpty && retries.allSatisfy { $0.text.contains("attempt=0") })
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `another user may flush one dead host, but not all, nor one that sent Retry-After`()
    async throws
  {
    try await DaemonBench.use { bench in
      _ = try bench.serveSamples(1)
      let busy = bench.origin.url("/busy?key=s&until=2&after=1200")
      try await bench.drop(
        [("Busy 1", busy + "&n=1"), ("Busy 2", busy + "&n=2")], as: "busy.plist")
      try await bench.drop(
        (1...9).map { ("Lost \($0)", dead(bench, "/\($0).jpg")) }, as: "dead.plist")
      let daemon = try await bench.start()
      try await daemon.says("next attempt in 20 min")
      try await daemon.says("Could not download from 127.0.0.9:9: 127.0.0.9:9 refused")
      try bench.letAllUsersCall()
      let all = try await bench.tool("flush", as: DaemonBench.stranger)
      #expect(all.code == 5 && all.errors.contains("name one"), "\(all)")
      let origin = "127.0.0.1:\(bench.origin.port)"
      let wish = try await bench.tool("flush", origin, as: DaemonBench.stranger)
      #expect(wish.code == 5 && wish.errors.contains("left alone"), "\(wish)")
      let one = try await bench.tool("flush", "127.0.0.9:9", as: DaemonBench.stranger)
      #expect(one.code == 0 && one.output == "1\n", "\(one)")
      #expect(try await bench.tool("flush", origin).output == "1\n")
      try await bench.stop(daemon)
    }
  }

  @Test func `a flush ends a wait of twenty minutes at once`() async throws {
    try await DaemonBench.use { bench in
      _ = try bench.serveSamples(1)
      try await bench.drop(
        (1...5).map { ("Busy \($0)", bench.origin.url("/busy?key=h&until=1&after=1200&n=\($0)")) },
        as: "busy.plist")
      let daemon = try await bench.start()
      try await daemon.says("next attempt in 20 min")
      // Its retry is recorded, and a flush finds it.
      try await daemon.says("trying again in")
      #expect(try await bench.tool("flush").output == "1\n")
      #expect(try await bench.wait(for: "busy", daemon).code == 0)
      try await bench.stop(daemon)
    }
  }
}
