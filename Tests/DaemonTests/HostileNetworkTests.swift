// SPDX-License-Identifier: Apache-2.0
// Connections that break, origins that do not declare a length, many photos with one URL: seen from
// outside, by the requests that reach the origin, the prints and the memory of the daemon.

import Foundation
import Support
import Testing

@Suite struct HostileNetworkTests {
  /// Large enough that a killed daemon has noted a part of it.
  private static let picture = SamplePictures.jpeg(width: 1600, height: 1200)

  private func asked(_ bench: DaemonBench, for name: String) -> [String] {
    bench.origin.requests().filter { $0.contains("/\(name)") }
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func `a download resumes where the daemon was stopped or killed`(signal: Int32) async throws {
    try await DaemonBench.use { bench in
      try bench.serve(Self.picture, as: "big.jpg")
      let cut = Self.picture.count * 3 / 4
      try #require(cut > 300_000, "\(Self.picture.count)")
      let url = bench.origin.url("/big.jpg?tag=%22v1%22&key=k&cut=\(cut)&gate=g")
      let daemon = try await bench.start()
      try await bench.drop(
        [("Resumed", url), ("Whole", bench.origin.url("/big.jpg"))], as: "summer.plist")
      await bench.origin.arrivals(at: "g")
      try await bench.until("what was sent is there, of this one") {
        bench.names("state/incoming").contains {
          $0.hasSuffix(".part") && bench.size("state/incoming/\($0)") == cut
        }
      }
      daemon.send(signal)
      _ = try await daemon.end()
      await bench.origin.departures(at: "g")
      #expect(try await bench.runUntilIdle().code == 0)
      let last = try #require(asked(bench, for: "big.jpg?tag").last { $0.contains(" 206 ") })
      let start = try #require(last.split(separator: "bytes=").last?.split(separator: "-").first)
      #expect(try #require(Int(start), "\(asked(bench, for: "big.jpg"))") > 262_000)
      #expect(last.hasSuffix("if-range=\"v1\""))
      if signal == SIGTERM { #expect(Int(start) == cut) }
      #expect(bench.bytes("prints/summer/Resumed.jpg") == bench.bytes("prints/summer/Whole.jpg"))
      #expect(bench.names("state/incoming").isEmpty)
    }
  }

  @Test func `an origin that sends nothing is given up after StallTimeout=`()
    async throws
  {
    // A longer wait would end by Timeout=.
    let settings = DaemonBench.settings.replacing(
      "[Download]", with: "[Download]\nAttempts=1\nTimeout=5min")
    try await DaemonBench.use(settings: settings) { bench in
      let daemon = try await bench.start()
      try bench.settings(settings.replacing("StallTimeout=1h", with: "StallTimeout=1s"))
      #expect(try await bench.reload().code == 0)
      try await bench.drop([("Late", bench.origin.url("/hang?gate=g"))], as: "summer.plist")
      #expect(try await bench.wait(for: "summer", daemon).code == 1)
      let photo = try #require(try await bench.show("summer").photos.first)
      #expect((photo.state, photo.code) == ("failed", "time.slow"))
      #expect(photo.reason.hasSuffix("sent too slowly"))
    }
  }

  @Test func `the time for which the daemon is stopped does not count against a host`() async throws
  {
    let settings = DaemonBench.settings.replacing("StallTimeout=1h", with: "StallTimeout=20s")
      .replacing("[Download]", with: "[Download]\nAttempts=1")
    try await DaemonBench.use(settings: settings) { bench in
      let url = try bench.serveSamples(1)[0] + "?gate=g"
      let daemon = try await bench.start()
      try await bench.drop([("Late", url)], as: "summer.plist")
      await bench.origin.arrivals(at: "g")
      // libcurl measures each second; the stop has to last longer than StallTimeout=.
      #expect(await HelperProcess.status(of: ["sleep", "2"]) == 0)
      try await daemon.halt()
      #expect(await HelperProcess.status(of: ["sleep", "22"]) == 0)
      daemon.send(SIGCONT)
      // The transfers have run again once the next one arrives.
      try await bench.drop([("Next", bench.origin.url("/hang?gate=h"))], as: "winter.plist")
      await bench.origin.arrivals(at: "h")
      await bench.origin.release("g")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
    }
  }

  @Test func `the same URL in many lists is one transfer and a print in each`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0] + "?gate=g"
      let daemon = try await bench.start()
      for list in ["one", "two", "three"] {
        try await bench.drop([("A", url), ("B", url)], as: "\(list).plist")
      }
      await bench.origin.arrivals(at: "g")
      try await bench.until("all wait for it") {
        bench.journal.filter { $0.kind == "accepted" }.count == 3
      }
      let watch = try await bench.launch("darkroomctl", ["--root", bench.root, "--json", "watch"])
      try await bench.until("six photos wait for one transfer") {
        watch.output.contains("\"photos\":6")
      }
      await bench.origin.release("g")
      for list in ["one", "two", "three"] {
        #expect(try await bench.wait(for: list, daemon).code == 0)
        #expect(bench.names("prints/\(list)") == ["A.jpg", "B.jpg"])
      }
      #expect(bench.origin.requests().count == 1)
      try await bench.stop(daemon)
      #expect(try await watch.end().code == 7, "the daemon has gone")
      #expect(bench.names("state/incoming").isEmpty)
    }
  }

  @Test func `watch shows a list's transfers until the list is over`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try bench.serve(SamplePictures.jpeg(width: 24, height: 16), as: "a.jpg")
      let size = try #require(bench.folder.bytes(of: "photos/a.jpg")?.count)
      let url = bench.origin.url("/a.jpg?tag=%22v1%22&key=k&cut=\(size / 2)&gate=g")
      try await bench.drop([("Barn", url)], as: "slow.plist")
      await bench.origin.arrivals(at: "g")
      let watch = try await bench.launch(
        "darkroomctl", ["--root", bench.root, "--json", "watch", "slow"])
      try await bench.until("it is shown") {
        watch.output.contains("\"received\":\(size / 2)")
      }
      let line = try #require(watch.output.split(separator: "\n").last)
      for part in ["\"total\":\(size)", "\"name\":\"Barn\"", "\"name\":\"slow\"", "\"rate\":"] {
        #expect(line.contains(part), "\(line)")
      }
      await bench.origin.release("g")
      #expect(try await watch.end().code == 0)
      try await bench.stop(daemon)
    }
  }

  @Test func `a later list reuses a cached original that the origin still has`() async throws {
    let settings = DaemonBench.settings.replacingOccurrences(
      of: "[Download]\n", with: "[Download]\nCache=10M\n")
    try await DaemonBench.use(settings: settings) { bench in
      try bench.serve(SamplePictures.jpeg(width: 24, height: 16), as: "a.jpg")
      let url = bench.origin.url("/a.jpg?tag=%22v1%22")
      let daemon = try await bench.start()
      for list in ["one", "two"] {
        try await bench.drop([("A", url)], as: "\(list).plist")
        #expect(try await bench.wait(for: list, daemon).code == 0)
      }
      #expect(bench.bytes("prints/one/A.jpg") == bench.bytes("prints/two/A.jpg"))
      let requests = bench.origin.requests()
      #expect(requests.count == 2)
      #expect(requests.last?.hasSuffix(" 304 0 if-none-match=\"v1\"") == true)
      let told = try await bench.tool("--json", "cache").output
      #expect(told.contains("\"entries\":1") && told.contains("\"hits\":1"), "\(told)")
      #expect(try await bench.tool("--json", "cache", "clear").output.contains("\"entries\":0"))
      #expect(bench.names("state/cache").isEmpty)
      try await bench.stop(daemon)
    }
  }

  @Test(arguments: [("once", 0, "filtered"), ("always", 1, "failed")] as [(String, Int32, String)])
  func `a picture that may have been cut off is downloaded a second time, never a third`(
    key: String, code: Int32, state: String
  ) async throws {
    try await DaemonBench.use { bench in
      try bench.serve(SamplePictures.jpeg(width: 64, height: 64), as: "a.jpg")
      let daemon = try await bench.start()
      try await bench.drop(
        [("A", bench.origin.url("/a.jpg?unsure=\(key)"))], as: "unsure.plist")
      #expect(try await bench.wait(for: "unsure", daemon).code == code)
      let photo = try #require(try await bench.show("unsure").photos.first)
      #expect(photo.state == state)
      if state == "failed" { #expect(photo.code == "jpeg.truncated") }
      #expect(bench.origin.requests().count == 2)
      try await bench.stop(daemon)
    }
  }

  @Test func `proxies named in the environment are not used`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      try await bench.drop([("A", urls[0])], as: "one.plist")
      let nowhere = "http://user:secret@127.0.0.1:1"
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root, "--until-idle"],
        environment: [
          "http_proxy": nowhere, "HTTP_PROXY": nowhere, "https_proxy": nowhere,
          "ALL_PROXY": nowhere, "all_proxy": nowhere,
        ])
      #expect(try await daemon.end().code == 0)
      #expect(bench.names("prints/one") == ["A.jpg"])
      #expect(bench.origin.requests().allSatisfy { !$0.contains("secret") })
    }
  }

  @Test func `two hundred transfers at once cost less than 40 MiB`() async throws {
    let settings = DaemonBench.settings.replacingOccurrences(
      of: "[Download]\n", with: "[Download]\nConnections=208\n")
    try await DaemonBench.use(settings: settings) { bench in
      // Two hundred hosts, one transfer each.
      let origin = try Origin(
        folder: "\(bench.folder.path)/photos", log: "\(bench.folder.path)/many.log",
        address: "0.0.0.0")
      defer { origin.stop() }
      let first = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      try await bench.drop([("First", first)], as: "first.plist")
      #expect(try await bench.wait(for: "first", daemon).code == 0)
      let before = try resident(daemon.pid)
      let photos = (1...200).map { number in
        ("\(number)", origin.url("/slow?gate=g&size=400000", host: "127.0.1.\(number)"))
      }
      try await bench.drop(photos, as: "many.plist")
      await origin.arrivals(at: "g", 200)
      try await bench.until("halves of all are there") {
        let parts = bench.names("state/incoming").filter { $0.hasSuffix(".part") }
        return parts.count == 200
          && parts.allSatisfy { bench.size("state/incoming/\($0)") >= 199_999 }
      }
      let cost = try resident(daemon.pid) - before
      #expect(cost < 40 << 20, "\(cost >> 10) KiB")
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  /// The private memory of the process, without the files that it maps.
  private func resident(_ process: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    let number = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return try #require(number) * 1024
  }
}
