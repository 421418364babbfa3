// SPDX-License-Identifier: Apache-2.0
// Photos that cannot be downloaded or developed: each fails with its reason, and the list
// continues.

import Foundation
import Support
import Testing

@Suite struct FailedPhotoTests {
  @Test func `failed photos are shown with their reasons, and the list still finishes`()
    async throws
  {
    try await DaemonBench.use { bench in
      let good = try bench.serveSamples(1)[0]
      let picture = SamplePictures.jpeg(width: 64, height: 64)
      try bench.serve(Array(picture.prefix(picture.count / 2)), as: "cut.jpg")
      try bench.serve(Array("neither JPEG nor PNG".utf8), as: "text.jpg")
      try bench.serve(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0], as: "gif.jpg")
      let cases = [
        ("Missing", "/404/photo.jpg", "http.404"), ("Gone", "/410/photo.jpg", "http.410"),
        ("Cut", "/cut.jpg", "jpeg.truncated"), ("Text", "/text.jpg", "picture.format"),
        ("Moving", "/gif.jpg", "picture.format"), ("Page", "/html", "download.html"),
        ("Empty", "/empty", "download.empty"),
      ]
      var photos = cases.map { ($0.0, bench.origin.url($0.1)) }
      photos += [
        ("Secret", "file:///etc/hostname"), ("Odd", "gopher://127.0.0.1/a.jpg"),
        ("Nothing", "not a URL"), ("Good", good),
      ]
      try await bench.drop(photos, as: "mixed.plist")
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "mixed", daemon).code == 1)
      let list = try await bench.show("mixed")
      #expect(list.state == "finished" && list.filtered == 1 && list.failed == 10)
      let codes = Dictionary(uniqueKeysWithValues: list.photos.map { ($0.name, $0.code) })
      for (name, _, code) in cases { #expect(codes[name] == code, "\(name)") }
      #expect(codes["Secret"] == "file.refused")
      #expect(codes["Odd"] == "url.scheme")
      #expect(codes["Nothing"]?.hasPrefix("url.") == true)
      for photo in list.photos where photo.name != "Good" {
        #expect(photo.state == "failed" && !photo.reason.isEmpty && photo.print.isEmpty)
        #expect(!photo.reason.hasSuffix("."), "\(photo.reason)")
      }
      #expect(bench.names("prints/mixed") == ["Good.jpg"])
      #expect(bench.origin.requests().filter { $0.contains("/404") }.count == 1, "404 is final")
      try await bench.until("the copy in done") { bench.copies == ["mixed.plist"] }
      try await bench.stop(daemon)
      #expect(bench.names("state/originals/1").isEmpty, "a failed photo leaves no original")
    }
  }

  @Test func `a waiting photo is shown with its reason and the time of its retry`() async throws {
    try await DaemonBench.use { bench in
      try await bench.drop([("Busy", bench.origin.url("/503?after=600"))], as: "busy.plist")
      let daemon = try await bench.start()
      try await daemon.says("trying again in")
      let photo = try #require(try await bench.show("busy").photos.first)
      #expect(photo.code == "http.503" && !photo.reason.isEmpty && photo.retry > 0)
      #expect(photo.state == "new")
      await daemon.cut()
      let again = try await bench.start()
      #expect(try await bench.show("busy").photos.first?.retry == photo.retry)
      try await bench.stop(again)
    }
  }

  @Test func `this machine and private networks are refused unless the settings allow them`()
    async throws
  {
    try await DaemonBench.use(settings: "") { bench in
      let port = bench.origin.port
      let hosts = [
        "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)", "[::ffff:127.0.0.1]:\(port)",
        "0.0.0.0:\(port)", "2130706433:\(port)", "10.0.0.1", "192.168.1.1", "169.254.169.254",
        "[fe80::1]", "[fd00::1]",
      ]
      let photos = hosts.enumerated().map { ("Photo \($0)", "http://\($1)/1.jpg") }
      try await bench.drop(photos, as: "inside.plist")
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "inside", daemon).code == 1)
      for photo in try await bench.show("inside").photos {
        #expect(photo.state == "failed", "\(photo.url)")
        let codes = ["address.refused", "url.syntax"]
        #expect(codes.contains(photo.code), "\(photo.url): \(photo.code) \(photo.reason)")
      }
      #expect(bench.origin.requests().isEmpty)
    }
  }

  @Test func `a redirect leads nowhere that a list may not go itself`() async throws {
    let settings = "[Download]\nAllowNetworks=127.0.0.1/32\n"
    try await DaemonBench.use(settings: settings) { bench in
      _ = try bench.serveSamples(1)
      let target = "http://127.0.0.2:\(bench.origin.port)/1.jpg"
      try await bench.drop(
        [
          ("Elsewhere", bench.origin.url("/redirect?to=\(target)")),
          ("File", bench.origin.url("/redirect?to=file:///etc/hostname")),
          ("Here", bench.origin.url("/redirect?to=/1.jpg")),
        ], as: "led.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      #expect(bench.names("prints/led") == ["Here.jpg"])
    }
  }

  @Test func `file URLs are read beneath the folders that the settings name, and nowhere else`()
    async throws
  {
    try await DaemonBench.use { bench in
      _ = try bench.serveSamples(1)
      let photos = "\(bench.folder.path)/photos"
      try bench.folder.write(SamplePictures.jpeg(width: 8, height: 8), to: "secret/own.jpg")
      try bench.folder.link("photos/link.jpg", to: "../secret/own.jpg")
      try bench.folder.link("photos/up", to: "../secret")
      try bench.settings("[Inbox]\nQuietTime=250ms\n[Download]\nFileFolders=\(photos)\n")
      try await bench.drop(
        [
          ("Good", "file://\(photos)/1.jpg"), ("Link", "file://\(photos)/link.jpg"),
          ("Through", "file://\(photos)/up/own.jpg"),
          ("Dots", "file://\(photos)/../secret/own.jpg"),
          ("Encoded", "file://\(photos)/%2e%2e/secret/own.jpg"),
          ("Beside", "file://\(bench.folder.path)/secret/own.jpg"),
          ("Prefix", "file://\(photos)x/1.jpg"), ("None", "file://\(photos)/none.jpg"),
          ("Folder", "file://\(photos)/"),
        ], as: "files.plist")
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "files", daemon).code == 1)
      for photo in try await bench.show("files").photos {
        #expect((photo.state == "filtered") == (photo.name == "Good"), "\(photo)")
      }
      #expect(bench.names("prints/files") == ["Good.jpg"])
      #expect(bench.folder.bytes(of: "photos/1.jpg") != nil, "the original stays where it is")
    }
  }

  @Test func `a retry list that is dropped is the list that a wait for its name means`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try await bench.drop([("Late", bench.origin.url("/late.jpg"))], as: "summer.plist")
      #expect(try await bench.wait(for: "summer", daemon).code == 1)
      let again = try #require(bench.bytes("failed/summer.retry.plist"))
      try bench.serve(SamplePictures.jpeg(width: 8, height: 8), as: "late.jpg")
      try await bench.drop(again, as: "summer.retry.plist")
      #expect(try await bench.tool("wait", "summer").code == 0)
      #expect(bench.names("prints/summer") == ["Late.jpg"])
    }
  }
}
