// SPDX-License-Identifier: Apache-2.0
// The reports that people see.

import Accept
import Chain
import Download
import Record
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ViewsTests {
  private let barn = ListReference("barn")

  private func photo(_ number: UInt32, of list: UInt64 = 1) -> PhotoID {
    PhotoID(list: ListID(list), number: number)
  }

  private func show(
    _ bench: PeopleBench, from offset: UInt32 = 0, most: UInt32 = 100, _ state: SeenState? = nil
  ) async throws -> ShowReport {
    try await bench.views.show(
      ShowOrder(list: ListReference("1"), offset: offset, limit: most, state: state), for: .stranger
    )
  }

  // MARK: the daemon

  @Test func `the status counts the work, and names troubles and places`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1, SampleList(count: 3))
      let status = bench.views.status(isStopping: false, for: .root)
      #expect(status.state == "running" && status.work.lists == 1)
      #expect(status.work.photosWaiting == 3 && status.work.photosRunning == 0)
      #expect(status.prints == bench.parts.ground.places.prints)
      #expect(status.inbox == bench.parts.ground.places.inbox && status.degraded.isEmpty)
      #expect(status.since == bench.parts.clock.wallTime() && status.residentBytes > 0)
      bench.parts.health.set(.reset, for: .downloads)
      let troubled = bench.views.status(isStopping: false, for: .root)
      #expect(troubled.state == "waiting: the connection broke")
      #expect(troubled.degraded == ["the connection broke"])
      #expect(bench.views.status(isStopping: true, for: .root).state == "stopping")
    }
  }

  @Test func `the status counts the lists that wait paused, by owner`() async throws {
    try await PeopleBench.use { bench in
      for number in 1...3 as ClosedRange<UInt64> { try await bench.parts.add(number) }
      try await bench.parts.recorder.record([.paused(ListID(1)), .paused(ListID(3))])
      let work = bench.views.status(isStopping: false, for: .root).work
      #expect(work.lists == 3 && work.pausedLists == 2)
      #expect(work.paused == [PausedLists(owner: 1000, lists: 2)])
    }
  }

  @Test func `a closed host is in the status, and is the reason why its photos wait`()
    async throws
  {
    try await PeopleBench.use { bench in
      let list = try await bench.begin(1, SampleList(count: 1))
      let isClosed = await bench.closeHost(of: list)
      #expect(isClosed)
      let now = bench.parts.clock.wallTime()
      let host = try #require(bench.views.status(isStopping: false, for: .root).hosts.first)
      #expect(host.name == "photos.example.org" && host.code == "http.503")
      #expect(host.until == now + 600_000 && host.since == now)
      await bench.parts.photos.chains.idle(list)
      let waiting = try #require(try await show(bench).photos.first)
      #expect(waiting.code == "http.503" && waiting.retry == now + 600_000)
      #expect(waiting.reason.hasPrefix("it answered 503"))
    }
  }

  @Test func `without a cache all its numbers are zero`() async throws {
    try await PeopleBench.use { bench in
      #expect(
        bench.views.cache() == CacheReport(limit: 0, entries: 0, bytes: 0, hits: 0, misses: 0))
    }
  }

  // MARK: lists

  @Test func `lists are shown by number, one without a label under its number`() async throws {
    try await PeopleBench.use { bench in
      for number in [2, 10, 1] as [UInt64] {
        try await bench.parts.add(number, SampleList(count: 2) { $0.name = "a\(number).plist" })
      }
      bench.parts.index.forget(ListID(10))
      try await bench.parts.develop(photo(2), print: "Photo 2.jpg")
      let lists = try await bench.views.summaries(for: .root)
      #expect(lists.map(\.name) == ["a1", "a2", "list 10"])
      #expect(lists[0].filtered == 1 && lists[0].new == 1 && lists[0].total == 2)
      #expect(lists[0].owner == 1000 && lists[2].owner == 1000 && lists[0].state == "running")
      #expect(bench.views.isKnown(ListID(2)) && !bench.views.isKnown(ListID(3)))
      #expect(throws: ControlError.noSuchList(name: "3")) { try bench.views.summary(ListID(3)) }
    }
  }

  @Test func `a rejection of the caller is told, whatever became of files of others with the name`()
    async throws
  {
    try await PeopleBench.use { bench in
      let departures = bench.parts.departures
      departures.note(ListID(4), "barn.plist", of: 1000, rejected: "line 3: no URL")
      departures.note(ListID(5), "barn.plist", of: 1001, rejected: "it is empty")
      departures.note(ListID(6), "barn.plist", of: 1002)
      let own = bench.views.rejection(of: barn, after: 0, for: .owner)
      #expect(own?.words(for: 1000) == "line 3: no URL")
      #expect(bench.views.rejection(of: barn, after: 0, for: .stranger) == nil)
      // Many files of another user do not change that.
      for number in 7...200 as ClosedRange<UInt64> {
        departures.note(ListID(number), "\(number).plist", of: 1001, rejected: "it is empty")
      }
      let later = bench.views.rejection(of: barn, after: 3, for: .owner)
      #expect(later?.words(for: 1000) == "line 3: no URL")
      let shown = await bench.views.inboxReport(for: .owner).files
      #expect(shown.contains { $0.why == "line 3: no URL" })
    }
  }

  @Test func `a name means the list with work left`() async throws {
    try await PeopleBench.use { bench in
      for number in 1...2 as ClosedRange<UInt64> { try await bench.parts.add(number) }
      #expect(throws: ControlError.ambiguousList(name: "barn", ids: [1, 2])) {
        try bench.views.choose(barn, by: .root)
      }
      try await bench.parts.recorder.record([.cancelled(ListID(2))])
      #expect(try bench.views.choose(barn, by: .root) == ListID(1))
      #expect(throws: ControlError.noSuchList(name: "cow")) {
        try bench.views.choose(ListReference("cow"), by: .root)
      }
    }
  }

  @Test func `a name means the caller's list, whoever has used it since`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.add(2, SampleList { $0.owner = 4_000_001 })
      #expect(try bench.views.choose(barn, by: .owner) == ListID(1))
      #expect(try bench.views.choose(barn, for: .owner) == ListID(1))
      #expect(try bench.views.choose(barn, by: .stranger) == ListID(2))
      #expect(throws: ControlError.ambiguousList(name: "barn", ids: [1, 2])) {
        try bench.views.choose(barn, by: .root)
      }
    }
  }

  // MARK: photos

  @Test func `photos come page by page, and only in the wanted state`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1, SampleList(count: 5))
      try await bench.parts.develop(photo(4), print: "Photo 4.jpg")
      #expect(try await show(bench, most: 0).photos.isEmpty)
      let first = try await show(bench, most: 2)
      #expect(first.photos.map(\.number) == [1, 2] && first.more == 2)
      let last = try await show(bench, from: 2)
      #expect(last.photos.map(\.number) == [3, 4, 5] && last.more == nil)
      let filtered = try await show(bench, .filtered)
      #expect(filtered.photos.map(\.number) == [4] && filtered.more == nil)
      #expect(try await show(bench, from: .max).photos.isEmpty)
    }
  }

  @Test func `a page of long texts ends after a mebibyte, and the next one continues`() async throws
  {
    try await PeopleBench.use { bench in
      let path = String(repeating: "x", count: 16_000)
      let urls = (1...200).map { ("Photo \($0)", "https://photos.example.org/\($0)/\(path)") }
      try await bench.parts.add(1, SampleList { $0.photos = urls })
      for state in [nil, SeenState.new] {
        var (numbers, next): ([UInt32], UInt32?) = ([], 0)
        while let offset = next {
          let page = try await show(bench, from: offset, most: 1000, state)
          #expect(ControlAnswer(.answer(page)).bytes.count < 1 << 20 + 4096)
          #expect(page.photos.count <= 65 && !page.photos.isEmpty)
          numbers += page.photos.map(\.number)
          next = page.more
        }
        #expect(numbers == Array(1...200))
      }
    }
  }

  @Test func `a filtered photo has its print, a failed one its reason`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1, SampleList(count: 2))
      try await bench.parts.develop(photo(1), print: "Photo 1.jpg")
      let row = ResultRow(
        photo: 2, state: .failed, attempts: 3, code: "http.404", reason: "it answered 404")
      try await bench.parts.recorder.record(
        [.failed(photo(2), .download, code: "http.404", attempt: 3)],
        after: [.row(ListID(1), row)])
      for _ in 0..<2 {
        let photos = try await show(bench).photos
        #expect(photos.map(\.state) == ["filtered", "failed"])
        #expect(photos[0].print == "Photo 1.jpg" && photos[0].bytes == 100)
        #expect(photos[0].width == 4 && photos[0].height == 3 && photos[0].attempts == 1)
        #expect(photos[1].code == "http.404" && photos[1].reason == "it answered 404")
        #expect(photos[1].attempts == 3 && photos[1].print.isEmpty)
        // The record forgets the photos of a list that is over; their rows have the ends.
        _ = try? await bench.parts.recorder.record([.finished(ListID(1))])
      }
    }
  }

  /// Three prints and a failure; then the file of results is as `harm` leaves it.
  private func lose(
    _ end: Change?, _ bench: PeopleBench, _ harm: (any Folder) throws -> Void
  ) async throws {
    try await bench.parts.add(1, SampleList(count: 4))
    for number in 1...3 as ClosedRange<UInt32> {
      try await bench.parts.develop(photo(number), print: "Photo \(number).jpg")
    }
    let row = ResultRow(photo: 4, state: .failed, attempts: 1, code: "http.404", reason: "gone")
    try await bench.parts.recorder.record(
      [.failed(photo(4), .download, code: "http.404", attempt: 1)], after: [.row(ListID(1), row)])
    if let end { try await bench.parts.recorder.record([end]) }
    try harm(bench.parts.folder(of: ListID(1)))
  }

  @Test
  func `a photo of a finished list whose row is lost is unknown, never new, and is told once`()
    async throws
  {
    try await PeopleBench.use { bench in
      try await lose(.finished(ListID(1)), bench) { folder in
        let rows = try folder.open(ListFolder.results, .write)
        try rows.write([0xFF], at: 60)
        try rows.truncate(to: 512)
      }
      let report = try await show(bench)
      #expect(report.photos.map(\.state) == ["unknown", "filtered", "unknown", "unknown"])
      #expect(
        report.photos.map(\.code) == ["results.damaged", "", "results.lost", "results.lost"])
      #expect(report.photos[2].reason == "the result of photo 1/3 is missing")
      #expect(report.list.filtered == 3 && report.list.failed == 1)
      #expect(try await show(bench, .unknown).photos.map(\.number) == [1, 3, 4])
      #expect(try await show(bench, .new).photos.isEmpty)
      let reply = await bench.calls.handle(StatesOrder(list: barn), from: .owner)
      guard let states = reply.message(StatesReport.self) else {
        Issue.record("\(reply)")
        return
      }
      #expect(states.states == "4244")
      let told = bench.parts.told.all().filter { $0.contains("incomplete") }
      #expect(
        told == [
          "warning: The results of list 1 are incomplete: the result of photo 1/1 cannot be read."
        ])
    }
  }

  @Test func `a photo that ended in a list at work keeps its state without its row`() async throws {
    try await PeopleBench.use { bench in
      try await lose(nil, bench) { try $0.remove(ListFolder.results) }
      let photos = try await show(bench).photos
      #expect(photos.map(\.state) == ["filtered", "filtered", "filtered", "failed"])
      #expect(photos.allSatisfy { $0.code == "results.lost" && $0.sha256 == nil })
      #expect(bench.parts.told.holds("The results of list 1 are incomplete"))
    }
  }

  @Test func `a photo that a cancel found unfinished is new, and only a damaged row is unknown`()
    async throws
  {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1, SampleList(count: 2))
      try await bench.parts.develop(photo(1), print: "Photo 1.jpg")
      try await bench.parts.recorder.record([.cancelled(ListID(1))])
      #expect(try await show(bench).photos.map(\.state) == ["filtered", "new"])
      try bench.parts.folder(of: ListID(1)).open(ListFolder.results, .write).write([0xFF], at: 60)
      #expect(try await show(bench).photos.map(\.state) == ["unknown", "new"])
    }
  }

  @Test func `a photo that waits for another attempt says when and why`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      let until = bench.parts.clock.wallTime() + 8000
      try await bench.parts.recorder.record([
        .retry(photo(1), .download, code: "c", attempt: 2, after: 8000, until: until)
      ])
      bench.parts.notes.failed(photo(1), .reset)
      let waiting = try #require(try await show(bench).photos.first)
      #expect(waiting.retry == until && waiting.attempts == 2)
      #expect(waiting.code == "connect.reset" && waiting.reason == "the connection broke")
      bench.parts.clock.advance(by: .seconds(8))
      let due = try #require(try await show(bench).photos.first)
      #expect(due.retry == 0 && due.code.isEmpty)
    }
  }

  @Test func `secrets in a URL are not shown`() async throws {
    try await PeopleBench.use { bench in
      let urls = [
        "https://photos.example.org/a.jpg?key=secret", "https://me:secret@photos.example.org/a",
        "gopher://h/a?key=secret",
      ]
      try await bench.parts.add(
        1, SampleList { $0.photos = urls.enumerated().map { ("Photo \($0)", $1) } })
      let shown = try await show(bench).photos.map(\.url)
      #expect(shown.first == "https://photos.example.org/a.jpg")
      #expect(shown.count == 3 && shown.allSatisfy { !$0.contains("secret") })
    }
  }

  @Test func `a damaged list is shown without its photos`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try bench.parts.folder(of: ListID(1)).remove(ListFolder.catalog)
      #expect(try await show(bench, most: 0).list.name == "barn")
      let error = await #expect(throws: ControlError.self) { _ = try await show(bench) }
      guard case .notPossible(let why)? = error else {
        Issue.record("it is \(String(describing: error))")
        return
      }
      #expect(why.hasPrefix("its photos cannot be shown: "))
    }
  }

  // MARK: downloads

  @Test func `a watch names the running downloads and the lists with work left`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1, SampleList { $0.name = "a.plist" })
      try await bench.begin(2, SampleList { $0.photos = [("Cow", "https://h/cow")] })
      try await bench.parts.add(3)
      try await bench.parts.recorder.record([.cancelled(ListID(3))])
      #expect(!bench.views.isAtWork)
      bench.parts.photos.chains.suspendDownloads(false)
      let downloads = bench.parts.photos.downloader
      let isUnderWay = try await Patience.sees { downloads.progress().count == 2 }
      #expect(isUnderWay && bench.views.isAtWork)
      let all = try await bench.views.watch(WatchOrder(), for: .stranger)
      #expect(all.lists.map(\.id) == [1, 2])
      #expect(all.transfers.map(\.name).sorted() == ["Barn", "Cow"])
      let one = try await bench.views.watch(
        WatchOrder(list: ListReference("2")), for: .stranger)
      #expect(one.lists.map(\.id) == [2] && one.transfers.map(\.name) == ["Cow"])
      #expect(one.transfers.first?.received == 10 && one.transfers.first?.total == 40)
    }
  }

  // MARK: the inbox

  @Test func `the inbox shows the files that wait, are ignored, or left`() async throws {
    try await PeopleBench.use { bench in
      try bench.drop("new.plist")
      try bench.drop("note.doc")
      bench.parts.departures.note(ListID(4), "good.plist", of: 1000)
      bench.parts.departures.note(ListID(5), "bad.plist", of: 1000, rejected: "line 3: no URL")
      let report = await bench.views.inboxReport(for: .owner)
      #expect(report.files.map(\.name) == ["new.plist", "note.doc", "good.plist", "bad.plist"])
      #expect(report.files.map(\.fate) == ["waiting", "ignored", "accepted", "rejected"])
      #expect(report.files.map(\.list) == [0, 0, 4, 0])
      #expect(report.files[1].why == "\(IgnoredReason.suffix)" && report.more == 0)
      #expect(report.files[3].why == "line 3: no URL")
    }
  }

  @Test func `the inbox names its troubles`() async throws {
    try await PeopleBench.use { bench in
      _ = await bench.views.inboxReport(for: .owner)
      bench.parts.health.surveyed("on nfs", shortcoming: "the inbox is on nfs")
      #expect(await bench.views.inboxReport(for: .owner).trouble == "the inbox is on nfs")
    }
  }

  @Test func `of very many files in the inbox most are only counted`() async throws {
    try await PeopleBench.use { bench in
      for number in 1...1010 { try bench.drop("\(number).doc", []) }
      let report = await bench.views.inboxReport(for: .owner)
      #expect(report.files.count == 1000 && report.more == 10)
    }
  }

  @Test func `of very many files with long names a mebibyte is told`() async throws {
    try await PeopleBench.use { bench in
      let name = String(repeating: "\u{1}", count: 240)
      for number in 1...1010 { try bench.drop("\(name)\(number).doc", []) }
      let report = await bench.views.inboxReport(for: .owner)
      #expect(ControlAnswer(.answer(InboxReply(report))).bytes.count < 1 << 20 + 4096)
      #expect(report.files.count < 1000 && report.files.count + Int(report.more) == 1010)
    }
  }
}
