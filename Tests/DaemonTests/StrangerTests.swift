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
}
