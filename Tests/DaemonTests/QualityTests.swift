// SPDX-License-Identifier: Apache-2.0
// `darkroomctl quality`: the class of a list at work, its record, and the refusals.

import Foundation
import Support
import Testing

@Suite struct QualityTests {
  @Test func `the class of a list is durable, survives a restart and reaches its photos`()
    async throws
  {
    try await DaemonBench.use { bench in
      try bench.settings(DaemonBench.settings + "[Download]\nConnections=2\n")
      let urls = try bench.serveSamples(6)
      let daemon = try await bench.start()
      try await bench.drop(
        urls.enumerated().map { ("Photo \($0)", $1 + "?gate=g") }, as: "summer.plist")
      await bench.origin.arrivals(at: "g", 2)
      let end = try await bench.tool("--json", "quality", "summer", "background")
      #expect(end.code == 0 && end.output.contains(#""serviceClass":"background""#), "\(end)")
      #expect(bench.journal.contains { $0.kind == "quality" && $0.list == 1 })
      try await daemon.says("List 'summer' is now in class background")
      #expect(try await bench.tool("quality", "summer", "background").code == 0)
      #expect(bench.journal.count { $0.kind == "quality" } == 1, "asking twice changes nothing")
      try await bench.stop(daemon)
      let again = try await bench.start()
      #expect(try await bench.show("summer").serviceClass == "background")
      await bench.origin.release("g")
      try await again.says("Finished list 'summer'")
      let over = try await bench.tool("quality", "summer", "utility")
      #expect(over.code == 1 && over.errors.contains("the list is over"), "\(over)")
    }
  }

  @Test func `an unknown class is refused with the names of all`() async throws {
    try await DaemonBench.use { bench in
      let end = try await bench.tool("quality", "summer", "fast")
      #expect(end.code == 2, "\(end)")
      #expect(
        end.errors.contains(
          "use one of userInteractive, userInitiated, default, utility, background"), "\(end)")
    }
  }
}
