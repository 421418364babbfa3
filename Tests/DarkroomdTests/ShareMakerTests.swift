// SPDX-License-Identifier: Apache-2.0
// Lists of this node that are made beside the inbox: of a share, and of a list whose own node does not return it.

import Accept
import Catalog
import Cluster
import Files
import Linux
import Record
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ShareMakerTests {
  private static let list = LedgerList(7)

  private func maker(
    _ bench: PartBench, twins: Set<String> = [], isReturned: Bool = false
  ) throws -> ShareMaker {
    let sample = SampleList(count: 3)
    var terms = sample.terms
    terms.kind = .entry(FileName(literal: "origin"))
    let submission = Submission(
      origin: "origin", owner: "1000", name: Array("barn".utf8), sha256: sample.sha256,
      serviceClass: .utility, photos: 3, folder: Array("barn".utf8), terms: terms.text)
    return ShareMaker(
      ground: bench.ground,
      office: OneListOffice(
        list: Self.list, submission: submission, twins: twins, isReturned: isReturned),
      shelf: OneListShelf(sample: sample), keeper: bench.keeper, witness: bench.witness)
  }

  private func desk(_ bench: PartBench, _ maker: ShareMaker) -> EntryDesk {
    EntryDesk(maker, Settings().cluster)
  }

  private func witnessed(_ bench: PartBench) async throws -> ListID? {
    await bench.witness.flush(as: "a")
    return bench.witness.read("a").highest
  }

  @Test func `the number of a list that this node adopts is never given again`() async throws {
    try await PartBench.use { bench in
      let maker = try maker(bench)
      #expect(try await maker.adopt(Self.list) == nil)
      let list = try #require(
        bench.index.entries(of: Self.list, from: FileName(literal: "origin")).first?.list)
      #expect(bench.state(list) == .accepted && bench.index[list]?.owner == 1000)
      #expect(try await witnessed(bench) == list)
      #expect(try await maker.adopt(Self.list) == list, "it is there already")
      #expect(try await witnessed(bench) == list)
      bench.keeper.stop()
    }
  }

  @Test(arguments: [false, true])
  func `an entry with the number of a list is that list if the ledger says so`(isTwin: Bool)
    async throws
  {
    try await PartBench.use { bench in
      var terms = SampleList(count: 3).terms
      terms.kind = .entry(FileName(literal: "mine"), Self.list)
      let about = try SampleList(count: 3).about()
      bench.index.add(ListID(90), try ListLabel(about.with(terms.text)))
      let found = try await maker(bench, twins: isTwin ? ["mine"] : []).adopt(Self.list)
      #expect(found == (isTwin ? ListID(90) : nil))
      let origin = FileName(literal: "origin")
      #expect(bench.index.entries(of: Self.list, from: origin).count == (isTwin ? 1 : 2))
      bench.keeper.stop()
    }
  }

  @Test func `a list that its owner removes here is not adopted after it was returned`()
    async throws
  {
    try await PartBench.use { bench in
      let maker = try maker(bench, isReturned: true)
      #expect(try await maker.adopt(Self.list) == nil)
      #expect(bench.index.entries(of: Self.list, from: FileName(literal: "origin")).isEmpty)
      #expect(try bench.folders.lists.listing().isEmpty)
      bench.keeper.stop()
    }
  }

  @Test func `each list has a copy of its own, even if two have one number`() async throws {
    try await PartBench.use { bench in
      let share = Share(
        ShareID(list: Self.list, first: 2, epoch: 1), last: 3, serviceClass: .default,
        done: PhotoMask(count: 2))
      let stale = FileName(number: Self.list.number)
      _ = try bench.folders.copies().folder(stale, creating: true)
      let list = try await maker(bench).make(share)
      #expect(try bench.folders.copies().names() == [FileName(literal: "origin")])
      #expect(bench.index[list]?.terms.copy == FileName(literal: "origin"))
      bench.keeper.stop()
    }
  }

  @Test func `the ledger knows that a list is over before its owner removes it`() async throws {
    try await PartBench.use { bench in
      let maker = try maker(bench)
      let office = try #require(maker.office as? OneListOffice)
      _ = try await maker.adopt(Self.list)
      let list = try #require(
        bench.index.entries(of: Self.list, from: FileName(literal: "origin")).first?.list)
      try await bench.recorder.record([.cancelled(list)])
      try ListMarks.noteReturn(in: bench.folder(of: list))
      bench.recorder.archived(list)
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock, entries: desk(bench, maker))
      let run = Task { await remover.run([]) }
      let failure = await #expect(throws: Failure.self) {
        try await remover.remove(list, by: 1000)
      }
      #expect(failure?.code == "unasked")
      #expect(bench.state(list) == .cancelled && bench.index[list] != nil)
      office.ends.lists.withLock { $0 = [] }
      try await remover.remove(list, by: 1000)
      #expect(office.ends.lists.withLock { $0 } == [Self.list])
      #expect(bench.state(list) == nil && bench.index[list] == nil)
      remover.stop()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `a list whose name cannot be read stays while other nodes may have it`()
    async throws
  {
    try await PartBench.use { bench in
      let maker = try maker(bench)
      _ = try await maker.adopt(Self.list)
      let list = try #require(
        bench.index.entries(of: Self.list, from: FileName(literal: "origin")).first?.list)
      try await bench.recorder.record([.cancelled(list)])
      try ListMarks.noteReturn(in: bench.folder(of: list))
      bench.recorder.archived(list)
      bench.index.forget(list)
      let about = try bench.folder(of: list).open(ListFolder.about, .write)
      let text = try about.read(at: 0, upTo: 4096)
      try about.truncate(to: 5)
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock, entries: desk(bench, maker))
      let run = Task { await remover.run([]) }
      let failure = await #expect(throws: Failure.self) {
        try await remover.remove(list, by: 1000)
      }
      #expect(failure?.reason == "its name cannot be read, and other nodes may have it")
      #expect(bench.state(list) == .cancelled)
      // It can be read again.
      try about.write(text, at: 0)
      try #require(maker.office as? OneListOffice).ends.lists.withLock { $0 = [] }
      try await remover.remove(list, by: 1000)
      #expect(bench.state(list) == nil)
      remover.stop()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `the ledger hears last that a list without results is over, and it stays otherwise`()
    async throws
  {
    try await PartBench.use { bench in
      let maker = try maker(bench)
      let office = try #require(maker.office as? OneListOffice)
      _ = try await maker.adopt(Self.list)
      let list = try #require(
        bench.index.entries(of: Self.list, from: FileName(literal: "origin")).first?.list)
      try await bench.recorder.record([.cancelled(list)])
      let lives = Task { await bench.keeper.run(HungReturn(of: ListID(0))) }
      try await bench.keeper.ask(.cancel, of: list, by: 1000)
      while await bench.keeper.lives()?[list]?.loss == nil { await Task.yield() }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock, entries: desk(bench, maker))
      let run = Task { await remover.run([]) }
      let index = bench.index
      // It is withdrawn then, and not adopted anew meanwhile.
      office.ends.onEnd { (try? await maker.adopt(Self.list)) == list && index[list] == nil }
      let failure = await #expect(throws: Failure.self) {
        try await remover.remove(list, by: 1000)
      }
      #expect(failure?.code == "unasked" && bench.state(list) == .cancelled)
      #expect(bench.index[list] != nil && bench.index.reserved(list) == nil)
      while await bench.keeper.lives()?[list]?.loss == nil { await Task.yield() }
      office.ends.lists.withLock { $0 = [] }
      try await remover.remove(list, by: 1000)
      #expect(office.ends.lists.withLock { $0 } == [Self.list] && bench.state(list) == nil)
      #expect(office.ends.withdrawn.withLock { $0 } == [true, true])
      remover.stop()
      await run.value
      bench.keeper.stop()
      await lives.value
    }
  }

  @Test func `a silent ledger holds up the removals of its list alone`() async throws {
    try await PartBench.use { bench in
      let maker = try maker(bench)
      let office = try #require(maker.office as? OneListOffice)
      _ = try await maker.adopt(Self.list)
      let list = try #require(
        bench.index.entries(of: Self.list, from: FileName(literal: "origin")).first?.list)
      try await bench.recorder.record([.cancelled(list)])
      // A later list of the same name, and a list of another name.
      let (later, other) = (ListID(8), ListID(9))
      try await bench.add(8, SampleList { $0.terms.kind = .entry(FileName(literal: "later")) })
      try await bench.add(9, SampleList { $0.terms.prints = FileName(literal: "lake") })
      for list in [later, other] {
        try await bench.recorder.record([.cancelled(list)])
        try ListMarks.noteReturn(in: bench.folder(of: list))
        bench.recorder.archived(list)
      }
      let lives = Task { await bench.keeper.run(HungReturn(of: ListID(0))) }
      try await bench.keeper.ask(.cancel, of: list, by: 1000)
      while await bench.keeper.lives()?[list]?.loss == nil { await Task.yield() }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, bench.keeper, bench.narrator, bench.health,
        clock: bench.clock, entries: desk(bench, maker))
      let run = Task { await remover.run([]) }
      func remove(_ list: ListID) -> Task<String?, Never> {
        Task.immediate { () -> String? in
          do throws(Failure) { try await remover.remove(list, by: 1000) } catch {
            return error.reason
          }
          return nil
        }
      }
      office.ends.hold()
      let first = remove(list)
      #expect(try await Patience.sees { office.ends.isHeld })
      let answers = [remove(later), remove(other)]
      #expect(try await Patience.sees { bench.state(other) == nil })
      #expect(bench.state(list) == .cancelled && bench.state(later) == .cancelled)
      office.ends.release()
      #expect(await first.value == "no test asks this")
      // It takes the first one along, which is still there.
      #expect(await answers[0].value?.contains("list \(list) ") == true)
      #expect(await answers[1].value == nil)
      #expect(bench.state(list) == .cancelled && bench.state(later) == .cancelled)
      remover.stop()
      await run.value
      bench.keeper.stop()
      await lives.value
    }
  }

  @Test func `the ledger is told of the end of a list whose number never came back`() async throws {
    try await PartBench.use { bench in
      var terms = SampleList(count: 3).terms
      terms.kind = .entry(FileName(literal: "mine"))
      for (twins, told) in [([], []), (["mine"], [Self.list])] as [(Set<String>, [LedgerList])] {
        let maker = try maker(bench, twins: twins)
        let office = try #require(maker.office as? OneListOffice)
        office.ends.lists.withLock { $0 = [] }
        try await desk(bench, maker).returned(terms)
        #expect(office.ends.lists.withLock { $0 } == told)
      }
    }
  }

  @Test func `the number of a share is never given to a list that users see`() async throws {
    try await PartBench.use { bench in
      let share = Share(
        ShareID(list: Self.list, first: 2, epoch: 1), last: 3, serviceClass: .default,
        done: PhotoMask(count: 2))
      let list = try await maker(bench).make(share)
      #expect(bench.index.isShare(list) && bench.state(list) == .accepted)
      #expect(try await witnessed(bench) == list)
      bench.keeper.stop()
    }
  }
}

/// Has the files of one list.
private struct OneListShelf: ListShelf {
  let sample: SampleList

  func writeTrouble(through state: any Folder) -> Failure? { nil }

  func put(_ list: any Folder, as origin: FileName) throws(Failure) {}

  func fetch(_ origin: FileName, into folder: any Folder) throws(Failure) {
    let bytes = (try? sample.catalog().bytes) ?? []
    try asMachine { () throws(SystemError) in
      try folder.open(ListFolder.list, .create).write(sample.bytes, at: 0)
      try folder.open(ListFolder.catalog, .create).write(bytes, at: 0)
      _ = try folder.open(OpenList.collisionsName, .create)
    }
  }

  func differs(
    from list: any Folder, as origin: FileName, reading: Bool, through state: any Folder
  ) throws(Failure) -> Bool { false }

  func renew(_ list: any Folder, as origin: FileName) throws(Failure) {}

  func size(of origin: FileName) throws(Failure) -> UInt64 { UInt64(sample.bytes.count) }
  func remove(_ origin: FileName) throws(Failure) {}
  func mark(through state: any Folder) throws(Failure) -> String? { nil }
  func mark(with text: String, through state: any Folder) throws(Failure) {}
  func sweep() throws(Failure) {}
}
