// SPDX-License-Identifier: Apache-2.0
// `darkroomctl why`: what lists and photos wait for, in a real daemon.

import Foundation
import Support
import Testing

@Suite struct WhyTests {
  @Test func `a list and its photos say what they wait for, and what helps`() async throws {
    try await DaemonBench.use { bench in
      try bench.settings(DaemonBench.settings + "[Download]\nConnections=2\nConnectionsPerHost=2\n")
      let urls = try bench.serveSamples(6)
      let daemon = try await bench.start()
      var photos = urls.enumerated().map { ("Photo \($0 + 1)", $1 + "?gate=g") }
      photos.insert(("Wrong", "ftp://example.org/x.jpg"), at: 0)
      try await bench.drop(photos, as: "summer.plist")
      await bench.origin.arrivals(at: "g", 2)
      try await daemon.says("Could not process 'Wrong'")
      let whole = try await bench.tool("why", "summer")
      #expect(whole.code == 0, "\(whole)")
      let rows = whole.output.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false)
      }
      #expect(rows.first?.prefix(2) == ["working", "6"])
      #expect(rows.contains { $0.prefix(2) == ["downloading", "2"] }, "\(whole)")
      #expect(rows.contains { $0.prefix(2) == ["room", "4"] }, "\(whole)")
      #expect(rows.contains { $0.prefix(2) == ["failed", "1"] }, "\(whole)")
      for (word, kind) in [("2", "downloading"), ("Photo 6", "room"), ("Wrong", "failed")] {
        let one = try await bench.tool("why", "summer", word)
        #expect(one.code == 0 && one.output.hasPrefix("\(kind)\t1\t"), "\(one)")
      }
      #expect(try await bench.tool("pause", "summer").code == 0)
      #expect(try await bench.tool("why", "summer", "Photo 6").output.hasPrefix("paused\t"))
      let json = try await bench.tool("--json", "why", "summer")
      #expect(json.output.contains(#""kind":"paused""#), "\(json)")
      #expect(try await bench.tool("why", "summer", "Nemo").code == 1)
      try await bench.stop(daemon)
    }
  }
}
