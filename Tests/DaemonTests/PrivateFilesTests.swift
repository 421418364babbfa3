// SPDX-License-Identifier: Apache-2.0
// The files of a user in done and failed can be read by that user and root, not by the group. Two users share the
// daemon; neither reads the files of the other.

import Foundation
import Support
import Testing

@Suite(.enabled(if: DaemonBench.isRoot, "only root can play two users"))
struct PrivateFilesTests {
  private static let other: UInt32 = 54_321

  /// Lets every user enter the folders, so that only the files' own rights count.
  private static func open(_ bench: DaemonBench) async throws {
    for folder in ["", "/done", "/failed", "/prints"] {
      let path = bench.root + folder
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
  }

  /// As a member of the group of the daemon's files.
  private static func reads(
    _ path: String, _ bench: DaemonBench, as user: UInt32, in group: UInt32 = 0
  ) async -> Bool {
    await HelperProcess.status(
      of: [
        "setpriv", "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups", "cat",
        "\(bench.root)/\(path)",
      ])
      == 0
  }

  @Test
  func `lists, results, retry lists and reasons can be read by their owner, not by another user`()
    async throws
  {
    try await DaemonBench.use { bench in
      let good = try bench.serveSamples(1)[0]
      let photos = [("Hills", good), ("Lost", bench.origin.url("/nothing.jpg?key=secret"))]
      let daemon = try await bench.start()
      try await bench.dropForeign(photos, as: "summer.plist")
      try await bench.dropForeign(Array("no list".utf8), as: "torn.plist")
      try await daemon.says("Finished list 'summer'")
      try await daemon.says("Could not accept list 'torn.plist'")
      let files = [
        "done/summer.plist", "done/summer.result.plist", "failed/summer.retry.plist",
        "failed/torn.plist", "failed/torn.plist.reason.txt",
      ]
      try await bench.until("all files are there") {
        files.allSatisfy { bench.bytes($0) != nil }
      }
      try await Self.open(bench)
      for file in files {
        #expect(await Self.reads(file, bench, as: DaemonBench.stranger), "\(file)")
        #expect(await !Self.reads(file, bench, as: Self.other), "\(file)")
        // The bits of the group are the mask of the access control list.
        #expect(try bench.mode(file) & 0o007 == 0, "\(file)")
      }
      // Root's own list needs no access control list.
      try await bench.drop([("Hills", good)], as: "own.plist")
      try await daemon.says("Finished list 'own'")
      try await bench.until("it is returned") { bench.bytes("done/own.plist") != nil }
      #expect(try bench.mode("done/own.plist") == 0o600)
      #expect(try bench.mode("done/own.result.plist") == 0o600)
      #expect(await !Self.reads("done/own.plist", bench, as: DaemonBench.stranger))
      try await bench.stop(daemon)
    }
  }

  @Test func `two users reject the same bytes under one name, and each reads the own reason`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try await bench.dropForeign(Array("no list".utf8), as: "torn.plist")
      try await daemon.says("Could not accept list 'torn.plist'")
      try await bench.drop(Array("no list".utf8), as: "torn.plist")
      try await daemon.says("Could not accept list 'torn.plist'", times: 2)
      try await bench.until("both are there") { bench.names("failed").count == 4 }
      try await Self.open(bench)
      let read = await Self.reads("failed/torn.plist.reason.txt", bench, as: DaemonBench.stranger)
      #expect(read, "\(bench.names("failed"))")
      try await bench.stop(daemon)
    }
  }

  @Test func `the daemon of an ordinary user lets the owners of lists read, too`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.give(bench.root, to: Self.other)
      let daemon = try await bench.start(as: Self.other)
      try await bench.dropForeign([("Hills", url)], as: "theirs.plist")
      try await daemon.says("Finished list 'theirs'")
      try await bench.until("it is returned") { bench.bytes("done/theirs.plist") != nil }
      try await Self.open(bench)
      let result = "done/theirs.result.plist"
      #expect(await Self.reads(result, bench, as: DaemonBench.stranger, in: Self.other))
      #expect(await !Self.reads(result, bench, as: 65_533, in: Self.other))
      try await bench.stop(daemon)
    }
  }

  @Test
  func `private prints are for their owner, also after a retry and in later lists of the name`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      func list(_ photos: [(String, String)], _ options: [(String, String)]) -> [UInt8] {
        PhotoListText.array(photos, options: options)
      }
      try await bench.dropForeign(list([("One", urls[0])], []), as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let lost = ("Lost", bench.origin.url("/late.jpg"))
      try await bench.dropForeign(
        list([("One", urls[0]), ("Two", urls[1]), lost], [("Private", "yes")]), as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      #expect(bench.text("failed/summer~2.retry.plist")?.contains("<key>Private</key>") == true)
      try bench.serve(SamplePictures.jpeg(width: 24, height: 16, seed: 9), as: "late.jpg")
      let retry = try #require(bench.bytes("failed/summer~2.retry.plist"))
      try await bench.dropForeign(retry, as: "summer~2.retry.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      // Without the option, and even against it.
      for (number, options) in [[], [("Private", "no")]].enumerated() {
        let photos = [("One", urls[0]), ("Four \(number)", urls[2])]
        try await bench.dropForeign(list(photos, options), as: "summer.plist")
        #expect(try await bench.runUntilIdle().code == 0)
      }
      try await Self.open(bench)
      let names = bench.names("prints/summer")
      #expect(names == ["Four 0.jpg", "Four 1.jpg", "Lost.jpg", "One.jpg", "Two.jpg"])
      for name in names {
        let path = "prints/summer/\(name)"
        #expect(await Self.reads(path, bench, as: DaemonBench.stranger), "\(name)")
        #expect(await !Self.reads(path, bench, as: Self.other), "\(name)")
      }
    }
  }

  @Test func `PrivatePrints= is for lists that do not say, and a list can be open`() async throws {
    let settings = DaemonBench.settings + "PrivatePrints=yes\n"
    try await DaemonBench.use(settings: settings) { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop([("One", url)], as: "closed.plist")
      try await bench.drop(
        PhotoListText.array([("One", url)], options: [("Private", "no")]), as: "open.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(try bench.mode("prints/closed") == 0o700)
      #expect(try bench.mode("prints/closed/One.jpg") == 0o600)
      #expect(try bench.mode("prints/open") == 0o750)
      #expect(try bench.mode("prints/open/One.jpg") == 0o640)
    }
  }
}
