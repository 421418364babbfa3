// SPDX-License-Identifier: Apache-2.0
// The results that a list leaves when it is over, and the retry list of its failed photos.

import Foundation
import Support
import Testing

@Suite struct ResultTests {
  private struct Told: Decodable {
    let List: String
    let State: String
    let Title: String?
    let QualityOfService: String
    let Filter: String
    let Quality: String
    let Metadata: String
    let Prints: String
    let PhotosFiltered: Int
    let PhotosFailed: Int
    let Photos: [Photo]

    struct Photo: Decodable {
      let Name: String
      let URL: String
      let State: String
      let Attempts: Int
      let Print: String?
      let Bytes: Int?
      let Width: Int?
      let Code: String?
    }

    var options: [String?] { [Title, QualityOfService, Filter, Quality, Metadata] }
  }

  private func told(_ bench: DaemonBench, _ path: String) throws -> Told {
    try PropertyListDecoder().decode(Told.self, from: Data(#require(bench.bytes(path))))
  }

  @Test func `the results describe every photo, and the retry list can be dropped`() async throws {
    try await DaemonBench.use { bench in
      let good = try bench.serveSamples(1)[0]
      let photos = [
        ("Hills", good), ("Lost", bench.origin.url("/late.jpg?key=1")), ("Nothing", ""),
      ]
      let options = [("Title", "Bed & breakfast"), ("Filter", "sepia(0.6)"), ("Quality", "70")]
      try await bench.drop(PhotoListText.array(photos, options: options), as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      let result = try told(bench, "done/summer.result.plist")
      #expect(try bench.mode("done/summer.result.plist") == 0o600)
      #expect(result.List == "summer" && result.State == "finished")
      #expect(result.Title == "Bed & breakfast")
      #expect(result.Filter == "sepia(0.6)")
      #expect(result.PhotosFiltered == 1 && result.PhotosFailed == 2)
      let photosTold = result.Photos
      #expect(photosTold.map { $0.Name } == ["Hills", "Lost", "Nothing"])
      #expect(photosTold.map { $0.State } == ["filtered", "failed", "failed"])
      let print = "\(result.Prints)/\(photosTold[0].Print ?? "")"
      #expect(FileManager.default.contents(atPath: print)?.count == photosTold[0].Bytes)
      #expect(photosTold[0].Width == 24 && photosTold[0].Attempts == 1)
      #expect(photosTold[1].Code == "http.404")
      #expect(photosTold[1].URL == photos[1].1)
      #expect(photosTold[2].Code == "list.entry")

      // The missing photo exists now. The retry list continues its list: the same name, folder and photos.
      let again = try #require(bench.bytes("failed/summer.retry.plist"))
      try bench.serve(SamplePictures.jpeg(width: 8, height: 8), as: "late.jpg")
      let asked = bench.origin.requests().count
      try await bench.drop(again, as: "summer.retry.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      #expect(bench.names("prints") == ["summer"])
      #expect(bench.names("prints/summer").contains("Lost.jpg"))
      let second = try told(bench, "done/summer~2.result.plist")
      #expect(second.options == result.options)
      #expect(second.Photos.map { $0.State } == ["filtered", "filtered", "failed"])
      #expect(bench.bytes("done/summer~2.plist") == bench.bytes("done/summer.plist"))
      #expect(bench.origin.requests().count == asked + 1, "no second download of a print")
      #expect(bench.names("failed") == ["summer.retry.plist"], "nothing is left to try again")
    }
  }

  @Test func `the retry list keeps the options of each photo`()
    async throws
  {
    try await DaemonBench.use { bench in
      let sum = String(repeating: "ab", count: 32)
      let good = try bench.serveSamples(1)[0]
      let list = """
        <plist><dict><key>Hills</key><string>\(good)</string>
        <key>Lake</key><dict><key>URL</key><string>\(good)</string>
        <key>Filter</key><string>sepia(0.3)</string><key>Quality</key><integer>60</integer>
        <key>Metadata</key><string>strip</string><key>SHA256</key><string>\(sum)</string>
        </dict></dict></plist>
        """
      try await bench.drop(Array(list.utf8), as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      let again = try #require(bench.text("failed/summer.retry.plist"))
      #expect(!again.contains("Hills"))
      for text in ["Lake", "sepia(0.3)", "<string>60</string>", "strip", sum] {
        #expect(again.contains(text), "\(text) in \(again)")
      }
      // Corrected and dropped under the first name, it adds to the prints that exist.
      let corrected = again.replacing("<key>SHA256</key>", with: "")
        .replacing("<string>\(sum)</string>", with: "")
      try await bench.drop(Array(corrected.utf8), as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/summer") == ["Hills.jpg", "Lake.jpg"])
    }
  }

  @Test func `the results of a cancelled list describe what was done until then`() async throws {
    try await DaemonBench.use { bench in
      let good = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      let photos = [("Hills", good), ("Late", bench.origin.url("/1.jpg?gate=never"))]
      try await bench.drop(photos, as: "summer.plist")
      try await daemon.says("Filtered 'Hills'")
      await bench.origin.arrivals(at: "never")
      #expect(try await bench.tool("cancel", "summer").code == 0)
      try await bench.until("the copy in done") { !bench.copies.isEmpty }
      let result = try told(bench, "done/summer.result.plist")
      #expect(result.State == "cancelled")
      let photosTold = result.Photos
      #expect(photosTold.map { $0.State } == ["filtered", "new"])
      #expect(bench.names("failed").isEmpty)
      try await bench.stop(daemon)
    }
  }

  @Test func `a list that ends in .PLIST has its results beside it, too`()
    async throws
  {
    try await DaemonBench.use { bench in
      let good = try bench.serveSamples(1)[0]
      try await bench.drop([("Hills", good)], as: "A & B.PLIST")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("done") == ["A & B.PLIST", "A & B.result.plist"])
      #expect(try told(bench, "done/A & B.result.plist").List == "A & B")
    }
  }
}
