// SPDX-License-Identifier: Apache-2.0
// The effects of a list's life, on real folders and with real chains.

import Catalog
import Chain
import Download
import Files
import Linux
import Record
import Return
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListWorkTests {
  private let list = ListID(1)

  private func photo(_ number: UInt32) -> PhotoID { PhotoID(list: list, number: number) }

  // MARK: the record

  @Test func `each turn is recorded; one against the rules is overtaken`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      let work = bench.work
      #expect(work.isOpen(list) && !work.isOpen(ListID(9)))
      for (turn, state) in [
        (.paused, .paused), (.resumed, .accepted), (.quality(.background), .accepted),
      ] as [(ListLife.Turn, ListState)] {
        #expect(await work.record(turn, of: list, by: nil) == nil && bench.state(list) == state)
      }
      #expect(
        await work.record(.finished, of: list, by: nil) == .overtaken, "a photo has work left")
      #expect(await work.record(.cancelled, of: list, by: nil) == nil && !work.isOpen(list))
      #expect(await work.record(.paused, of: list, by: nil) == .overtaken)
    }
  }

  @Test func `a record that has closed is answered as cancelled`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      await bench.recorder.close()
      #expect(await bench.work.record(.paused, of: list, by: nil) == .cancelled)
    }
  }

  // MARK: before the chains

  @Test func `a list takes over what its predecessor has filtered, and tells it`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 2))
      try await bench.develop(photo(2), print: "Photo 2.jpg")
      try await bench.recorder.record([.cancelled(list)])
      try await bench.add(2, .revising(1, count: 2))
      #expect(await bench.work.takeOver(ListID(2)) == nil)
      #expect(bench.state(PhotoID(list: ListID(2), number: 2)) == .filtered)
      #expect(bench.told.holds("List 'barn': 1 of 2 photos filtered."))
    }
  }

  @Test func `takeovers of one user follow each other, beside the one of another user`()
    async throws
  {
    try TestHomes.settle()
    try await PartBench.use { bench in
      for (earlier, owner) in [(1, 1000), (3, 1001)] as [(UInt64, UInt32)] {
        let name = owner == 1000 ? "Barn" : "Cow"
        var samples = [SampleList(), SampleList.revising(earlier)]
        for place in samples.indices {
          samples[place].owner = owner
          samples[place].name = "\(owner).plist"
          samples[place].photos = [(name, "https://photos.example.org/\(owner).jpg")]
        }
        try await bench.add(earlier, samples[0])
        try await bench.develop(
          PhotoID(list: ListID(earlier), number: 1), print: "\(name).jpg")
        try await bench.recorder.record([.cancelled(ListID(earlier))])
        try await bench.add(earlier + 1, samples[1])
      }
      let (work, begun, end) = (bench.work, EventBoard(false), EventBoard(false))
      async let long: Void = work.takeovers.run(of: 1000) {
        begun.change { $0 = true }
        _ = await end.wait { $0 }
      }
      #expect(await begun.wait { $0 })
      let next = Task { await work.takeOver(ListID(2)) }
      #expect(
        try await Patience.sees { work.takeovers.turns.withLock { $0.waiting[1000]?.count } == 1 })
      #expect(await work.takeOver(ListID(4)) == nil)
      #expect(bench.state(PhotoID(list: ListID(4), number: 1)) == .filtered)
      #expect(bench.state(PhotoID(list: ListID(2), number: 1)) == .new)
      end.change { $0 = true }
      await long
      #expect(await next.value == nil)
      #expect(bench.state(PhotoID(list: ListID(2), number: 1)) == .filtered)
    }
  }

  @Test func `originals stay until an open revision has taken them over`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 1))
      let originals = bench.folders.originals
      let home = FileName(number: 1)
      let folder = try originals.folder(home, creating: true)
      let file = try folder.open(Original.name(of: photo(1)), .create)
      try file.write([7], at: 0)
      let contents = Contents(size: 1, hash: 7)
      try await bench.recorder.record(
        [.downloaded(photo(1), contents)], after: [.stand(file, in: folder)])
      try await bench.recorder.record([.cancelled(list)])
      try await bench.add(2, .revising(1, count: 1))
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try originals.has(home))
      #expect(await bench.work.takeOver(ListID(2)) == nil)
      #expect(bench.state(PhotoID(list: ListID(2), number: 1)) == .downloaded)
      #expect(try !originals.has(home))
      #expect(bench.recorder.ledger { $0.bequests[list] }.isEmpty)
    }
  }

  @Test func `a cancelled list leaves no drafts among the prints`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 1))
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: true)
      for name in [".1-1.print", ".2-1.print", ".11-1.print", "Photo 1.jpg"] {
        _ = try prints.open(FileName(made: name), .create)
      }
      try await bench.recorder.record([.cancelled(list)])
      #expect(await bench.work.giveBack(list) == nil)
      let names = try prints.names().map { "\($0)" }
      #expect(Set(names) == [".2-1.print", ".11-1.print", "Photo 1.jpg"])
    }
  }

  @Test func `a revision that is cancelled before it took over leaves no originals`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 1))
      let originals = bench.folders.originals
      _ = try originals.folder(FileName(number: 1), creating: true)
      try await bench.recorder.record([.cancelled(list)])
      try await bench.add(2, .revising(1, count: 1))
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try originals.has(FileName(number: 1)))
      try await bench.recorder.record([.cancelled(ListID(2))])
      #expect(await bench.work.giveBack(ListID(2)) == nil)
      #expect(try !originals.has(FileName(number: 1)))
    }
  }

  @Test func `a list without a predecessor takes over nothing; a lost one is a failure`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1)
      #expect(await bench.work.takeOver(list) == nil)
      _ = try bench.folders.prints.folder(FileName(literal: "barn"), creating: true)
      try await bench.add(3, .revising(2))
      #expect(await bench.work.takeOver(ListID(3))?.code == "list.gone")
    }
  }

  @Test func `an opened list waits in the chains until it is resumed`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.addBarn(2)
      bench.photos.chains.suspendDownloads(false)
      try await bench.chaining { events in
        let work = bench.work
        #expect(await work.open(list) == nil)
        #expect(await work.open(ListID(2)) == nil)
        work.resumeChains(ListID(2))
        let isOtherDone = await events.wait { $0.contains(.done(ListID(2))) }
        #expect(isOtherDone && bench.state(photo(1)) == .new)
        work.resumeChains(list)
        let isDone = await events.wait { $0.contains(.done(ListID(1))) }
        #expect(isDone && bench.state(photo(1)) == .filtered)
        // Opened again, it has nothing left to do.
        #expect(await work.open(list) == nil)
        work.dropChains(list)
        await work.idle(list)
      }
    }
  }

  @Test func `a paused list begins no photo`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.addBarn(2)
      try await bench.chaining { events in
        let work = bench.work
        bench.photos.chains.suspendDownloads(true)
        for list in [list, ListID(2)] {
          #expect(await work.open(list) == nil)
          work.resumeChains(list)
        }
        work.pauseChains(list)
        bench.photos.chains.suspendDownloads(false)
        let isOtherDone = await events.wait { $0.contains(.done(ListID(2))) }
        await work.idle(list)
        #expect(isOtherDone && bench.state(photo(1)) == .new)
      }
    }
  }

  @Test func `opening reads a label that was damaged at the start`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      bench.index.forget(list)
      try await bench.chaining { _ in
        #expect(await bench.work.open(list) == nil)
        #expect(bench.index.name(of: list) == "barn")
      }
    }
  }

  @Test func `a list that has ended, or is damaged, is not opened`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.add(2)
      try bench.folder(of: ListID(2)).remove(ListFolder.catalog)
      try await bench.recorder.record([.cancelled(list)])
      try await bench.chaining { _ in
        #expect(await bench.work.open(list) == .cancelled)
        #expect(await bench.work.open(ListID(9)) == .cancelled)
        #expect(await bench.work.open(ListID(2))?.kind == .final)
      }
    }
  }

  @Test func `photos that wait for another attempt are in the line of their class`() throws {
    let sample = SampleList(count: 4)
    let plain = CatalogPart(try CatalogFile(sample.catalog(), limits: ListLimits()))
    let lines = ListLines(.utility, owner: 1000, plain, waiting: [(number: 3, due: .seconds(9))])
    #expect(lines.serviceClass == .utility && lines.parts.count == 1)
    #expect(lines.parts[0].waiting.map(\.number) == [3])
  }

  // MARK: telling

  @Test func `troubles of a list and of its copy are separate`() async throws {
    try await PartBench.use { bench in
      let work = bench.work
      work.health(.reset, of: list)
      work.copyHealth(.missing, of: list)
      #expect(bench.health.health[.list(list)] == .reset)
      #expect(bench.health.health[.copy(list)] == .missing)
      work.health(nil, of: list)
      #expect(bench.health.health[.list(list)] == nil && bench.health.health.waitingLists == 1)
    }
  }

  @Test func `a list that is over leaves nothing in memory but its record and label`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.addBarn()
      bench.notes.failed(photo(1), .reset)
      bench.health.set(.reset, for: .list(list))
      try await bench.recorder.record([.cancelled(list)])
      bench.work.forget(list)
      #expect(!bench.lists.isKept(list) && bench.notes.failure(of: photo(1)) == nil)
      #expect(bench.health.health == Health())
      #expect(bench.index[list] != nil && bench.state(list) == .cancelled)
    }
  }
}
