// SPDX-License-Identifier: Apache-2.0
// The prints that a list takes over from an earlier one.

import Download
import Files
import Record
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct RevisionTests {
  private func revision(_ bench: DiskBench, _ list: UInt64, after earlier: UInt64) -> Revision {
    Revision(
      list: ListID(list), earlier: ListID(earlier), lists: bench.lists, recorder: bench.recorder,
      turns: UserLines())
  }

  private func photo(_ number: UInt32, of list: UInt64) -> PhotoID {
    PhotoID(list: ListID(list), number: number)
  }

  private func carry(
    _ bench: DiskBench, _ list: UInt64 = 2, after earlier: UInt64 = 1
  ) async throws -> Int {
    try await revision(bench, list, after: earlier).carry()
  }

  /// List 1, whose photos are all filtered, and which is over.
  private func earlier(_ bench: DiskBench, _ sample: SampleList) async throws {
    try await bench.add(1, sample)
    for (place, row) in sample.photos.enumerated() {
      try await bench.develop(
        photo(UInt32(place + 1), of: 1), print: "\(row.0).jpg")
    }
    try await bench.recorder.record([.cancelled(ListID(1))])
  }

  private func states(_ bench: DiskBench, _ list: UInt64, count: UInt32) -> [PhotoState?] {
    (1...count).map { bench.state(photo($0, of: list)) }
  }

  @Test func `unchanged photos keep their prints, and a second try finds nothing left`()
    async throws
  {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 300))
      try await bench.add(2, .revising(1, count: 300))
      #expect(try await carry(bench) == 300)
      #expect(states(bench, 2, count: 300).allSatisfy { $0 == .filtered })
      let row = try bench.recorder.results.row(photo(300, of: 2))
      #expect(row == .print(300))
      #expect(try await carry(bench) == 0)
    }
  }

  @Test func `a takeover that finds nothing ends when its task does`() async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 3))
      var next = SampleList.revising(1, count: 300)
      next.photos = next.photos.map { ($0.0, "\($0.1)?new") }
      try await bench.add(2, next)
      let revision = revision(bench, 2, after: 1)
      let takeover = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return try await revision.carry()
      }
      await #expect(throws: Failure.cancelled) { try await takeover.value }
    }
  }

  @Test func `a photo that moved keeps its print; one with another URL does not`() async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 3))
      var next = SampleList.revising(1, count: 3)
      next.photos = [next.photos[2], ("Photo 1", "https://photos.example.org/new.jpg")]
      try await bench.add(2, next)
      #expect(try await carry(bench) == 1)
      #expect(states(bench, 2, count: 2) == [.filtered, .new])
      #expect(try bench.recorder.results.row(photo(1, of: 2))?.photo == 1)
    }
  }

  @Test func `photos that the earlier list has not filtered are developed`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, SampleList(count: 3))
      try await bench.develop(photo(1, of: 1), print: "Photo 1.jpg")
      try await bench.recorder.record(
        [.failed(photo(2, of: 1), .download, code: "http.404", attempt: 1)],
        after: [.row(ListID(1), ResultRow(photo: 2, state: .failed, code: "http.404"))])
      try await bench.recorder.record([.cancelled(ListID(1))])
      try await bench.add(2, .revising(1, count: 3))
      #expect(try await carry(bench) == 1)
      #expect(states(bench, 2, count: 3) == [.filtered, .new, .new])
    }
  }

  @Test func `a failed photo that is not tried again stays failed, with its reason`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, SampleList(count: 4))
      try await bench.develop(photo(1, of: 1), print: "Photo 1.jpg")
      for number in 2...4 as ClosedRange<UInt32> {
        let row = ResultRow(
          photo: number, state: .failed, attempts: number, downloadMicroseconds: number - 2,
          code: "http.404", reason: "gone")
        try await bench.recorder.record(
          [.failed(photo(number, of: 1), .download, code: "http.404", attempt: number)],
          after: [.row(ListID(1), row)])
      }
      try await bench.recorder.record([.finished(ListID(1))])
      var next = SampleList.revising(1, count: 4)
      next.terms.again = NumberRanges([3]).map { .only($0) }
      try await bench.add(2, next)
      #expect(try await carry(bench) == 3)
      #expect(states(bench, 2, count: 4) == [.filtered, .failed, .new, .failed])
      let row = try #require(try bench.recorder.results.row(photo(4, of: 2)))
      #expect(row.state == .failed && row.code == "http.404" && row.reason == "gone")
      #expect(row.attempts == 4 && row.photo == 4)
      #expect(try await carry(bench) == 0)
    }
  }

  @Test func `a list that takes over all prints is known as the one that has them`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, .marked())
      try await bench.develop(photo(1, of: 1), print: "Barn.jpg")
      try await bench.recorder.record([.finished(ListID(1))])
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: false)
      let mark = try #require(SampleList.marked().terms.mark(of: ListID(1)))
      _ = try mark.put(on: prints, for: .group)
      let next = SampleList.marked { $0.terms.revises = ListID(1) }
      try await bench.add(2, next)
      #expect(try await carry(bench) == 1)
      #expect(try mark.claim(on: prints) == .later)
      #expect(try next.terms.mark(of: ListID(2))?.claim(on: prints) == .own)
    }
  }

  @Test func `no print is taken over in a folder of another list, nor one of a later list unread`()
    async throws
  {
    try await DiskBench.use { bench in
      try await bench.add(1, .marked { $0.photos = SampleList(count: 2).photos })
      for number in 1...2 as ClosedRange<UInt32> {
        try await bench.develop(photo(number, of: 1), print: "Photo \(number).jpg")
      }
      try await bench.recorder.record([.cancelled(ListID(1))])
      var next = SampleList.revising(1, count: 2)
      next.terms.line = SampleList.line
      try await bench.add(9, next)
      try bench.leaveStranger()
      #expect(try await carry(bench, 9) == 0)
      // A list of the line, which is not known, has replaced the second print.
      try bench.leaveStranger(SampleList.line)
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: false)
      try prints.removeIfThere(FileName(literal: "Photo 2.jpg"))
      try prints.put(FileName(literal: "Photo 2.jpg"), String(repeating: "q", count: 100))
      #expect(try await carry(bench, 9) == 1)
      #expect(states(bench, 9, count: 2) == [.filtered, .new])
    }
  }

  @Test(arguments: ["prints", "filter", "quality", "metadata"])
  func `other settings make other prints, so nothing is taken over`(setting: String) async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 1))
      let other = FrozenSettings(
        prints: FileName(made: setting == "prints" ? "cow" : "barn"),
        filter: setting == "filter" ? .sepia(thousandths: 1) : .standard,
        quality: setting == "quality" ? .level(50) : .source,
        metadata: setting == "metadata" ? .strip : .keep, title: "")
      _ = try bench.folders.prints.folder(other.prints, creating: true)
      try await bench.add(2, SampleList(count: 1) { $0.terms = other })
      #expect(try await carry(bench) == 0 && states(bench, 2, count: 1) == [.new])
    }
  }

  /// List 1 of three photos, whose second was downloaded when it was cancelled.
  private func downloaded(_ bench: DiskBench, size: Int = 5) async throws {
    try await bench.add(1, SampleList(count: 3))
    let home = try bench.folders.originals.folder(FileName(number: 1), creating: true)
    let file = try home.open(Original.name(of: photo(2, of: 1)), .create)
    try file.write([UInt8](repeating: 7, count: size), at: 0)
    let contents = Contents(size: 5, hash: 17)
    try await bench.recorder.record(
      [.downloaded(photo(2, of: 1), contents)], after: [.stand(file, in: home)])
    try await bench.recorder.record([.cancelled(ListID(1))])
  }

  @Test(arguments: [false, true])
  func `a photo that was only downloaded keeps its original, whatever the new settings`(
    isOther: Bool
  ) async throws {
    try await DiskBench.use { bench in
      try await downloaded(bench)
      let sample = SampleList.revising(1, count: 3)
      var other = sample
      if isOther {
        other.terms = FrozenSettings(
          prints: sample.terms.prints, filter: .sepia(thousandths: 1), title: "", revises: ListID(1)
        )
      }
      try await bench.add(2, other)
      #expect(try await carry(bench) == 1)
      #expect(states(bench, 2, count: 3) == [.new, .downloaded, .new])
      let kept = bench.recorder.ledger { $0[ListID(2)]?.originals }
      #expect(kept == [2: Contents(size: 5, hash: 17)])
      let home = try bench.folders.originals.folder(FileName(number: 2), creating: false)
      #expect(try home.status(of: Original.name(of: photo(2, of: 2))).size == 5)
      #expect(try await carry(bench) == 0)
    }
  }

  @Test func `trouble with the disk keeps the originals for the next try`() async throws {
    try await DiskBench.use { bench in
      try await downloaded(bench)
      try await bench.add(2, .revising(1, count: 3))
      bench.disk.fail(.broken(.rename))
      let failure = await #expect(throws: Failure.self) { try await carry(bench) }
      #expect(failure?.kind == .machine)
      bench.disk.fail(nil)
      #expect(try await carry(bench) == 1)
    }
  }

  @Test func `an original that is not as long as recorded, or gone, is downloaded again`()
    async throws
  {
    for isGone in [false, true] {
      try await DiskBench.use { bench in
        try await downloaded(bench, size: 4)
        if isGone { try bench.folders.removeOriginals(of: ListID(1)) }
        try await bench.add(2, .revising(1, count: 3))
        #expect(try await carry(bench) == 0)
        #expect(states(bench, 2, count: 3) == [.new, .new, .new])
      }
    }
  }

  @Test func `a print that is missing or has another size is made again`() async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 3))
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: false)
      try prints.remove(FileName(literal: "Photo 1.jpg"))
      try prints.open(FileName(literal: "Photo 2.jpg"), .write).truncate(to: 99)
      try await bench.add(2, .revising(1, count: 3))
      #expect(try await carry(bench) == 1)
      #expect(states(bench, 2, count: 3) == [.new, .new, .filtered])
    }
  }

  @Test func `without the folder of prints nothing is taken over`() async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 1))
      try bench.folders.prints.rename(
        FileName(literal: "barn"), to: bench.folders.prints, as: FileName(literal: "away"),
        replacing: false)
      try await bench.add(2, .revising(1))
      #expect(try await carry(bench) == 0)
    }
  }

  @Test func `prints of a list before the last are found, if that one was cancelled early`()
    async throws
  {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 2))
      try await bench.add(2, .revising(1, count: 2))
      try await bench.recorder.record([.cancelled(ListID(2))])
      try await bench.add(3, .revising(2, count: 2))
      #expect(try await carry(bench, 3, after: 2) == 2)
    }
  }

  @Test func `a photo that was changed and changed back is developed again`() async throws {
    try await DiskBench.use { bench in
      func list(_ number: UInt64, _ url: String, of letter: Character) async throws {
        var sample = SampleList.revising(number == 1 ? nil : number - 1, count: 2)
        sample.photos[0].1 = "https://photos.example.org/\(url).jpg"
        try await bench.add(number, sample)
        if number > 1 { #expect(try await carry(bench, number, after: number - 1) == 1) }
        try await bench.develop(photo(1, of: number), print: "Photo 1.jpg", of: letter)
        if number == 1 { try await bench.develop(photo(2, of: 1), print: "Photo 2.jpg") }
        try await bench.recorder.record([.finished(ListID(number))])
      }
      // The prints of both have the same length.
      try await list(1, "red", of: "r")
      try await list(2, "blue", of: "b")
      try await list(3, "red", of: "r")
      let row = try bench.recorder.results.row(photo(1, of: 3))
      #expect(row == .print(1, of: "r"))
    }
  }

  @Test func `a row without a record keeps no print that another list has left there`()
    async throws
  {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 2))
      var changed = SampleList.revising(1, count: 2)
      changed.photos[0].1 = "https://photos.example.org/blue.jpg"
      try await bench.add(2, changed)
      #expect(try await carry(bench) == 1)
      // A crash came between the row and the rename of the print.
      try await bench.recorder.record([.cancelled(ListID(2))])
      let rows = try bench.folder(of: ListID(2)).open(ListFolder.results, .ensure)
      try rows.write(ResultRow.print(1, of: "b").encoded(for: ListID(2)), at: 0)
      #expect(try bench.recorder.results.row(photo(1, of: 2)) == .print(1, of: "b"))
      var next = changed
      next.terms.revises = ListID(2)
      try await bench.add(3, next)
      #expect(try await carry(bench, 3, after: 2) == 1)
      #expect(states(bench, 3, count: 2) == [.new, .filtered])
    }
  }

  @Test func `a print keeps the row of its list if a later one did not finish it`()
    async throws
  {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 1))
      try await bench.add(2, .revising(1))
      try await bench.recorder.record([.cancelled(ListID(2))])
      let rows = try bench.folder(of: ListID(2)).open(ListFolder.results, .ensure)
      try rows.write(ResultRow.print(1, of: "b").encoded(for: ListID(2)), at: 0)
      try await bench.add(3, .revising(2))
      #expect(try await carry(bench, 3, after: 2) == 1)
      #expect(try bench.recorder.results.row(photo(1, of: 3)) == .print(1))
    }
  }

  @Test func `the prints of a list with all its records are not read`() async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 2))
      try await bench.add(2, .revising(1, count: 2))
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: false)
      // Nobody but a test makes such a print.
      try prints.open(FileName(literal: "Photo 1.jpg"), .write).write([0], at: 0)
      #expect(try await carry(bench) == 2)
    }
  }

  @Test func `a damaged row, or a damaged list before the last, costs only its own photos`()
    async throws
  {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 2))
      let rows = try bench.folder(of: ListID(1)).open(FileName(literal: "results"), .write)
      try rows.write([0xFF], at: 60)
      try await bench.add(2, .revising(1, count: 2))
      try await bench.recorder.record([.cancelled(ListID(2))])
      try await bench.add(3, .revising(2, count: 2))
      #expect(try await carry(bench, 3, after: 2) == 1)
      try bench.folder(of: ListID(1)).remove(ListFolder.about)
      try await bench.recorder.record([.cancelled(ListID(3))])
      try await bench.add(4, .revising(2, count: 2))
      #expect(try await carry(bench, 4, after: 2) == 0)
    }
  }

  @Test func `an earlier list that cannot be read raises its failure`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(2, .revising(1))
      _ = try bench.folders.prints.folder(FileName(literal: "barn"), creating: true)
      let failure = await #expect(throws: Failure.self) { try await carry(bench) }
      #expect(failure?.code == "list.gone")
    }
  }

  @Test func `a record that cannot be written raises the machine's trouble, and a retry succeeds`()
    async throws
  {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 2))
      try await bench.add(2, .revising(1, count: 2))
      bench.disk.fail(.init(.syncFile, code: SystemError.Name.noSpace.rawValue))
      let failure = await #expect(throws: Failure.self) { try await carry(bench) }
      #expect(failure?.kind == .machine)
      bench.disk.fail(nil)
      #expect(try await carry(bench) == 2)
    }
  }

  @Test func `a cancelled task records nothing`() async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 2))
      try await bench.add(2, .revising(1, count: 2))
      let revision = revision(bench, 2, after: 1)
      let failure = await Cancelled.run { () async throws(Failure) in
        _ = try await revision.carry()
      }
      #expect(failure == .cancelled && states(bench, 2, count: 2) == [.new, .new])
    }
  }

  @Test func `a long list that has ended meanwhile is left alone`() async throws {
    try await DiskBench.use { bench in
      try await earlier(bench, SampleList(count: 1))
      try await bench.add(2, .revising(1, count: 4096))
      try await bench.recorder.record([.cancelled(ListID(2))])
      await #expect(throws: Failure.cancelled) { try await carry(bench) }
    }
  }
}
