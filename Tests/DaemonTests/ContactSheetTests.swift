// SPDX-License-Identifier: Apache-2.0
// The contact sheet of a list and its thumbnails, from the drop to the end.

import Foundation
import Support
import Testing
import Vocabulary

@Suite struct ContactSheetTests {
  private static func picture(_ bench: DaemonBench, _ path: String) throws -> ReadPicture {
    try #require(bench.bytes(path).flatMap { ReadPicture(jpeg: $0) }, "\(path)")
  }

  @Test func `a list that is over has a page and thumbnails beside its prints`() async throws {
    try await DaemonBench.use { bench in
      try bench.serve(SamplePictures.jpeg(width: 600, height: 400), as: "hills.jpg")
      try bench.serve(SamplePictures.png(width: 300, height: 300), as: "lake.png")
      let photos = [
        ("Hills <b>", bench.origin.url("/hills.jpg")), ("Lake", bench.origin.url("/lake.png")),
        ("Lost", bench.origin.url("/lost.jpg")), ("index", bench.origin.url("/hills.jpg?2")),
        (".sheet", bench.origin.url("/hills.jpg?3")),
      ]
      try await bench.drop(photos, as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      #expect(
        bench.all("prints/summer") == [
          "%2Esheet.jpg", ".list", ".sheet", "Hills <b>.jpg", "Lake.png", "index.html", "index.jpg",
        ])
      #expect(bench.all("prints/summer/.sheet") == ["1.jpg", "2.jpg", "4.jpg", "5.jpg"])
      let small = try Self.picture(bench, "prints/summer/.sheet/1.jpg")
      #expect(small.width == 360 && small.height == 240)
      #expect(try Self.picture(bench, "prints/summer/.sheet/2.jpg").width == 240)
      let page = try #require(bench.text("prints/summer/index.html"))
      #expect(
        page.contains(
          "<a href=\"Hills%20%3Cb%3E.jpg\"><img src=\".sheet/1.jpg\" alt=\"Hills &lt;b&gt;\""))
      #expect(page.contains("<a href=\"%252Esheet.jpg\">"))
      #expect(page.contains("<b>4 of 5</b> 1 failed"))
      #expect(page.contains("answered 404"))
      #expect(!page.contains("Load again") && !page.contains(" w\""))
      #expect(page.contains("#n1 a{background:linear-gradient(#"))
      #expect(try bench.mode("prints/summer/index.html") == 0o640)
      #expect(try bench.mode("prints/summer/.sheet") == 0o750)
      #expect(try bench.mode("prints/summer/.sheet/1.jpg") == 0o640)
    }
  }

  @Test func `a list at work has a page that can be loaded again`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      try await bench.drop([("One", urls[0]), ("Held", urls[1] + "?gate=g")], as: "summer.plist")
      try await bench.until("a page shows the first print") {
        bench.text("prints/summer/index.html")?.contains("src=\".sheet/1.jpg\"") == true
      }
      let page = try #require(bench.text("prints/summer/index.html"))
      #expect(page.contains(">Load again</a>"))
      #expect(page.contains("<li id=\"n2\" class=\"r1500 w\">"))
      #expect(page.contains("<b>1 of 2</b> running"))
      let end = try await bench.tool("sheet", "summer")
      #expect(end.code != 0 && end.errors.contains("its contact sheet is made by itself"), "\(end)")
      await bench.origin.release("g")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      // It is complete before the list is returned.
      let last = try #require(bench.text("prints/summer/index.html"))
      #expect(last.contains("<b>2 prints</b>") && !last.contains("Load again"))
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `the first page leads to the failed photos of others`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let photos = (1...502).map { number in
        let query = number == 1 ? "?gate=g" : "?\(number)"
        return ("Photo \(number)", number == 501 ? bench.origin.url("/lost.jpg") : url + query)
      }
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      let link = "Pages with failed photos <a href=\"2.html#failed\">2</a></nav>"
      try await bench.until("the first page leads to the second") {
        bench.text("prints/summer/index.html")?.contains(link) == true
      }
      #expect(bench.text("prints/summer/2.html")?.contains("Failed 1</a>") == true)
      await bench.origin.release("g")
      #expect(try await bench.wait(for: "summer", daemon).code == 1)
      for order in [[], ["sheet", "summer"]] {
        if !order.isEmpty { #expect(try await bench.tool(order).code == 0) }
        let page = try #require(bench.text("prints/summer/index.html"))
        #expect(page.contains("<b>501 of 502</b> 1 failed</p>") && page.contains(link))
      }
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `the sheet of private prints is private`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop(
        PhotoListText.array([("One", url)], options: [("Private", "yes")]), as: "closed.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(try bench.mode("prints/closed/index.html") == 0o600)
      #expect(try bench.mode("prints/closed/.sheet") == 0o700)
      #expect(try bench.mode("prints/closed/.sheet/1.jpg") == 0o600)
      // A list that was open becomes private with all that it has.
      try await bench.drop([("One", url)], as: "later.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(try bench.mode("prints/later/.sheet/1.jpg") == 0o640)
      try await bench.drop(
        PhotoListText.array([("One", url)], options: [("Private", "yes")]), as: "later.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      for path in ["index.html", ".sheet/1.jpg"] {
        #expect(try bench.mode("prints/later/\(path)") == 0o600, "\(path)")
      }
      #expect(try bench.mode("prints/later/.sheet") == 0o700)
    }
  }

  @Test func `settings and lists leave thumbnails and pages out`() async throws {
    let settings = DaemonBench.settings + "[Output]\nThumbnails=no\n"
    try await DaemonBench.use(settings: settings) { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop([("One", url)], as: "plain.plist")
      try await bench.drop(
        PhotoListText.array([("One", url)], options: [("ContactSheet", "no")]), as: "none.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.all("prints/plain") == [".list", "One.jpg", "index.html"])
      // Without a thumbnail the page shows the print.
      #expect(bench.text("prints/plain/index.html")?.contains("<img src=\"One.jpg\"") == true)
      #expect(bench.all("prints/none") == [".list", "One.jpg"])
      try bench.settings(DaemonBench.settings + "[Output]\nContactSheet=no\nThumbnails=480\n")
      try bench.serve(SamplePictures.jpeg(width: 900, height: 600), as: "large.jpg")
      try await bench.drop([("Large", bench.origin.url("/large.jpg"))], as: "tall.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.all("prints/tall") == [".list", ".sheet", "Large.jpg"])
      #expect(try Self.picture(bench, "prints/tall/.sheet/1.jpg").height == 480)
    }
  }

  @Test func `thumbnails follow their photos into a changed list`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(4)
      let names = ["One", "Two", "Three", "Four"]
      let photos = Array(zip(names, urls))
      try await bench.drop(photos, as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let before = (1...4).map { bench.bytes("prints/summer/.sheet/\($0).jpg") }
      #expect(Set(before).count == 4 && !before.contains(nil))
      // Two change places, one goes, and one is new.
      let fresh = try bench.serveSamples(5)[4]
      let changed = [photos[2], photos[1], photos[0], ("Five", fresh)]
      try await bench.drop(changed, as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.origin.requests().count == 5)
      let after = (1...4).map { bench.bytes("prints/summer/.sheet/\($0).jpg") }
      #expect(after[0] == before[2] && after[1] == before[1] && after[2] == before[0])
      #expect(after[3] != before[3])
      #expect(bench.all("prints/summer/.sheet") == ["1.jpg", "2.jpg", "3.jpg", "4.jpg"])
      let page = try #require(bench.text("prints/summer/index.html"))
      #expect(page.contains("<a href=\"Three.jpg\"><img src=\".sheet/1.jpg\""))
      #expect(!page.contains("href=\"Four.jpg\""))
      // A shorter list without a sheet leaves no page of the earlier one.
      try await bench.drop(
        PhotoListText.array([changed[0]], options: [("ContactSheet", "no")]), as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(!bench.all("prints/summer").contains("index.html"))
    }
  }

  @Test func `a sheet is made again by order`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      try await bench.drop(
        [("One", urls[0]), ("Two", urls[1]), ("Three", urls[2])], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let whole = bench.bytes("prints/summer/index.html")
      let small = bench.bytes("prints/summer/.sheet/2.jpg")
      let folder = "\(bench.root)/prints/summer"
      try FileManager.default.removeItem(atPath: "\(folder)/index.html")
      try FileManager.default.removeItem(atPath: "\(folder)/.sheet/2.jpg")
      let daemon = try await bench.start()
      let end = try await bench.tool("--json", "sheet", "summer")
      #expect(end.code == 0 && end.output.contains("\"thumbnails\":1"), "\(end)")
      #expect(end.output.contains("\"page\":\"\(folder)/index.html\""), "\(end)")
      func tiles(_ page: [UInt8]?) -> [Substring] {
        String(decoding: page ?? [], as: UTF8.self).split(separator: "\n")
          .filter { $0.hasPrefix("<li") }
      }
      #expect(tiles(bench.bytes("prints/summer/index.html")) == tiles(whole))
      let again = try Self.picture(bench, "prints/summer/.sheet/2.jpg")
      let first = try #require(small.flatMap { ReadPicture(jpeg: $0) })
      // It comes from the print, and was coded twice.
      let far = zip(again.channels, first.channels).map { abs(Int($0) - Int($1)) }.max() ?? 99
      #expect(again.width == first.width && far < 40)
      #expect(try await bench.tool("sheet", "summer").output == "\(folder)/index.html\n")
      #expect(
        bench.all("prints/summer") == [
          ".list", ".sheet", "One.jpg", "Three.jpg", "Two.jpg", "index.html",
        ])
      try FileManager.default.removeItem(atPath: folder)
      let gone = try await bench.tool("sheet", "summer")
      #expect(
        gone.code != 0 && gone.errors.contains("its prints are not there any more"), "\(gone)")
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a removed list takes its sheet along`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop([("One", url)], as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.all("prints/summer").contains(".sheet"))
      let daemon = try await bench.start()
      #expect(try await bench.tool("remove", "summer").code == 0)
      #expect(bench.names("prints").isEmpty)
      #expect(try await bench.stop(daemon).code == 0)
    }
  }
}
