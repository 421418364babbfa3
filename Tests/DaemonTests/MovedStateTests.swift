// SPDX-License-Identifier: Apache-2.0
// The state folder is moved while the daemon has it open.

import Foundation
import Support
import Testing

@Suite struct MovedStateTests {
  @Test func `a state folder that is moved closes the inbox until it is back`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let daemon = try await bench.start()
      let (state, away) = ("\(bench.root)/state", "\(bench.root)/away")
      try FileManager.default.moveItem(atPath: state, toPath: away)
      try await bench.drop([("One", urls[0])], as: "one.plist")
      try await daemon.says("The inbox is in trouble: the folder \(state) was removed or renamed")
      #expect(try await bench.tool("status", "--check").output.contains("degraded"))
      #expect(bench.names("inbox").contains("one.plist"))
      try FileManager.default.moveItem(atPath: away, toPath: state)
      try await daemon.says(" is working again")
      #expect(try await bench.wait(for: "one", daemon).code == 0)
      try FileManager.default.moveItem(atPath: state, toPath: away)
      #expect(try await bench.stop(daemon).code == 0)
      try await daemon.says(
        "the folder \(state) was removed or renamed; no start knows the lists in it")
    }
  }

  @Test func `folders inside the state folder that are removed are made again, and lists finish`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startHalfway()
      for name in ["originals", "incoming", "hooks", "webhooks", "quarantine", "cache"] {
        try FileManager.default.removeItem(atPath: "\(bench.root)/state/\(name)")
      }
      await bench.origin.release("g")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      #expect(bench.names("prints/summer") == ["One.jpg", "Two.jpg"])
      try await daemon.says("the folder \(bench.root)/state/originals was removed or renamed")
      #expect(try await bench.stop(daemon).code == 0)
    }
  }
}
