// SPDX-License-Identifier: Apache-2.0
// Lists whose photos have their own options: each print is made as its photo asks, and a file with
// the wrong checksum never becomes a print.

import Digests
import Support
import Testing

@Suite struct PhotoOptionTests {
  private func photo(_ name: String, _ url: String, _ own: [(String, String)] = []) -> String {
    let pairs = [("URL", url)] + own
    let keys = pairs.map { "<key>\($0)</key><string>\($1)</string>" }.joined()
    return "<key>\(name)</key><dict>\(keys)</dict>"
  }

  private func list(_ photos: [String]) -> [UInt8] {
    Array("<plist><dict>\(photos.joined(separator: "\n"))</dict></plist>".utf8)
  }

  @Test func `each print is made as its photo asks, and the wrong file never becomes a print`()
    async throws
  {
    try await DaemonBench.use { bench in
      let picture = SamplePictures.jpeg(width: 64, height: 64)
      try bench.serve(picture, as: "a.jpg")
      let url = bench.origin.url("/a.jpg")
      let right = SHA256.digest(of: picture).hex
      let wrong = SHA256.digest(of: picture.dropLast()).hex
      let photos = [
        photo("Plain", url), photo("Right", url, [("SHA256", right.uppercased())]),
        photo("Wrong", url, [("SHA256", wrong)]), photo("Bare", url, [("Filter", "sepia(0)")]),
        photo("Coarse", url, [("Quality", "5")]), photo("Typo", url, [("Fliter", "sepia(0)")]),
        photo("Urgent", url, [("QualityOfService", "userInteractive")]),
        photo("Titled", url, [("Title", "x")]),
        "<key>Short</key><string>\(url)</string>",
      ]
      try await bench.drop(list(photos), as: "own.plist")
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "own", daemon).code == 1)
      #expect(
        bench.names("prints/own").sorted()
          == ["Bare.jpg", "Coarse.jpg", "Plain.jpg", "Right.jpg", "Short.jpg", "Urgent.jpg"])
      let shown = try await bench.show("own").photos
      let codes = Dictionary(uniqueKeysWithValues: shown.map { ($0.name, $0.code) })
      #expect(codes["Wrong"] == "download.sha256")
      #expect(codes["Typo"] == "list.entry" && codes["Titled"] == "list.entry")
      let reason = shown.first { $0.name == "Wrong" }?.reason
      #expect(reason == "its SHA-256 is \(right), not the one in the list")
      let plain = try #require(bench.bytes("prints/own/Plain.jpg"))
      #expect(bench.bytes("prints/own/Right.jpg") == plain)
      #expect(bench.bytes("prints/own/Short.jpg") == plain)
      #expect(bench.bytes("prints/own/Bare.jpg") != plain)
      #expect((bench.bytes("prints/own/Coarse.jpg")?.count ?? 0) < plain.count)
      // Photos that want it at the same time share a transfer.
      #expect((1...7).contains(bench.origin.requests().filter { $0.contains("/a.jpg") }.count))
      try await bench.stop(daemon)
      #expect(bench.names("state/originals/1").isEmpty, "a failed photo leaves no original")
    }
  }

  @Test func `urgent photos of a list come first, and its retry list keeps the classes`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("[Filter]", with: "Connections=1\n[Filter]")
    try await DaemonBench.use(settings: settings) { bench in
      let urls = try bench.serveSamples(60)
      var photos = urls.enumerated().map { place, url in
        photo("Photo \(place)", url, place < 40 ? [] : [("QualityOfService", "userInteractive")])
      }
      let missing = bench.origin.url("/404/x.jpg")
      photos.append(photo("Gone", missing, [("QualityOfService", "background")]))
      try bench.folder.write(list(photos), to: "root/inbox/mixed.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      let order = bench.origin.requests().compactMap { line in
        Int(line.dropFirst("GET /".count).prefix { $0.isNumber })
      }
      let early = order.prefix(30).count { $0 > 40 && $0 != 404 }
      #expect(early >= 18, "\(order)")
      let again = bench.text("failed/mixed.retry.plist") ?? ""
      #expect(again.contains("<string>background</string>"), "\(again)")
      let results = bench.text("done/mixed.result.plist") ?? ""
      #expect(results.split(separator: "<string>userInteractive</string>").count == 21)
      let shown = try await bench.start()
      #expect(try await bench.show("mixed").filtered == 60)
      try await bench.stop(shown)
    }
  }

  @Test func `an option of a photo overrides that of its list`() async throws {
    try await DaemonBench.use { bench in
      try bench.serve(SamplePictures.jpeg(width: 64, height: 64), as: "a.jpg")
      let url = bench.origin.url("/a.jpg")
      func drop(_ name: String, _ filter: String, _ own: [(String, String)]) async throws {
        let head = "<key>Filter</key><string>\(filter)</string><key>Photos</key>"
        let body = "<plist><dict>\(head)<dict>\(photo("a", url, own))</dict></dict></plist>"
        try await bench.drop(Array(body.utf8), as: "\(name).plist")
      }
      try await drop("one", "sepia(0.3)", [])
      try await drop("two", "sepia(0.9)", [("Filter", "sepia(30%)")])
      let daemon = try await bench.start()
      for name in ["one", "two"] { #expect(try await bench.wait(for: name, daemon).code == 0) }
      #expect(bench.bytes("prints/one/a.jpg") != nil)
      #expect(bench.bytes("prints/one/a.jpg") == bench.bytes("prints/two/a.jpg"))
      try await bench.stop(daemon)
    }
  }
}
