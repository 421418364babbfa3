// SPDX-License-Identifier: Apache-2.0
// What was recorded last, for followers: in order, bounded, and honest about what was forgotten.

import Testing
import Vocabulary

@testable import Record

@Suite struct RecordTailTests {
  private static let contents = Contents(size: 1, hash: 2)

  private func photo(_ list: UInt64, _ number: UInt32) -> PhotoID {
    PhotoID(list: ListID(list), number: number)
  }

  private func add(_ tail: RecordTail, _ changes: [Change]) {
    tail.add(changes.map { Transition(time: 5, $0) }, from: tail.last + 1)
  }

  @Test func `every change of a state is a step with its record, others only count`() {
    let tail = RecordTail(after: 40)
    #expect(tail.look(after: 40, most: 10) == RecordTail.Look(last: 40))
    let acceptance = Acceptance(photos: 2, serviceClass: .default, sha256: "")
    let one = photo(1, 1)
    add(
      tail,
      [
        .accepted(ListID(1), acceptance), .downloaded(one, Self.contents),
        .retry(one, .filter, code: "a", attempt: 1, after: 1, until: 1), .lost(one), .died(one),
        .filtered(one, Self.contents),
      ])
    add(
      tail,
      [
        .failed(photo(1, 2), .download, code: "a", attempt: 1), .paused(ListID(1)),
        .resumed(ListID(1)), .finished(ListID(1)), .cancelled(ListID(2)),
        .rejected(ListID(3), code: "a"),
      ])
    let look = tail.look(after: 40, most: 100)
    #expect(look.steps.map(\.record) == [41, 42, 44, 46, 47, 48, 49, 50, 51, 52])
    #expect(
      look.steps.map(\.state) == [
        .list(.accepted), .photo(1, .downloaded), .photo(1, .new), .photo(1, .filtered),
        .photo(2, .failed), .list(.paused), .list(.running), .list(.finished), .list(.cancelled),
        .rejected,
      ])
    #expect(look.last == 52 && !look.isTorn && tail.last == 52)
    #expect(look.steps.allSatisfy { $0.time == 5 })
    #expect(tail.look(after: 40, of: ListID(3), most: 100).steps.map(\.record) == [52])
    #expect(tail.look(after: 52, most: 100) == RecordTail.Look(last: 52))
  }

  @Test func `a long tail is read in pages without a gap`() {
    let tail = RecordTail(after: 0, most: 100)
    add(tail, (1...95).map { .downloaded(photo(1, $0), Self.contents) })
    var (seen, after): ([UInt64], UInt64) = ([], 0)
    repeat {
      let look = tail.look(after: after, most: 10)
      #expect(!look.isTorn)
      seen += look.steps.map(\.record)
      after = look.last
    } while after < tail.last
    #expect(seen == Array(1...95))
  }

  @Test func `a follower that comes too late is told so, and gets what is there`() {
    let tail = RecordTail(after: 7, most: 4)
    add(tail, (1...10).map { .downloaded(photo(1, $0), Self.contents) })
    let torn = tail.look(after: 7, most: 100)
    #expect(torn.isTorn && torn.steps.map(\.record) == [14, 15, 16, 17] && torn.last == 17)
    #expect(!tail.look(after: 13, most: 100).isTorn)
    #expect(tail.look(after: 12, most: 100).isTorn)
    // From before a restart, or from another daemon.
    #expect(tail.look(after: 99, most: 100).isTorn)
    let early = RecordTail(after: 7)
    #expect(early.look(after: 6, most: 1).isTorn && !early.look(after: 7, most: 1).isTorn)
  }

  @Test func `steps of other lists do not hold a follower of one list back`() {
    let tail = RecordTail(after: 0, most: 1000)
    add(tail, (1...500).map { .downloaded(photo($0 % 2 == 0 ? 1 : 2, $0), Self.contents) })
    let look = tail.look(after: 0, of: ListID(1), most: 1000)
    #expect(look.steps.count == 250 && look.last == 500)
  }
}
