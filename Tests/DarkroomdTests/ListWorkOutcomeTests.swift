// SPDX-License-Identifier: Apache-2.0
// The return of a list, and the outcome of its photos.

import Accept
import Files
import Linux
import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListWorkOutcomeTests {
  private let list = ListID(1)

  private func photo(_ number: UInt32) -> PhotoID { PhotoID(list: list, number: number) }

  /// Four photos: filtered, failed, failed because of its entry in the list, new.
  private func add(_ bench: PartBench) async throws {
    var sample = SampleList(count: 4)
    sample.photos[2] = ("Photo 3", "gopher://h/3")
    try await bench.add(1, sample)
    try await bench.develop(photo(1), print: "Photo 1.jpg")
    for (number, code) in [(2, "http.404"), (3, "url.scheme")] as [(UInt32, String)] {
      let row = ResultRow(
        photo: number, state: .failed, attempts: 2, code: code, reason: "it failed")
      try await bench.recorder.record(
        [.failed(photo(number), .download, code: code, attempt: 2)], after: [.row(list, row)])
    }
  }

  // MARK: outcome

  @Test func `a photo has the end that its row tells`() async throws {
    try await PartBench.use { bench in
      try await add(bench)
      try await bench.recorder.record([.cancelled(list)])
      let outcome = try bench.work.outcome(of: list)
      #expect(outcome.name == "barn" && outcome.owner == 1000 && outcome.total == 4)
      #expect(outcome.state == .cancelled && outcome.ended == bench.clock.wallTime())
      #expect(outcome.prints == "\(bench.ground.places.prints)/barn")
      let photos = try (1...4).map { try outcome.photo($0) }
      let print = PhotoOutcome.Print(
        name: "Photo 1.jpg", sha256: String(hex: ResultRow.print(1).sha256), bytes: 100, width: 4,
        height: 3)
      #expect(
        photos.map(\.ending) == [
          .filtered(print), .failed(code: "http.404", reason: "it failed", isListed: false),
          .failed(code: "url.scheme", reason: "it failed", isListed: true), .new,
        ])
      #expect(photos.map(\.attempts) == [1, 2, 2, 0] && photos[1].name == "Photo 2")
    }
  }

  @Test func `a cancelled photo whose print never appeared is new, whatever its row tells`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 2))
      for number in 1...2 as ClosedRange<UInt32> {
        try await bench.develop(photo(number), print: "Photo \(number).jpg")
      }
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: false)
      try prints.rename(
        FileName(literal: "Photo 2.jpg"), to: prints, as: FileName(literal: ".1-2.print"),
        replacing: false)
      try await bench.recorder.record([.cancelled(list)])
      let outcome = try bench.work.outcome(of: list)
      #expect(try outcome.photo(2).ending == .new)
      guard case .filtered = try outcome.photo(1).ending else {
        Issue.record("the print of photo 1 is there")
        return
      }
    }
  }

  @Test func `a damaged row is an unknown end; a finished list without a row, too`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 2))
      for number in 1...2 as ClosedRange<UInt32> {
        try await bench.develop(photo(number), print: "Photo \(number).jpg")
      }
      try await bench.recorder.record([.finished(list)])
      let rows = try bench.folder(of: list).open(FileName(literal: "results"), .write)
      try rows.write([0xFF], at: 60)
      try rows.truncate(to: 256)
      let outcome = try bench.work.outcome(of: list)
      #expect(try (1...2).map { try outcome.photo($0).ending } == [.unknown, .unknown])
      let told = bench.told.all().filter { $0.contains("The results of list 1 are incomplete: ") }
      #expect(told.count == 1, "\(told)")
    }
  }

  @Test
  func `a cancelled list with fewer rows than the record counts has unknown photos, not new ones`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 3))
      for number in 1...2 as ClosedRange<UInt32> {
        try await bench.develop(photo(number), print: "Photo \(number).jpg")
      }
      try await bench.recorder.record([.cancelled(list)])
      #expect(try bench.work.outcome(of: list).photo(3).ending == .new)
      #expect(!bench.told.holds("incomplete"))
      try bench.folder(of: list).open(ListFolder.results, .write).truncate(to: 256)
      let outcome = try bench.work.outcome(of: list)
      #expect(try outcome.photo(1).ending != .unknown)
      #expect(try (2...3).map { try outcome.photo($0).ending } == [.unknown, .unknown])
      #expect(bench.told.holds("The results of list 1 are incomplete: "))
    }
  }

  @Test func `the options of a photo are written as in a list`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 1))
      try await bench.recorder.record([.cancelled(list)])
      #expect(try bench.work.outcome(of: list).photo(1).options == PhotoOutcome.Options())
    }
  }

  @Test func `a list without a record, or without its files, has no outcome`() async throws {
    try await PartBench.use { bench in
      let unknown = #expect(throws: Failure.self) { try bench.work.outcome(of: list) }
      #expect(unknown?.kind == .final && unknown?.code == "list.gone")
      try await bench.add(1)
      try bench.folder(of: list).remove(ListFolder.catalog)
      let damaged = #expect(throws: Failure.self) { try bench.work.outcome(of: list) }
      #expect(damaged?.kind == .final)
    }
  }

  @Test func `the dropped name is unknown if about is damaged, and raised if the disk fails`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1)
      #expect(try bench.work.dropped(list).map { "\($0.name)" } == "barn.plist")
      #expect(try bench.work.dropped(ListID(9)) == nil)
      let about = try bench.folder(of: list).open(ListFolder.about, .write)
      try about.truncate(to: 5)
      #expect(try bench.work.dropped(list) == nil)
    }
  }

  // MARK: the return

  @Test func `a list goes back with its results and a retry list, and its originals go`()
    async throws
  {
    try await PartBench.use { bench in
      try await add(bench)
      try await bench.recorder.record([.cancelled(list)])
      let originals = try bench.folders.originals.folder(FileName(literal: "1"), creating: true)
      try originals.put(FileName(literal: "000000004"), "bytes")
      #expect(await bench.work.giveBack(list) == nil)
      let done = try bench.folders.done.listing()
      #expect(done.contains("barn.plist") && done.count == 2)
      #expect(try bench.folders.done.text("barn.plist")?.contains("Photo 4") == true)
      let failed = try #require(try bench.folders.failed.listing().first)
      let retry = try #require(try bench.folders.failed.text(failed))
      #expect(retry.contains("Photo 2") && !retry.contains("Photo 3"))
      #expect(try bench.folders.originals.names().isEmpty)
      #expect(try ListMarks(of: bench.folder(of: list)).isRemovable)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.folders.done.listing() == done)
    }
  }

  @Test func `a list whose files are damaged goes back without results, under its number`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      try bench.folder(of: list).open(ListFolder.about, .write).truncate(to: 5)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.folders.done.listing() == ["list-1.plist"])
      #expect(bench.told.holds("list 1 has no results in done"))
    }
  }

  @Test func `a list without its file has its results, and its copy when the file is back`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      let folder = try bench.folder(of: list)
      try folder.rename(
        ListFolder.list, to: folder, as: FileName(literal: "aside"), replacing: false)
      let failure = await bench.work.giveBack(list)
      #expect(failure?.kind == .machine && failure?.code == "list.missing")
      #expect(try bench.folders.done.listing() == ["barn.result.plist"])
      #expect(!bench.recorder.ledger { $0.isArchived(list) })
      try folder.rename(
        FileName(literal: "aside"), to: folder, as: ListFolder.list, replacing: false)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.folders.done.listing() == ["barn.plist", "barn.result.plist"])
      #expect(try ListMarks(of: folder).isReturned)
    }
  }

  @Test func `a list that was edited in its folder is not returned as the dropped one`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      let folder = try bench.folder(of: list)
      let file = try folder.open(ListFolder.list, .write)
      let text = try file.read(at: 0, upTo: 4)
      try file.write(Array("EDIT".utf8), at: 0)
      let failure = await bench.work.giveBack(list)
      #expect(failure?.kind == .machine && failure?.code == "list.changed")
      #expect(try bench.folders.done.listing() == ["barn.result.plist"])
      try file.write(text, at: 0)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.folders.done.listing() == ["barn.plist", "barn.result.plist"])
    }
  }

  @Test func `a list without its file whose results cannot be made is told once`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      let folder = try bench.folder(of: list)
      try folder.remove(ListFolder.list)
      try folder.open(ListFolder.catalog, .write).truncate(to: 5)
      for _ in 0..<2 { #expect(await bench.work.giveBack(list)?.code == "list.missing") }
      let told = bench.told.all().filter { $0.contains("list 1 has no results in done") }
      #expect(told.count == 1, "\(told)")
    }
  }

  @Test(arguments: ["about", "lists/1"])
  func `the name of a list that is over comes back when it can be read again`(
    place: String
  ) async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      let work = bench.work
      #expect(work.isPending(list))
      #expect(await work.giveBack(list) == nil && !work.isPending(list))
      // As at a start.
      bench.index.forget(list)
      let path = place == "about" ? "/state/lists/1/about" : "/state/lists/1"
      FaultPlan.set(
        .init("openat", on: "\(bench.scratch.path)/daemon\(path)", code: 13, isPermanent: true),
        for: bench.scratch.path)
      defer { FaultPlan.set(nil, for: bench.scratch.path) }
      #expect(work.isPending(list) == (place != "about") && !work.hasName(list))
      let failure = try #require(await work.giveBack(list))
      #expect(failure.kind == .machine && ListLoss(failure) == .nameless)
      work.copyHealth(failure, of: list)
      #expect(bench.told.holds("permission denied; list 1 has no name until it clears."))
      #expect(bench.health.health.lines.first?.hasPrefix("list 1 has no name: openat") == true)
      FaultPlan.set(nil, for: bench.scratch.path)
      #expect(await work.giveBack(list) == nil && !work.isPending(list) && work.hasName(list))
      #expect(bench.index.name(of: list) == "barn")
      #expect(try bench.folders.done.listing() == ["barn.plist", "barn.result.plist"])
    }
  }

  @Test(arguments: ["about", "catalog", "results"])
  func `a list one of whose files cannot be read waits for a person, and is whole afterwards`(
    file: String
  ) async throws {
    try await PartBench.use { bench in
      try await add(bench)
      try await bench.recorder.record([.cancelled(list)])
      FaultPlan.set(
        .init(
          "openat", on: "\(bench.scratch.path)/daemon/state/lists/1/\(file)", code: 13,
          isPermanent: true), for: bench.scratch.path)
      defer { FaultPlan.set(nil, for: bench.scratch.path) }
      let failure = try #require(await bench.work.giveBack(list))
      #expect(failure.kind == .machine && ListLoss(failure) == .unread, "\(failure)")
      #expect(try bench.folders.done.listing().isEmpty && bench.folders.failed.listing().isEmpty)
      FaultPlan.set(nil, for: bench.scratch.path)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.folders.done.listing() == ["barn.plist", "barn.result.plist"])
      #expect(try bench.folders.failed.listing() == ["barn.retry.plist"])
    }
  }

  @Test func `results on a bad sector cost their photos alone`() async throws {
    try await PartBench.use { bench in
      try await add(bench)
      try await bench.recorder.record([.cancelled(list)])
      FaultPlan.set(
        .init(
          "pread", on: "\(bench.scratch.path)/daemon/state/lists/1/results", code: 5,
          isPermanent: true), for: bench.scratch.path)
      defer { FaultPlan.set(nil, for: bench.scratch.path) }
      // The first attempt may have met a disk that errs for a moment.
      let failure = try #require(await bench.work.giveBack(list))
      #expect(failure.kind == .machine && ListLoss(failure) == nil, "\(failure)")
      #expect(try bench.folders.done.listing().isEmpty)
      bench.work.copyHealth(failure, of: list)
      #expect(await bench.work.giveBack(list) == nil)
      let results = try bench.folders.done.text("barn.result.plist") ?? ""
      #expect(results.contains("Photo 4") && results.contains("<string>unknown</string>"))
      #expect(bench.told.holds("the result of photo 1/1 cannot be read"))
      #expect(try ListMarks(of: bench.folder(of: list)).isReturned)
    }
  }

  @Test func `a run on a bad sector writes the results that it can read`() async throws {
    try await PartBench.use { bench in
      try await add(bench)
      try await bench.recorder.record([.cancelled(list)])
      FaultPlan.set(
        .init(
          "pread", on: "\(bench.scratch.path)/daemon/state/lists/1/results", code: 5,
          isPermanent: true), for: bench.scratch.path)
      defer { FaultPlan.set(nil, for: bench.scratch.path) }
      let entry = try #require(bench.recorder.ledger { $0[list] })
      let results = PartResults(
        path: "\(bench.scratch.path)/results.jsonl", list: entry, sha256: "", range: nil)
      _ = try results.write(bench.work)
      let bytes = try #require(bench.scratch.bytes(of: "results.jsonl"))
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 5 && lines[1].contains(#""state":"unknown""#), "\(lines)")
    }
  }

  @Test func `a list that was removed for its age is returned no more, without a word`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      try bench.folder(of: list).remove(ListFolder.list)
      #expect(await bench.work.giveBack(list)?.code == "list.missing")
      let told = bench.told.all().count
      bench.recorder.archived(list)
      try OldLists(bench.folders.lists).remove(list)
      #expect(await bench.work.giveBack(list) == nil)
      bench.recorder.forget(list)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(bench.told.all().count == told)
    }
  }

  @Test func `a return that is cancelled leaves the list for the next start`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      let work = bench.work
      let failure = await Cancelled.run { () async throws(Failure) in
        if let failure = await work.giveBack(list) { throw failure }
      }
      #expect(failure == .cancelled)
      #expect(try bench.folders.done.names().isEmpty)
      #expect(try !ListMarks(of: bench.folder(of: list)).isReturned)
      #expect(await work.giveBack(list) == nil)
    }
  }

  @Test func `a done folder that cannot be written delays the return`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      try await bench.recorder.record([.cancelled(list)])
      let place = bench.scratch.path
      FaultPlan.set(
        .init(
          "openat", on: "\(place)/daemon/done", code: SystemError.Name.readOnly.rawValue,
          isPermanent: true), for: place)
      let failure = await bench.work.giveBack(list)
      FaultPlan.set(nil, for: place)
      #expect(failure?.kind == .machine)
      #expect(try !ListMarks(of: bench.folder(of: list)).isReturned)
      #expect(await bench.work.giveBack(list) == nil)
    }
  }
}
