// SPDX-License-Identifier: Apache-2.0
// One list's trouble, and one list's long reading, are that list's alone.

import Foundation
import Support
import Testing

@Suite struct OthersWorkTests {
  @Test func `a folder in the place of a print holds up its own list, with one warning`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(9)
      let daemon = try await bench.start()
      try await bench.drop([("One", urls[0] + "?gate=g"), ("Two", urls[1])], as: "hurt.plist")
      await bench.origin.arrivals(at: "g")
      let obstacle = "\(bench.root)/prints/hurt/One.jpg"
      try FileManager.default.createDirectory(
        atPath: "\(obstacle)/full", withIntermediateDirectories: true)
      await bench.origin.release("g")
      try await daemon.says("list 1 waits until it clears")
      let photos = urls.enumerated().map { ("\($0)", $1) }
      try await bench.drop(photos, as: "well.plist")
      #expect(try await bench.wait(for: "well", daemon).code == 0)
      #expect(bench.names("prints/well").count == 9)
      let status = try await bench.tool("status")
      #expect(status.output.contains("state\trunning"), "\(status)")
      #expect(status.output.contains("degraded\tlist 1 waits: "), "\(status)")
      try await bench.until("the other photo of its list is filtered") {
        try await bench.show("hurt").filtered == 1
      }
      try FileManager.default.removeItem(atPath: obstacle)
      #expect(try await bench.wait(for: "hurt", daemon).code == 0)
      let end = try await bench.stop(daemon)
      let lines = end.errors.split(separator: "\n")
      #expect(lines.count { $0.contains("in trouble") } == 1, "\(end)")
      #expect(lines.count { $0.hasPrefix("The trouble is over") } == 1, "\(end)")
    }
  }

  @Test func `a link in the place of a folder of prints is named, and the list goes on without it`()
    async throws
  {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0] + "?gate=g"
      let first = try await bench.start()
      try await bench.drop([("One", url)], as: "barn.plist")
      await bench.origin.arrivals(at: "g")
      #expect(try await bench.stop(first).code == 0)
      await bench.origin.release("g")
      let link = "\(bench.root)/prints/barn"
      try FileManager.default.removeItem(atPath: link)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../done")
      let daemon = try await bench.start()
      let words = "/prints/barn, its folder of prints, is a symbolic link"
      try await daemon.says(words)
      try await bench.until("the reason is told") {
        try await bench.tool("why", "barn").output.contains(words)
      }
      try FileManager.default.removeItem(atPath: link)
      #expect(try await bench.tool("wait", "barn").code == 0)
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `lists are shown, paused, accepted and cancelled while another one is read`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startWithTestWorker()
      let url = try bench.serveSamples(1)[0] + "?gate=g"
      try await bench.drop(try PhotoListText.binary([("One", url)]), as: "small.plist")
      try await daemon.says("Accepted list 'small'")
      await bench.origin.arrivals(at: "g")
      // The worker that reads this list never answers.
      try await bench.drop(Array("hang".utf8), as: "endless.plist")
      try await bench.until("it is being read") { bench.names("state/lists").count == 2 }
      #expect(try await bench.inbox().contains { $0.name == "endless.plist" })
      #expect(try await bench.show("small").photos.map(\.state) == ["new"])
      for command in ["pause", "resume"] {
        #expect(try await bench.tool(command, "small").code == 0)
      }
      try await bench.drop(try PhotoListText.binary([("One", url)]), as: "third.plist")
      try await daemon.says("Accepted list 'third'")
      #expect(try await bench.tool("cancel", "third").code == 0)
      #expect(try await bench.tool("cancel", "small").code == 0)
      #expect(try await bench.show("small").state == "cancelled")
      #expect(!daemon.errors.contains("'endless'"))
      #expect(try await bench.stop(daemon).code == 0)
    }
  }
}
