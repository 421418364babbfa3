// SPDX-License-Identifier: Apache-2.0
// Lists of this node that are made beside the inbox: of a share, and of a list whose own node does not return it.

import Accept
import Catalog
import Cluster
import Files
import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ShareMakerTests {
  private static let list = LedgerList(7)

  private func maker(_ bench: PartBench, twins: Set<String> = []) throws -> ShareMaker {
    let sample = SampleList(count: 3)
    var terms = sample.terms
    terms.origin = FileName(literal: "origin")
    let submission = Submission(
      origin: "origin", owner: "1000", name: Array("barn".utf8), sha256: sample.sha256,
      serviceClass: .utility, photos: 3, folder: Array("barn".utf8), terms: terms.text)
    return ShareMaker(
      office: OneListOffice(list: Self.list, submission: submission, twins: twins),
      shelf: OneListShelf(sample: sample), folders: bench.folders, recorder: bench.recorder,
      index: bench.index, keeper: bench.keeper, witness: bench.witness, clock: bench.clock)
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
        bench.index.entries(of: Self.list, from: FileName(literal: "origin")).first)
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
      (terms.origin, terms.ledger) = (FileName(literal: "mine"), Self.list)
      let about = try SampleList(count: 3).about()
      bench.index.add(ListID(90), try ListLabel(about.with(terms.text)))
      let found = try await maker(bench, twins: isTwin ? ["mine"] : []).adopt(Self.list)
      #expect(found == (isTwin ? ListID(90) : nil))
      let origin = FileName(literal: "origin")
      #expect(bench.index.entries(of: Self.list, from: origin).count == (isTwin ? 1 : 2))
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

  func put(_ list: any Folder, as origin: FileName) throws(Failure) {}

  func fetch(_ origin: FileName, into folder: any Folder) throws(Failure) {
    let bytes = (try? sample.catalog().bytes) ?? []
    try asMachine { () throws(SystemError) in
      try folder.open(ListFolder.list, .create).write(sample.bytes, at: 0)
      try folder.open(ListFolder.catalog, .create).write(bytes, at: 0)
    }
  }

  func size(of origin: FileName) throws(Failure) -> UInt64 { UInt64(sample.bytes.count) }
  func remove(_ origin: FileName) throws(Failure) {}
  func mark(through state: any Folder) throws(Failure) -> String? { nil }
  func mark(with text: String, through state: any Folder) throws(Failure) {}
  func sweep() throws(Failure) {}
}

/// Knows one submission; nothing else is asked.
private struct OneListOffice: ListOffice {
  let list: LedgerList
  let submission: Submission
  /// The origins of its twins.
  let twins: Set<String>

  private static let unasked = Failure(.machine, code: "unasked", reason: "no test asks this")

  func submission(of list: LedgerList) async throws(Failure) -> Submission? {
    list == self.list ? submission : nil
  }

  func submit(_ submission: Submission) async throws(Failure) -> Submitted { throw Self.unasked }
  func turn(_ reports: [ShareReport], lease: LeaseWish?) async throws(Failure) -> Turn {
    throw Self.unasked
  }
  func leaseAhead(_ photos: Int) async throws(Failure) -> [Share] { throw Self.unasked }
  func giveBack(
    _ share: ShareID, after delay: Duration, waits: [UInt8]
  ) async throws(Failure) -> Bool { throw Self.unasked }
  func pulse(_ seats: SeatRequest?) async throws(Failure) -> PulseAnswer { throw Self.unasked }
  func order(
    _ order: ListOrder, of list: LedgerList, from origin: String?
  ) async throws(Failure) -> Bool { throw Self.unasked }
  func focus(_ focus: LedgerFocus) async throws(Failure) -> FocusAnswer { throw Self.unasked }
  func focuses(on lists: [LedgerList]) async throws(Failure) -> [LedgerFocus] {
    throw Self.unasked
  }
  func lists(
    after list: LedgerList?, most: Int, isOpen: Bool
  ) async throws(Failure) -> [ListProgress] { throw Self.unasked }
  func entry(_ origin: String) async throws(Failure) -> ListProgress? {
    twins.contains(origin)
      ? ListProgress(
        list, owner: "1000", name: submission.name, folder: submission.folder,
        serviceClass: .utility, state: .finished, photos: 3, filtered: 3, failed: 0, leased: 0,
        nodes: 0) : nil
  }
  func home(of name: [UInt8], owner: String?) async throws(Failure) -> String? {
    throw Self.unasked
  }
  func outcomes(
    of list: LedgerList, from origin: String?, in photos: ClosedRange<UInt32>
  ) async throws(Failure) -> [Outcome] { throw Self.unasked }
  func nodes() async throws(Failure) -> [NodeFacts] { throw Self.unasked }
  func drain(_ node: String, _ isOn: Bool) async throws(Failure) -> Bool { throw Self.unasked }
  func closed() async throws(Failure) -> [LedgerList] { throw Self.unasked }
  func returned(_ list: LedgerList, from origin: String?) async throws(Failure) {
    throw Self.unasked
  }
  func retire(olderThan age: Duration) async throws(Failure) -> [LedgerList] { throw Self.unasked }
  func retired(_ list: LedgerList) async throws(Failure) { throw Self.unasked }
}
