// SPDX-License-Identifier: Apache-2.0
// The property lists beside the copy of a list: its results, and the photos that failed.

import Files
import Foundation
import Linux
import Support
import Testing
import Vocabulary

@testable import Return

@Suite struct ListResultsTests {
  static let print = PhotoOutcome.Print(
    name: "Hills.jpg", sha256: String(repeating: "ab", count: 32), bytes: 5_000_000_000,
    width: 40, height: 30)

  /// Three photos: one with a print, one that failed, one that is wrong in the list itself.
  static func outcome(
    _ list: ListID, name: String = "barn", state: ListState = .finished,
    photos: [PhotoOutcome] = photos
  ) -> ListOutcome {
    ListOutcome(
      list: list, name: name, title: "Bed & <breakfast>\r\n", owner: 1000, state: state,
      accepted: 1_709_251_199_000, ended: 1_709_251_200_999, serviceClass: .utility,
      filter: .standard, quality: .source, metadata: .copyright, prints: "/prints/barn",
      total: UInt32(photos.count)
    ) { photos[Int($0) - 1] }
  }

  static let photos = {
    var hills = PhotoOutcome(
      name: "Hills", url: "http://a/1.jpg?key=x&y", ending: .filtered(print))
    hills.attempts = 2
    hills.queuedMicroseconds = 1
    hills.downloadMicroseconds = 1_500_000
    hills.filterMicroseconds = 20
    hills.outputMicroseconds = 4_294_967_295
    var lake = PhotoOutcome(
      name: "Lake", url: "http://me:word@a/2.jpg",
      ending: .failed(code: "http.404", reason: "gone", isListed: false))
    lake.attempts = 1
    let nameless = PhotoOutcome(
      name: "", url: "", ending: .failed(code: "list.entry", reason: "no name", isListed: true))
    return [hills, lake, nameless]
  }()

  @Test func `results and retry list are written once, whichever step is killed`() async throws {
    var steps = 0
    var expected: [String]?
    while true {
      steps += 1
      let bench = try ReturnBench("a end")
      bench.cut.set(.kill, at: steps)
      _ = try? await bench.giveBack { Self.outcome(ListID(1)) }
      let step = bench.cut.step
      if try bench.done.has(ReturnBench.name) {
        #expect(try bench.done.listing().contains("barn.result.plist"), "\(step ?? "end")")
        #expect(try bench.failed.listing().contains("barn.retry.plist"), "\(step ?? "end")")
      }
      if try bench.standing().isReturned {
        #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"])
      }
      guard let step else { break }
      try bench.restart()
      try await bench.giveBack { Self.outcome(ListID(1)) }
      #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"], "\(step)")
      #expect(try bench.failed.listing() == ["barn.retry.plist"], "\(step)")
      let texts = [
        try #require(try bench.done.text("barn.result.plist")),
        try #require(try bench.failed.text("barn.retry.plist")),
      ]
      expected = expected ?? texts
      #expect(texts == expected, "\(step)")
      #expect(try bench.standing().isReturned, "\(step)")
    }
    #expect(steps > 30)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `the results are on the disk before they have their name`(seed: UInt64) async throws {
    let disk = SimulatedDisk()
    func folder(_ name: String) throws -> any Folder {
      try disk.rootFolder.folder(FileName(made: name), creating: true)
    }
    let lists = try folder("lists")
    let list = try lists.folder(FileName(number: 1), creating: true)
    try list.write(whole: Array("a end".utf8), as: ListFolder.list)
    try ListMarks.note(.claimed, in: list)
    try lists.sync()
    let (done, failed) = (try folder("done"), try folder("failed"))
    try disk.rootFolder.sync()
    let returns = ReturnFolder(done: done, failed: failed, lists: lists, groups: OwnSyncs())
    _ = try await returns.giveBack(ListID(1), named: ReturnBench.name) { Self.outcome(ListID(1)) }
    let texts = try [done.text("barn.result.plist"), failed.text("barn.retry.plist")]
    disk.crash(seed: seed)
    let after = try [
      folder("done").text("barn.result.plist"), folder("failed").text("barn.retry.plist"),
    ]
    #expect(after == texts && !texts.contains(nil))
  }

  @Test("Another program reads the results correctly")
  func readElsewhere() async throws {
    let found = try await read { Self.outcome(ListID(1)) }
    #expect(found["List"] as? String == "barn")
    #expect(found["Title"] as? String == "Bed & <breakfast>\r\n")
    #expect(found["ID"] as? Int == 1 && found["Owner"] as? Int == 1000)
    #expect(found["State"] as? String == "finished")
    #expect(found["Accepted"] as? String == "2024-02-29 23:59:59")
    #expect(found["Finished"] as? String == "2024-03-01 00:00:00")
    #expect(found["Filter"] as? String == "sepia(0.8)" && found["Quality"] as? String == "source")
    #expect(found["Metadata"] as? String == "copyright")
    #expect(found["Prints"] as? String == "/prints/barn")
    #expect(found["PhotosTotal"] as? Int == 3 && found["PhotosFailed"] as? Int == 2)
    let photos = try #require(found["Photos"] as? [[String: Any]])
    #expect(photos.map { $0["Name"] as? String } == ["Hills", "Lake", ""])
    #expect(photos[0]["URL"] as? String == "http://a/1.jpg?key=x&y")
    #expect(photos[0]["Print"] as? String == "Hills.jpg")
    #expect(photos[0]["Bytes"] as? Int == 5_000_000_000)
    #expect(photos[0]["Width"] as? Int == 40 && photos[0]["Height"] as? Int == 30)
    #expect(photos[0]["SHA256"] as? String == Self.print.sha256)
    #expect(photos[0]["DownloadSeconds"] as? Double == 1.5)
    #expect(photos[0]["OutputSeconds"] as? Double == 4294.967295)
    #expect(photos[1]["URL"] as? String == "http://a/2.jpg")
    #expect(photos[1]["State"] as? String == "failed")
    #expect(photos[1]["Code"] as? String == "http.404" && photos[1]["Attempts"] as? Int == 1)
    #expect(photos[1]["DownloadSeconds"] == nil)
    #expect(photos[2]["Reason"] as? String == "no name")
  }

  @Test("Text that XML cannot hold, and text that looks like XML, can be read back")
  func hostileText() async throws {
    let hostile =
      (0..<0x20).map { String(Character(Unicode.Scalar($0))) } + [
        "\u{7F}\u{85}\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "a\u{FFFE}b\u{FFFF}", "\u{1F600}\u{10FFFF}",
        "]]></string><string>", "&amp;", "&#0;", "<!--", "e\u{301}\u{202E}", "\r\n",
        String(repeating: "ÿ", count: 300_000),
      ]
    let photos = hostile.map { PhotoOutcome(name: $0, url: $0, ending: .new) }
    let found = try await read { Self.outcome(ListID(1), state: .cancelled, photos: photos) }
    let names = try #require(found["Photos"] as? [[String: Any]]).map { $0["Name"] as? String }
    let expected = hostile.map { text in
      String(
        String.UnicodeScalarView(
          text.unicodeScalars.map { scalar in
            let isControl = scalar.value < 0x20 && ![0x09, 0x0A, 0x0D].contains(scalar.value)
            return isControl || [0xFFFE, 0xFFFF].contains(scalar.value) ? "\u{FFFD}" : scalar
          }))
    }
    #expect(names.map { $0.map { Array($0.utf8) } } == expected.map { Array($0.utf8) })
    #expect(found["State"] as? String == "cancelled")
  }

  @Test func `all files of a list share one name, even if another list has one of them`()
    async throws
  {
    let bench = try ReturnBench()
    for number in 1...2 as ClosedRange<UInt64> {
      try bench.add(number)
      try await bench.giveBack(number) { Self.outcome(ListID(number)) }
    }
    let expected = ["barn.plist", "barn.result.plist", "barn~2.plist", "barn~2.result.plist"]
    #expect(try bench.done.listing() == expected)
    // The retry lists have the same bytes; only the results differ.
    #expect(try bench.failed.listing() == ["barn.retry.plist", "barn~2.retry.plist"])
    let status = try bench.done.status(of: FileName(literal: "barn.result.plist"))
    #expect(status.mode == 0o600)
  }

  @Test func `a list with damaged files gets its copy, and the reason why it has no results`()
    async throws
  {
    let bench = try ReturnBench("a end")
    let damage = Failure(.final, code: "catalog.damaged", reason: "it is")
    let photos = Self.photos
    let trouble = try await bench.giveBack {
      ListOutcome(
        list: ListID(1), name: "barn", title: "", owner: 1, state: .finished, accepted: 0,
        ended: 0, serviceClass: .default, filter: .standard, quality: .source, metadata: .keep,
        prints: "", total: 3
      ) { number throws(Failure) in
        if number == 3 { throw damage }
        return photos[Int(number) - 1]
      }
    }
    #expect(trouble == damage)
    #expect(try bench.done.listing() == ["barn.plist"])
    #expect(try bench.failed.listing().isEmpty)
  }

  @Test func `no copy goes back without its results while this machine is in trouble`() async throws
  {
    let bench = try ReturnBench("a end")
    let busy = Failure(.machine, code: "disk.full", reason: "full")
    await #expect(throws: busy) { try await bench.giveBack { () throws(Failure) in throw busy } }
    #expect(try bench.done.listing().allSatisfy { $0.hasPrefix(".") })
  }

  @Test(
    "The URLs in the results hold no user name and no password",
    arguments: [
      ("http://me:word@a/b@c?d@e", "http://a/b@c?d@e"), ("http://a/photos/12@N05", nil),
      ("http://me@[::1]:8/x", "http://[::1]:8/x"), ("HTTP:\\\\me:w@a/x", "HTTP:\\\\a/x"),
      ("me:word@a/x", "a/x"), ("//me:word@a/x", "//a/x"), ("http:///me:word@a/x", "http:///a/x"),
      ("http://a:b@c:d@e/x", "http://e/x"), ("not a URL", nil), ("", nil), ("@", ""),
      ("gopher://a/?m=x@y", nil),
    ])
  func credentials(_ url: String, _ shown: String?) {
    #expect(ListResults.withoutCredentials(url) == shown ?? url)
  }

  /// Gives a list back, and reads its results with Python's plistlib.
  private func read(_ outcome: @escaping OutcomeSource) async throws -> [String: Any] {
    let bench = try ReturnBench("a end")
    try await bench.giveBack(telling: outcome)
    let script = """
      import json, plistlib, sys
      print(json.dumps(plistlib.load(open(sys.argv[1], 'rb')), default=str))
      """
    let python = try HelperProcess([
      "python3", "-c", script, "\(bench.done.path)/barn.result.plist",
    ])
    python.closeInput()
    let line = try #require(python.readLine(), "plistlib cannot read it")
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(object as? [String: Any])
  }
}
