// SPDX-License-Identifier: Apache-2.0
// `darkroomctl remove`: a list that is over goes with everything that it left, for good, and any interruption
// is made up for.

import Foundation
import Support
import Testing

@Suite struct RemovalTests {
  /// A list with one print and one failed photo.
  private func finish(_ bench: DaemonBench) async throws {
    let good = try bench.serveSamples(1)[0]
    try await bench.drop(
      [("Hills", good), ("Lost", bench.origin.url("/nothing.jpg"))], as: "summer.plist")
    #expect(try await bench.runUntilIdle().code == 3)
    #expect(bench.names("failed") == ["summer.retry.plist"])
  }

  private func expectGone(_ bench: DaemonBench, _ step: String = "") {
    #expect(bench.names("prints").isEmpty, "\(step)")
    #expect(bench.names("done").isEmpty, "\(step)")
    #expect(bench.names("failed").isEmpty, "\(step)")
    #expect(bench.names("state/lists").isEmpty, "\(step)")
    #expect(bench.journal.count { $0.kind == "Removed" } == 1, "\(step)")
  }

  @Test func `a removed list leaves nothing, and the next list of its name begins afresh`()
    async throws
  {
    try await DaemonBench.use { bench in
      try await finish(bench)
      let daemon = try await bench.start()
      let end = try await bench.tool("--json", "remove", "summer")
      #expect(end.code == 0 && end.output.contains("\"name\":\"summer\""), "\(end)")
      expectGone(bench)
      try await daemon.says("Removed list 'summer' with its results and the prints")
      for word in ["summer", "1"] {
        #expect(try await bench.tool("show", word).errors.contains("there is no list"))
        #expect(try await bench.tool("remove", word).code != 0)
      }
      let asked = bench.origin.requests().count
      try await bench.drop([("Hills", bench.origin.url("/1.jpg"))], as: "summer.plist")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      #expect(bench.origin.requests().count == asked + 1)
      #expect(bench.names("prints") == ["summer"])
      #expect(try await bench.show("summer").id == 2)
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a list at work is not removed, and one that is cancelled is, at once`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      try await bench.drop([("Hills", url + "?gate=g")], as: "summer.plist")
      try await daemon.says("Accepted list 'summer'")
      let end = try await bench.tool("remove", "summer")
      #expect(end.errors.contains("Could not remove 'summer': "), "\(end)")
      #expect(end.errors.contains("it is at work; cancel it first"), "\(end)")
      #expect(try await bench.tool("cancel", "summer").code == 0)
      #expect(try await bench.tool("remove", "summer").code == 0)
      expectGone(bench)
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test(
    "A removal that is interrupted at any step is continued by the next start",
    arguments: [
      "renameat2 /lists/1 5", "renameat2 /prints/summer 5", "unlinkat /done/summer.plist 5",
      "unlinkat /failed/summer.retry.plist 5", "unlinkat /prints/.removed-1/Hills.jpg 5",
      "unlinkat /lists/.removed-1/catalog 5",
    ])
  func interrupted(_ fault: String) async throws {
    guard DaemonBench.isDebugBuild else { return }
    try await DaemonBench.use { bench in
      try await finish(bench)
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root], environment: ["DARKROOM_FAULT": fault])
      try await daemon.says(" is ready: ")
      let end = try await bench.tool("remove", "summer")
      #expect(end.code != 0, "\(end)")
      await daemon.cut()
      let again = try await bench.start()
      if fault.contains("/lists/1 ") {
        // Nothing had begun.
        #expect(try await bench.show("summer").filtered == 1)
        #expect(try await bench.tool("remove", "summer").code == 0)
      }
      try await bench.until("the list is gone") { bench.names("state/lists").isEmpty }
      expectGone(bench, fault)
      #expect(try await bench.tool("show", "1").code != 0)
      #expect(try await bench.stop(again).code == 0)
    }
  }

  @Test func `a list takes its predecessors along, and leaves the prints to its successor`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      for number in 1...3 {
        let photos = urls.prefix(number).enumerated().map { ("Photo \($0)", $1) }
        try await bench.drop(photos, as: "summer.plist")
        #expect(try await bench.runUntilIdle().code == 0)
      }
      try await bench.dropForeign([("Hills", urls[0])], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let daemon = try await bench.start()
      #expect(try await bench.tool("remove", "2").code == 0)
      #expect(bench.names("prints/summer").count == 3)
      #expect(try await bench.lists().map(\.id) == [3, 4])
      #expect(try await bench.tool("remove", "3").code == 0)
      // Those of the other user stay.
      #expect(bench.names("prints") == ["summer~4"])
      #expect(bench.names("done") == ["summer~4.plist", "summer~4.result.plist"])
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test(
    "what is mounted among the prints stays, whatever removes them",
    .enabled("mounts need root and a namespace") { DaemonBench.mayMount },
    arguments: [true, false])
  func mounts(_ isAsked: Bool) async throws {
    let atOnce = ["--expire-at-once"]
    try await DaemonBench.use { bench in
      let daemon = try await bench.startApart(atOnce)
      try await bench.drop([("Hills", try bench.serveSamples(1)[0])], as: "summer.plist")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      try bench.folder.write([1], to: "mine/own.jpg")
      // Of the same file system.
      try await bench.apart(
        daemon,
        "mkdir $inbox/../prints/summer/mine && mount --bind \(bench.folder.path)/mine $inbox/../prints/summer/mine"
      )
      if isAsked {
        let end = try await bench.tool("remove", "summer")
        #expect(end.code == 1 && end.errors.contains("where something is mounted"), "\(end)")
      } else {
        try bench.settings(DaemonBench.settings + "[Record]\nKeepPrints=1s\n")
        #expect(try await bench.reload().code == 0)
      }
      try await daemon.says(
        "\(isAsked ? "removed" : "expired")-1/mine, where something is mounted: ")
      #expect(bench.folder.bytes(of: "mine/own.jpg") == [1])
      #expect(try await bench.tool("status", "--check").output.contains("is mounted"))
      // Its mounts end with it.
      try await bench.stop(daemon)
      let next = try await bench.start(atOnce)
      try await bench.until("the rest goes") {
        bench.names("prints").isEmpty
      }
      #expect(bench.folder.bytes(of: "mine/own.jpg") == [1])
      try await bench.stop(next)
    }
  }
}
