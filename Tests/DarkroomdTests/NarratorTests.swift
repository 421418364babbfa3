// SPDX-License-Identifier: Apache-2.0
// The notices about photos and lists, in the words that people read.

import Cluster
import Linux
import Record
import Report
import Steer
import Support
import Testing
import Vocabulary

@testable import Chain
@testable import darkroomd

@Suite struct NarratorTests {
  private let list = ListID(1)
  private let developed = Developed(format: .jpeg, width: 4, height: 3, size: 100)

  @Test func `the turns of a list are told with its counts`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, .revising(nil, count: 2))
      try await bench.add(2, .revising(1))
      let narrator = bench.narrator()
      narrator.accepted(list)
      narrator.accepted(ListID(2))
      try await bench.develop(PhotoID(list: list, number: 1), print: "Photo 1.jpg")
      for turn in [.paused, .resumed, .quality(.utility), .cancelled, .finished] as [ListLife.Turn]
      {
        narrator.changed(list, turn, by: nil)
      }
      #expect(
        bench.told.all() == [
          "Accepted list 'barn': 2 photos.",
          "Accepted list 'barn': 1 photo; it takes over from list 1.",
          "Paused list 'barn': 1 of 2 photos filtered; it waits until it is resumed.",
          "Resumed list 'barn': 1 of 2 photos filtered.",
          "List 'barn' is now in class default: 1 of 2 photos filtered.",
          "Cancelled list 'barn': 1 of 2 photos filtered; finished prints stay.",
          "Finished list 'barn': 1 of 2 photos filtered.",
        ])
    }
  }

  @Test func `a list without a label or a record is told by its number`() async throws {
    try await DiskBench.use { bench in
      bench.narrator().changed(ListID(7), .cancelled, by: nil)
      #expect(bench.told.holds("'list 7'"))
    }
  }

  @Test func `progress is told every few seconds, and every change rings`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let narrator = bench.narrator()
      narrator.accepted(list)
      let seen = bench.changes.version
      for _ in 0..<12 {
        bench.clock.advance(by: .seconds(1))
        narrator.progress(list)
      }
      #expect(bench.changes.version >= seen + 12)
      #expect(bench.told.all().count { $0.hasPrefix("List 'barn'") } == 2)
      narrator.forget(list)
      narrator.progress(list)
      #expect(bench.told.all().count { $0.hasPrefix("List 'barn'") } == 3)
    }
  }

  @Test func `the ends of a photo are told, and count as progress`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let narrator = bench.narrator()
      narrator.filtered(
        try bench.work(), developed, print: FileName(literal: "Barn.jpg"), StageTime())
      narrator.failed(try bench.work(), .download, .missing, StageTime())
      narrator.failed(try bench.work(state: .downloaded), .filter, .missing, StageTime())
      let lines = bench.told.all()
      #expect(lines[0] == "Filtered 'Barn' of list 'barn': 4 × 3 jpeg, 100 bytes.")
      #expect(lines[1].hasPrefix("List 'barn': 0 of 1"))
      let words =
        "Could not download 'Barn' of list 'barn' from photos.example.org: the server answered 404"
      #expect(lines[2].contains(words))
      #expect(lines[3].contains("Could not filter 'Barn' of list 'barn': the server answered 404"))
    }
  }

  private static func share() throws -> SampleList {
    let mark = try #require(ShareMark(text: "9/1/1/1"))
    let photos = try #require(NumberRanges(text: "1"))
    return SampleList { $0.terms.kind = .share(mark, photos, of: FileName(number: 9)) }
  }

  @Test func `the ends of a share's photos are told where its list was dropped, not here`()
    async throws
  {
    try await DiskBench.use { bench in
      try await bench.add(1, try Self.share())
      try FolderShelf.copy(
        from: bench.folder(of: list),
        to: bench.folders.copies().folder(FileName(number: 9), creating: true))
      let narrator = bench.narrator()
      let seen = bench.changes.version
      narrator.filtered(
        try bench.work(), developed, print: FileName(literal: "Barn.jpg"), StageTime())
      narrator.failed(try bench.work(), .download, .missing, StageTime())
      #expect(bench.told.all().isEmpty, "the ledger has none of them")
      #expect(bench.changes.version >= seen + 2)
    }
  }

  @Test func `a retry and the death of a worker are told, and ring`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let narrator = bench.narrator()
      let seen = bench.changes.version
      narrator.retrying(try bench.work(), .download, .reset, after: .seconds(8))
      narrator.retrying(try bench.work(state: .downloaded), .filter, .died, after: .seconds(8))
      #expect(bench.changes.version == seen + 2)
      #expect(bench.told.holds("the connection broke; trying again in 8 s."))
      #expect(
        bench.told.holds(
          "A worker died while working on 'Barn' of list 'barn': the worker ended with signal 11; "
            + "trying again."))
    }
  }

  @Test func `the bytes and the pace of a list are counted until it is over`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let (narrator, work) = (bench.narrator(), try bench.work())
      narrator.downloaded(work, bytes: 100)
      narrator.downloaded(work, bytes: 20)
      #expect(narrator.paces.pace(of: work.photo.list, at: .zero) == ListPace(bytes: 120))
      narrator.forget(work.photo.list)
      #expect(narrator.paces.pace(of: work.photo.list, at: .zero) == ListPace())
    }
  }

  @Test(arguments: [true, false])
  func `transitions are told only if the settings ask for them`(isAsked: Bool) async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      var settings = Settings.Report()
      settings.transitions = isAsked
      let seen = bench.changes.version
      bench.narrator(settings).downloaded(try bench.work(), bytes: 100)
      #expect(bench.changes.version == seen + 1)
      #expect(bench.told.holds("Photo 'Barn' of list 'barn': new → downloaded.") == isAsked)
    }
  }

  @Test func `a host that closes and opens is told with its times`() throws {
    let wish = Failure(.passing, code: "http.503", reason: "it answered 503", waitSeconds: 30)
    var window = HostWindow()
    _ = window.start(now: .zero)
    let end = window.end(.failed(wish), isProbe: false, now: .seconds(10), most: 6, jitter: 0)
    let closed = Admission.HostNews(name: "h", news: try #require(end))
    #expect(
      Notice.host(closed, now: .seconds(20)) == .hostClosed("h", wish, retryAfter: .seconds(20)))
    #expect(Notice.host(closed, now: .seconds(50)) == .hostClosed("h", wish, retryAfter: .zero))
    let isProbe = window.start(now: .zero)
    let answer = window.end(.answered, isProbe: isProbe, now: .seconds(90), most: 6, jitter: 0)
    let opened = Admission.HostNews(name: "h", news: try #require(answer))
    #expect(Notice.host(opened, now: .seconds(100)) == .hostReopened("h", after: .seconds(90)))
  }
}
