// SPDX-License-Identifier: Apache-2.0
// The viewers that a node knows, its words to its lists, as a value, and its leases for them.

import Cluster
import Testing
import Vocabulary

@Suite struct FocusBookTests {
  private let list = LedgerList(1)

  /// A share of photos 1 to 8, or later ones.
  private func holding(_ first: UInt32 = 1, as list: UInt64? = 7) -> LeaseBook.Holding {
    var book = LeaseBook(leaseTime: .seconds(30), chunk: 8)
    let id = ShareID(list: self.list, first: first, epoch: 1)
    book.restore(
      ListID(list ?? 0),
      ShareMark(
        Share(id, last: first + 7, serviceClass: .default, done: PhotoMask(count: 8))),
      isHeld: false, at: .zero)
    guard var holding = book.holdings[id] else { fatalError("no such share") }
    if list == nil { holding.list = nil }
    return holding
  }

  private func focus(_ photos: [UInt32], viewer: OutsideText = "0 a", seconds: Int = 60)
    -> LedgerFocus
  {
    LedgerFocus(list, viewer: viewer, photos: photos, time: .seconds(seconds))
  }

  @Test func `a node asks about the lists of its shares once, and again after bells and losses`() {
    var book = FocusBook()
    #expect(book.takeQuestions([]).isEmpty)
    #expect(book.takeQuestions([holding()]) == [list])
    book.answered([list], [], asked: .zero)
    #expect(book.takeQuestions([holding()]).isEmpty)
    book.rung(list)
    book.rung(LedgerList(2))
    #expect(book.takeQuestions([holding()]) == [list], "it has no share of the other")
    // A bell before the answer may not be in it.
    book.rung(list)
    book.answered([list], [], asked: .zero)
    #expect(book.takeQuestions([holding()]) == [list])
    book.answered([list], [], asked: .zero)
    #expect(book.takeQuestions([holding()]).isEmpty)
    book.lost()
    #expect(book.takeQuestions([holding()]) == [list])
    book.answered([list], [], asked: .zero)
    #expect(book.takeQuestions([]).isEmpty)
    #expect(book.takeQuestions([holding()]) == [list], "a later share of it is a new question")
  }

  @Test func `a list hears of its own photos until it was told, and again when they change`() {
    var book = FocusBook()
    book.answered([list], [focus([3, 9]), focus([30], viewer: "0 b")], asked: .seconds(10))
    let first = FocusBook.Deed.set(ListID(7), viewer: "0 a", [3], until: .seconds(70))
    let second = FocusBook.Deed.set(ListID(8), viewer: "0 a", [9], until: .seconds(70))
    let shares = [holding(), holding(9, as: 8), holding(17, as: nil)]
    #expect(book.deeds(shares, at: .seconds(11)) == [first, second])
    book.did(first)
    #expect(book.deeds(shares, at: .seconds(12)) == [second], "it could not be told yet")
    book.did(second)
    #expect(book.deeds(shares, at: .seconds(13)).isEmpty)
    book.answered([list], [focus([3, 9])], asked: .milliseconds(10_400))
    #expect(book.deeds(shares, at: .seconds(14)).isEmpty, "the same, heard again")
    book.answered([list], [focus([10, 11])], asked: .seconds(20))
    let third = FocusBook.Deed.set(ListID(8), viewer: "0 a", [10, 11], until: .seconds(80))
    let end = FocusBook.Deed.end(ListID(7), viewer: "0 a")
    #expect(book.deeds(shares, at: .seconds(21)) == [end, third])
    for deed in [end, third] { book.did(deed) }
    #expect(book.deeds(shares, at: .seconds(22)).isEmpty)
    book.answered([list], [], asked: .seconds(30))
    #expect(book.deeds(shares, at: .seconds(31)) == [.end(ListID(8), viewer: "0 a")])
  }

  @Test func `a focus whose time is over is told to nobody`() {
    var book = FocusBook()
    book.answered([list], [focus([3])], asked: .seconds(10))
    #expect(book.deeds([holding()], at: .seconds(70)).isEmpty)
    // Told, it ends by itself.
    book.answered([list], [focus([3])], asked: .seconds(80))
    for deed in book.deeds([holding()], at: .seconds(81)) { book.did(deed) }
    #expect(book.deeds([holding()], at: .seconds(140)).isEmpty)
  }

  @Test func `a node leases for viewers until nothing waits, at most eight shares at once`() {
    var book = LeaseBook(leaseTime: .seconds(30), chunk: 8)
    #expect(book.wishAhead() == nil, "its leases of an earlier run are not known yet")
    let answer = PulseAnswer(leases: [], isDraining: false, isOpen: true)
    _ = book.answered(answer, asked: .zero, now: .zero)
    let any = AheadWish(photos: LedgerFocus.largestShare)
    #expect(book.wishAhead() == any, "a bell may have been lost")
    _ = book.leasedAhead([], asked: .seconds(1))
    #expect(book.wishAhead() != nil, "other nodes may have had the first list")
    _ = book.leasedAhead([], asked: .seconds(1))
    #expect(book.wishAhead() == nil)
    book.looked(at: .seconds(2))
    _ = book.leasedAhead([], asked: .seconds(1))
    #expect(book.wishAhead() != nil, "the bell came after the question")
    let shares = stride(from: UInt32(1), to: 72, by: 8).map { first in
      Share(
        ShareID(list: list, first: first, epoch: 1), last: first + 7, serviceClass: .default,
        done: PhotoMask(count: 8))
    }
    for share in shares.prefix(8) {
      #expect(book.wishAhead() != nil)
      #expect(book.leasedAhead([share], asked: .seconds(3)) == [.make(share)])
    }
    #expect(book.wishAhead() == nil)
    #expect(book.wish() == LeaseWish(photos: 8, largest: 8), "they do not count as its own")
    _ = book.made(ListID(7), for: shares[2].id, at: .seconds(3))
    #expect(book.wishAhead([ListID(7): 7]) == nil)
    #expect(book.wishAhead([ListID(7): 8]) != nil, "all photos of one wait for a server")
    _ = book.failed(shares[3].id, at: .seconds(3))
    let besides = AheadWish(photos: LedgerFocus.largestShare, besides: [list])
    #expect(book.wishAhead() == besides, "the lists of others are leased, and its list is not")
    for _ in 0..<2 { _ = book.leasedAhead([], asked: .seconds(4)) }
    #expect(book.wishAhead() == nil)
    _ = book.look(at: .seconds(33))
    #expect(book.wishAhead() == any)
    book.lost()
    #expect(book.wishAhead() == nil)
    let draining = PulseAnswer(leases: [], isDraining: true, isOpen: true)
    _ = book.answered(draining, asked: .seconds(4), now: .seconds(4))
    #expect(book.wishAhead() == nil)
  }
}
