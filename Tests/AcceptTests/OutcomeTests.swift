// SPDX-License-Identifier: Apache-2.0
// What is written beside the copy of a list that is over: its results, and the photos that failed.

import Foundation
import Linux
import Support
import Testing
import Vocabulary

@testable import Accept

@Suite struct OutcomeTests {
  static let print = PhotoOutcome.Print(
    name: "Hills.jpg", sha256: String(repeating: "ab", count: 32), bytes: 5_000_000_000,
    width: 40, height: 30)

  /// Three photos: one has a print, one failed, one is wrong in the list itself.
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

  static let photos = [
    PhotoOutcome(
      name: "Hills", url: "http://a/1.jpg?key=x&y", ending: .filtered(print), attempts: 2,
      queuedMicroseconds: 1, downloadMicroseconds: 1_500_000, filterMicroseconds: 20,
      outputMicroseconds: 4_294_967_295),
    PhotoOutcome(
      name: "Lake", url: "http://me:word@a/2.jpg",
      ending: .failed(code: "http.404", reason: "gone", isListed: false), attempts: 1),
    PhotoOutcome(
      name: "", url: "", ending: .failed(code: "list.entry", reason: "no name", isListed: true)),
  ]

  @Test("The results of a list and what failed of it are written once, whatever step is killed")
  func everyStep() async throws {
    try await onOwnThread {
      var steps = 0
      var expected: [String]?
      while true {
        steps += 1
        let bench = try ClaimBench()
        try bench.inbox.put(ClaimBench.name, "a end")
        try bench.settle()
        let list = try #require(bench.reception.recorded.keys.first)
        bench.cut.set(.kill, at: steps)
        let lists = CutFolder(bench.lists, bench.cut)
        try? bench.claim.archive.finish(list, in: lists) { Self.outcome(list) }
        let step = bench.cut.step
        let folder = try bench.lists.openFolder(ListFolder.name(list), creating: false)
        if try bench.done.has(ClaimBench.name) {
          #expect(try bench.done.listing().contains("barn.result.plist"), "\(step ?? "end")")
          #expect(try bench.failed.listing().contains("barn.retry.plist"), "\(step ?? "end")")
        }
        if try ListFolder.state(of: folder) == .archived {
          #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"])
        }
        guard let step else { break }
        try bench.restart()
        try bench.claim.archive.finish(list, in: lists) { Self.outcome(list) }
        #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"], "\(step)")
        #expect(try bench.failed.listing() == ["barn.retry.plist"], "\(step)")
        let texts = [
          try #require(try bench.done.text("barn.result.plist")),
          try #require(try bench.failed.text("barn.retry.plist")),
        ]
        expected = expected ?? texts
        #expect(texts == expected, "\(step)")
        #expect(try ListFolder.state(of: folder) == .archived, "\(step)")
      }
      #expect(steps > 40)
    }
  }

  @Test("Another program reads the results as they are meant")
  func readElsewhere() async throws {
    let found = try await read { bench, list in
      try bench.claim.archive.finish(list, in: bench.lists) { Self.outcome(list) }
    }
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

  @Test("Text that XML cannot hold, and text that looks like XML, is read back all the same")
  func hostileText() async throws {
    let hostile =
      (0..<0x20).map { String(Character(Unicode.Scalar($0))) } + [
        "\u{7F}\u{85}\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "a\u{FFFE}b\u{FFFF}", "\u{1F600}\u{10FFFF}",
        "]]></string><string>", "&amp;", "&#0;", "<!--", "e\u{301}\u{202E}", "\r\n",
        String(repeating: "ÿ", count: 300_000),
      ]
    let photos = hostile.map { PhotoOutcome(name: $0, url: $0, ending: .new) }
    let found = try await read { bench, list in
      try bench.claim.archive.finish(list, in: bench.lists) {
        Self.outcome(list, state: .cancelled, photos: photos)
      }
    }
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

  @Test("All files of a list share one name, also where another list has one of them")
  func shared() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      for number in 1...2 as ClosedRange<UInt64> {
        try bench.inbox.put(ClaimBench.name, "a end")
        try bench.settle()
        let list = ListID(number)
        try bench.claim.archive.finish(list, in: bench.lists) { Self.outcome(list) }
      }
      let expected = ["barn.plist", "barn.result.plist", "barn~2.plist", "barn~2.result.plist"]
      #expect(try bench.done.listing() == expected)
      // What failed is a list of the same bytes both times; only its copy tells them apart.
      #expect(try bench.failed.listing() == ["barn.retry.plist", "barn~2.retry.plist"])
      let status = try bench.done.status(of: FileName(literal: "barn.result.plist"))
      #expect(status.mode == 0o640)
    }
  }

  @Test("A list whose files are damaged gets its copy, and why there are no results is answered")
  func damaged() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "a end")
      try bench.settle()
      let damage = Failure(.final, code: "catalog.damaged", reason: "it is")
      let photos = Self.photos
      let trouble = try bench.claim.archive.copy(
        ListID(1), in: bench.lists,
        telling: {
          var outcome = Self.outcome(ListID(1))
          outcome = ListOutcome(
            list: outcome.list, name: outcome.name, title: "", owner: 1, state: .finished,
            accepted: 0, ended: 0, serviceClass: .default, filter: .standard, quality: .source,
            metadata: .keep, prints: "", total: 3
          ) { number throws(Failure) in
            if number == 3 { throw damage }
            return photos[Int(number) - 1]
          }
          return outcome
        })
      #expect(trouble == damage)
      #expect(try bench.done.listing() == ["barn.plist"])
      #expect(try bench.failed.listing().isEmpty)
      let busy = Failure(.machine, code: "disk.full", reason: "full")
      #expect(throws: busy) {
        try bench.claim.archive.copy(
          ListID(1), in: bench.lists, telling: { () throws(Failure) in throw busy })
      }
    }
  }

  @Test(
    "What is written of a URL holds no user name and no password",
    arguments: [
      ("http://me:word@a/b@c?d@e", "http://a/b@c?d@e"), ("http://a/photos/12@N05", nil),
      ("http://me@[::1]:8/x", "http://[::1]:8/x"), ("HTTP:\\\\me:w@a/x", "HTTP:\\\\a/x"),
      ("me:word@a/x", "a/x"), ("//me:word@a/x", "//a/x"), ("http:///me:word@a/x", "http:///a/x"),
      ("http://a:b@c:d@e/x", "http://e/x"), ("not a URL", nil), ("", nil), ("@", ""),
      ("gopher://a/?m=x@y", nil),
    ])
  func credentials(_ url: String, _ shown: String?) {
    #expect(OutcomeText.withoutCredentials(url) == shown ?? url)
  }

  /// Archives a list and has Python's plistlib read the results.
  private func read(
    _ archive: @escaping @Sendable (ClaimBench, ListID) throws -> Void
  ) async throws -> [String: Any] {
    let scratch = try ScratchFolder()
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "a end")
      try bench.settle()
      try archive(bench, ListID(1))
      let source = try bench.done.open(FileName(literal: "barn.result.plist"), .read)
      let target = try scratch.folder.open(FileName(literal: "result.plist"), .create)
      _ = try FileCopy.copy(source, to: target, upTo: 1 << 30, unless: { false })
    }
    let script = """
      import json, plistlib, sys
      print(json.dumps(plistlib.load(open(sys.argv[1], 'rb')), default=str))
      """
    let python = try HelperProcess(["python3", "-c", script, "\(scratch.path)/result.plist"])
    python.closeInput()
    let line = try #require(python.readLine(), "plistlib cannot read it")
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(object as? [String: Any])
  }
}
