// SPDX-License-Identifier: Apache-2.0
// The state in memory: the effect of each transition, and the transitions that are against the
// rules.

import Record
import Support
import Testing
import Vocabulary

struct LedgerTests {
  static let one = Samples.photo(1, 1)
  static let two = Samples.photo(1, 2)
  static let some = Contents(size: 5, hash: 6)

  private func ledger(_ changes: [Change]) -> Ledger {
    var ledger = Ledger()
    for transition in Samples.at([Samples.accepted(1, photos: 3)] + changes) {
      ledger.apply(transition)
    }
    return ledger
  }

  @Test func `photos are filtered or fail, and their list is finished`() throws {
    var ledger = ledger([])
    #expect(ledger[ListID(1)]?.state == .accepted)
    ledger.apply(Transition(time: 1, .downloaded(Self.one, Self.some)))
    #expect(ledger.state(of: Self.one) == .known(.downloaded))
    #expect(ledger[ListID(1)]?.state == .running)
    #expect(ledger[ListID(1)]?.originals == [1: Self.some])
    ledger.apply(Transition(time: 2, .filtered(Self.one, Self.some)))
    ledger.apply(
      Transition(time: 3, .failed(Self.two, .download, code: "http.404", attempt: 1)))
    let refused = ledger.apply(Transition(time: 4, .finished(ListID(1))))
    #expect(!refused)
    ledger.apply(Transition(time: 5, .filtered(Samples.photo(1, 3), Self.some)))
    let finished = ledger.apply(Transition(time: 6, .finished(ListID(1))))
    #expect(finished)
    let entry = try #require(ledger[ListID(1)])
    #expect(entry.state == .finished && entry.endedTime == 6 && entry.originals.isEmpty)
    #expect(entry.counts.filtered == 2 && entry.counts.failed == 1 && entry.counts.unfinished == 0)
    #expect(ledger.refused == 1 && ledger.openLists.isEmpty)
  }

  @Test func `the count of refused changes ends at the largest number of a snapshot`() {
    let most = UInt64(Int64.max)
    var ledger = Ledger(nextList: ListID(1), refused: most - 1, entries: [])
    ledger.apply(Transition(time: 1, .finished(ListID(7))))
    #expect(ledger.refused == most)
    ledger.apply(Transition(time: 2, .finished(ListID(7))))
    ledger.refuse(2)
    #expect(ledger.refused == most)
    let snapshot = Snapshot(segment: 2, stateID: Samples.stateID, after: 1, ledger: ledger)
    #expect(Snapshot.read(snapshot.bytes) == .snapshot(snapshot))
  }

  @Test func `the shares of users follow every change, and a user without open lists has none`() {
    var ledger = Ledger()
    func owned(_ list: UInt64, by owner: UInt32?) -> Change {
      .accepted(
        ListID(list), Acceptance(photos: 3, serviceClass: .default, sha256: "", owner: owner))
    }
    let changes: [Change] = [
      owned(1, by: 7), owned(2, by: 7), owned(3, by: 8), owned(4, by: nil),
      .filtered(Self.one, Self.some), .paused(ListID(2)), .cancelled(ListID(3)),
      .accepted(ListID(1), Acceptance(photos: 9, serviceClass: .default, sha256: "")),
    ]
    for transition in Samples.at(changes) { ledger.apply(transition) }
    #expect(Set(ledger.shares.keys) == [7] && ledger.open.lists == 3 && ledger.open.photos == 8)
    let share = ledger.shares[7]
    #expect(share?.lists == 2 && share?.paused == 1 && share?.photos == 5)
    let restored = Ledger(
      nextList: ledger.nextList, refused: ledger.refused, entries: Array(ledger.lists.values))
    #expect(restored.shares == ledger.shares)
    ledger.apply(Transition(time: 9, .resumed(ListID(2))))
    #expect(ledger.shares[7]?.paused == 0)
    for list: UInt64 in [1, 2] { ledger.apply(Transition(time: 10, .cancelled(ListID(list)))) }
    #expect(ledger.shares.isEmpty && ledger.open.lists == 1)
  }

  @Test func `a cancelled list bequeaths its originals until they are dropped`() {
    var ledger = ledger([.downloaded(Self.one, Self.some)])
    #expect(ledger.bequests[ListID(1)].isEmpty)
    ledger.apply(Transition(time: 1, .cancelled(ListID(1))))
    #expect(ledger[ListID(1)]?.originals == [:])
    #expect(ledger.bequests[ListID(1)] == [1: Self.some])
    let before = ledger
    ledger.dropBequest(of: ListID(1))
    #expect(ledger.bequests[ListID(1)].isEmpty)
    #expect(ledger == before, "bequests are not part of the state")
  }

  /// Changes that happen, then one that is against the rules.
  static let refusals: [([Change], Change)] = [
    ([], Samples.accepted(1, photos: 5)),
    ([], .rejected(ListID(1), code: "x")),
    ([], .accepted(ListID(0), Acceptance(photos: 1, serviceClass: .default, sha256: ""))),
    ([], Samples.accepted(9, photos: .max)),
    ([], .paused(ListID(2))),
    ([], .resumed(ListID(1))),
    ([.paused(ListID(1))], .paused(ListID(1))),
    ([.cancelled(ListID(1))], .cancelled(ListID(1))),
    ([.cancelled(ListID(1))], .downloaded(one, some)),
    ([], .quality(ListID(2), .utility)),
    ([.cancelled(ListID(1))], .quality(ListID(1), .utility)),
    ([], .finished(ListID(1))),
    ([], .removed(ListID(1))), ([], .removed(ListID(2))),
    ([.cancelled(ListID(1)), .removed(ListID(1))], .removed(ListID(1))),
    ([], .downloaded(Samples.photo(1, 4), some)),
    ([], .downloaded(Samples.photo(1, 0), some)),
    ([.downloaded(one, some)], .downloaded(one, some)),
    ([.filtered(one, some)], .downloaded(one, some)),
    ([.filtered(one, some)], .filtered(one, some)),
    ([.filtered(one, some)], .failed(one, .filter, code: "x", attempt: 1)),
    ([.filtered(one, some)], .lost(one)),
    ([.filtered(one, some)], .died(one)),
    ([.failed(one, .filter, code: "x", attempt: 1)], .filtered(one, some)),
    ([.failed(one, .filter, code: "x", attempt: 1)], .lost(one)),
    ([], .lost(one)),
    (
      [.filtered(one, some)],
      .retry(one, .filter, code: "x", attempt: 1, after: 1, until: 1)
    ),
  ]

  @Test(arguments: refusals)
  func `a change against the rules is counted and has no effect`(before: [Change], last: Change) {
    let ledger = ledger(before)
    var after = ledger
    let isLegal = after.apply(Transition(time: 1, last))
    #expect(!isLegal)
    #expect(after.refused == ledger.refused + 1)
    #expect(after.lists == ledger.lists && after.nextList == ledger.nextList)
  }

  @Test func `a removed list is forgotten, and its number is not used again`() {
    let ledger = ledger([.cancelled(ListID(1)), .removed(ListID(1))])
    #expect(ledger[ListID(1)] == nil && ledger.refused == 0)
    #expect(ledger.nextList == ListID(2))
  }

  @Test func `a list keeps its last class, and its state`() throws {
    let list = ListID(1)
    var ledger = ledger([
      .paused(list), .quality(list, .background), .quality(list, .userInitiated),
    ])
    #expect(ledger[list]?.acceptance.serviceClass == .userInitiated)
    #expect(ledger[list]?.state == .paused && ledger.refused == 0)
    let snapshot = Snapshot(segment: 2, stateID: "a", after: 4, ledger: ledger)
    guard case .snapshot(let read) = Snapshot.read(snapshot.bytes) else {
      Issue.record("the snapshot cannot be read")
      return
    }
    #expect(read.ledger[list]?.acceptance == ledger[list]?.acceptance)
    ledger.apply(Transition(time: 1, .cancelled(list)))
    #expect(ledger[list]?.acceptance.serviceClass == .userInitiated)
  }

  @Test func `a paused list returns to its state, and steps in flight still count`() {
    var ledger = ledger([.paused(ListID(1))])
    #expect(ledger[ListID(1)]?.state == .paused)
    ledger.apply(Transition(time: 1, .resumed(ListID(1))))
    #expect(ledger[ListID(1)]?.state == .accepted)
    ledger.apply(Transition(time: 1, .paused(ListID(1))))
    ledger.apply(Transition(time: 1, .downloaded(Self.one, Self.some)))
    #expect(ledger[ListID(1)]?.state == .paused)
    ledger.apply(Transition(time: 1, .resumed(ListID(1))))
    #expect(ledger[ListID(1)]?.state == .running)
  }

  @Test func `retries, deaths and originals are kept while they matter`() {
    let retry = Change.retry(
      Self.one, .download, code: "http.503", attempt: 3, after: 4000, until: 10_000)
    var ledger = ledger([retry, .died(Self.one), .died(Self.one)])
    #expect(ledger[ListID(1)]?.attempts(of: 1) == 3)
    #expect(ledger[ListID(1)]?.deaths(of: 1) == 2 && ledger[ListID(1)]?.deaths(of: 2) == 0)
    ledger.apply(Transition(time: 1, .downloaded(Self.one, Self.some)))
    #expect(ledger[ListID(1)]?.attempts(of: 1) == 0 && ledger[ListID(1)]?.retries.isEmpty == true)
    #expect(ledger[ListID(1)]?.deaths(of: 1) == 2)
    ledger.apply(Transition(time: 1, .lost(Self.one)))
    #expect(ledger.state(of: Self.one) == .known(.new))
    #expect(ledger[ListID(1)]?.originals.isEmpty == true)
    ledger.apply(Transition(time: 1, .failed(Self.one, .download, code: "gone", attempt: 4)))
    #expect(ledger[ListID(1)]?.deaths.isEmpty == true)
  }

  @Test(
    arguments: [
      (6000, 4000), (9999, 1), (10_000, 0), (20_000, 0), (0, 4000), (.max, 0),
    ] as [(UInt64, UInt64)])
  func `a restart never waits longer than was decided, whatever the clock says`(
    now: UInt64, wait: UInt64
  ) {
    let plan = RetryPlan(stage: .download, attempt: 1, after: 4000, until: 10_000)
    #expect(plan.wait(now: now) == wait)
  }

  @Test func `the next unfinished photo is found from any number`() throws {
    let ledger = ledger([.filtered(Self.one, Self.some), .downloaded(Self.two, Self.some)])
    let entry = try #require(ledger[ListID(1)])
    #expect(entry.nextUnfinished(after: 0) == 2)
    #expect(entry.nextUnfinished(after: 2) == 3)
    #expect(entry.nextUnfinished(after: 3) == nil)
    #expect(entry.nextUnfinished(after: .max) == nil)
  }

  @Test func `a list number is never given twice`() {
    var ledger = ledger([.rejected(ListID(2), code: "x")])
    #expect(ledger.nextList == ListID(3))
    ledger.reserve(upTo: ListID(7))
    #expect(ledger.nextList == ListID(8))
    ledger.reserve(upTo: ListID(5))
    #expect(ledger.nextList == ListID(8))
    ledger.apply(Transition(time: 1, Samples.accepted(7, photos: 1)))
    #expect(ledger.nextList == ListID(8))
  }

  static let tooMany = UInt64(Ledger.finalListsKept + Ledger.finalListsKept / 10 + 1)

  private func finishedLists() -> Ledger {
    var ledger = Ledger()
    for number in 1...Self.tooMany {
      ledger.apply(Transition(time: 1, Samples.accepted(number, photos: 0)))
      ledger.apply(Transition(time: 1, .finished(ListID(number))))
    }
    return ledger
  }

  @Test func `lists that were archived long ago are forgotten, but not their numbers`() {
    var ledger = finishedLists()
    #expect(ledger.lists.count == Int(Self.tooMany))
    for number in 1...Self.tooMany {
      #expect(!ledger.isArchived(ListID(number)))
      ledger.archived(ListID(number))
    }
    #expect(ledger.lists.count == Ledger.finalListsKept)
    #expect(ledger.isArchived(ListID(Self.tooMany)) && !ledger.isArchived(ListID(1)))
    #expect(ledger[ListID(1)] == nil && ledger[ListID(Self.tooMany)] != nil)
    #expect(ledger.nextList == ListID(Self.tooMany + 1) && ledger.refused == 0)
  }

  private func end(_ number: UInt64, _ owner: UInt32, _ ledger: inout Ledger) {
    let acceptance = Acceptance(
      photos: 0, serviceClass: .utility, sha256: Samples.sha256, owner: owner)
    ledger.apply(Transition(time: 1, .accepted(ListID(number), acceptance)))
    ledger.apply(Transition(time: 1, .finished(ListID(number))))
    ledger.archived(ListID(number))
  }

  @Test func `lists of one user drive out no list of another, and all lists of a user count`() {
    var ledger = Ledger()
    end(1, 8, &ledger)
    for number in 2...Self.tooMany + 1 { end(number, 7, &ledger) }
    #expect(ledger[ListID(1)] != nil && ledger[ListID(2)] == nil)
    #expect(ledger.holdings == [7: Ledger.finalListsKept, 8: 1])
    let entries = Array(ledger.lists.values)
    let known = Ledger(nextList: ledger.nextList, refused: 0, entries: entries)
    #expect(known.holdings == ledger.holdings)
    ledger.apply(Transition(time: 1, .removed(ListID(1))))
    #expect(ledger.holdings == [7: Ledger.finalListsKept])
    // More are remembered if more are kept.
    ledger.mostArchived = 2 * Ledger.finalListsKept
    for number in Self.tooMany + 2...Self.tooMany + 3000 { end(number, 7, &ledger) }
    #expect(ledger.holdings == [7: Ledger.finalListsKept + 2999])
  }

  @Test
  func
    `the lists that all users have are remembered up to a limit, and the user with most gives way`()
  {
    var ledger = Ledger()
    ledger.mostOfAll = 100
    for number in UInt64(1)...101 { end(number, number <= 30 ? 8 : 7, &ledger) }
    #expect(ledger.holdings == [7: 64, 8: 30])
    #expect(ledger[ListID(1)] != nil && ledger[ListID(37)] == nil && ledger[ListID(38)] != nil)
  }

  @Test func `a list that is removed makes room for another one`() {
    var ledger = Ledger()
    ledger.mostOfAll = 100
    for number in UInt64(1)...100 { end(number, 7, &ledger) }
    ledger.apply(Transition(time: 1, .removed(ListID(1))))
    end(101, 7, &ledger)
    #expect(ledger.holdings == [7: 100])
    end(102, 7, &ledger)
    #expect(ledger.holdings == [7: 91])
  }

  @Test func `a list that has ended but is not archived is not forgotten`() {
    var ledger = finishedLists()
    let open = ListID(Self.tooMany + 1)
    ledger.apply(Transition(time: 1, Samples.accepted(open.number, photos: 1)))
    ledger.archived(open)
    ledger.archived(ListID(.max))
    for number in 2..<Self.tooMany { ledger.archived(ListID(number)) }
    #expect(ledger.lists.count == Int(Self.tooMany) + 1)
    ledger.apply(Transition(time: 1, .cancelled(open)))
    ledger.archived(open)
    ledger.archived(open)
    #expect(ledger.lists.count == Int(Self.tooMany) + 1)
    ledger.archived(ListID(Self.tooMany))
    #expect(ledger[ListID(1)] != nil && ledger[ListID(2)] == nil && ledger[open] != nil)
    #expect(ledger.lists.count == Ledger.finalListsKept + 1)
  }

  @Test
  func `a removed list is forgotten once it is over, and its number stays used`() {
    var ledger = finishedLists()
    let open = ListID(Self.tooMany + 1)
    ledger.apply(Transition(time: 1, Samples.accepted(open.number, photos: 1)))
    for list in [ListID(2), open, ListID(.max)] { ledger.forget(list) }
    #expect(ledger[ListID(2)] == nil && ledger[open] != nil)
    #expect(ledger.nextList == ListID(open.number + 1) && ledger.refused == 0)
    // Archived before or after, a forgotten list does not count any more.
    ledger.archived(ListID(2))
    ledger.archived(ListID(3))
    ledger.forget(ListID(3))
    #expect(ledger.lists.count == Int(Self.tooMany) - 1)
  }
}
