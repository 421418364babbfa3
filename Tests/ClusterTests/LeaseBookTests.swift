// SPDX-License-Identifier: Apache-2.0
// What a node does with the shares that it holds, as a value.

import Cluster
import Testing
import Vocabulary

@Suite struct LeaseBookTests {
  private static let leaseTime = Duration.seconds(30)
  private let here = ListID(7)
  private let wish = LeaseWish(photos: 8, largest: 8)

  private func share(_ first: UInt32 = 1, epoch: UInt32 = 1, done: [Int] = []) -> Share {
    var mask = PhotoMask(count: 8)
    for place in done { mask.insert(place) }
    return Share(
      ShareID(list: LedgerList(1), first: first, epoch: epoch), last: first + 7,
      serviceClass: .default, done: mask)
  }

  private func outcomes(_ photos: ClosedRange<UInt32>) -> [Outcome] {
    photos.map { Outcome(photo: $0, isFiltered: true, row: []) }
  }

  private func pulse(
    _ shares: [Share], sequence: UInt32 = 0, _ state: LedgerState = .running
  ) -> PulseAnswer {
    PulseAnswer(
      leases: shares.map { PulseAnswer.Lease($0, sequence: sequence, state) }, isDraining: false,
      isOpen: true)
  }

  /// A book with one share at work, leased at 0 s.
  private func book(_ share: Share) -> LeaseBook {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    _ = book.answered(pulse([]), asked: .zero, now: .zero)
    #expect(book.leased([share], for: wish, asked: .seconds(2)) == [.make(share)])
    #expect(book.made(here, for: share.id, at: .seconds(1)).isEmpty)
    return book
  }

  @Test func `a node asks for shares when it has less than one, and not again while nothing waits`()
  {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    #expect(book.wish() == nil, "its leases of an earlier run are not known yet")
    _ = book.answered(pulse([]), asked: .zero, now: .zero)
    #expect(book.wish() == LeaseWish(photos: 8, largest: 8))
    _ = book.leased([], for: wish, asked: .seconds(2))
    #expect(book.wish() == nil)
    book.rung(.default, at: .seconds(1))
    #expect(book.wish() != nil)
    _ = book.leased([share()], for: wish, asked: .seconds(2))
    #expect(book.wish() == nil, "it has a share")
  }

  @Test func `urgent photos wait for no share of a less urgent list`() {
    var book = book(share())
    #expect(book.wish() == nil, "nothing more urgent waited when it was leased")
    book.rung(.background, at: .seconds(3))
    #expect(book.wish() == nil)
    book.rung(.userInteractive, at: .seconds(3))
    let urgent = LeaseWish(photos: 8, largest: 8, upTo: .userInitiated)
    #expect(book.wish() == urgent.refusing(full: [1]))
    // The other nodes had it.
    _ = book.leased([], for: urgent, asked: .seconds(4))
    #expect(book.wish() == nil)
    book.rung(.userInteractive, at: .seconds(5))
    let other = Share(
      ShareID(list: LedgerList(2), first: 1, epoch: 1), last: 8, serviceClass: .userInitiated,
      done: PhotoMask(count: 8))
    _ = book.leased([other], for: urgent, asked: .seconds(6))
    // One share of each class, not one after the other.
    #expect(book.wish() == nil)
    book.rung(.userInteractive, at: .seconds(7))
    #expect(book.wish()?.leastClass == .userInteractive)
  }

  @Test func `a bell that rings between question and answer is heard`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    book.rung(.default, at: .seconds(5))
    let quiet = PulseAnswer(leases: [], isDraining: false, isOpen: false)
    _ = book.answered(quiet, asked: .seconds(5), now: .seconds(6))
    #expect(book.wish() != nil && book.interval == .seconds(7.5))
    book.rung(.default, at: .seconds(8))
    _ = book.leased([], for: wish, asked: .seconds(7))
    #expect(book.wish() != nil)
    _ = book.leased([], for: wish, asked: .seconds(9))
    #expect(book.wish() == nil)
  }

  @Test func `a node without work is heard half as often while no list is open, and asks for none`()
  {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    let quiet = PulseAnswer(leases: [], isDraining: false, isOpen: false)
    _ = book.answered(quiet, asked: .zero, now: .zero)
    #expect(book.wish() == nil && book.interval == .seconds(15))
    // Another node may die.
    _ = book.answered(pulse([]), asked: .zero, now: .zero)
    #expect(book.interval == .seconds(7.5))
    _ = book.answered(quiet, asked: .seconds(1), now: .seconds(1))
    book.rung(.utility, at: .seconds(2))
    #expect(book.wish() != nil && book.interval == .seconds(7.5))
  }

  @Test func `shares of paused lists keep no other list waiting, as long as they are few`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    let shares = (0..<5).map { share(1 + 8 * $0) }
    for count in 1...5 {
      _ = book.answered(pulse(Array(shares.prefix(count)), .paused), asked: .zero, now: .zero)
      #expect((book.wish()?.leastClass == .background) == (count < 5), "\(count)")
    }
    _ = book.answered(pulse(Array(shares.prefix(1))), asked: .zero, now: .zero)
    #expect(book.wish()?.leastClass == .userInitiated, "it is at work again")
  }

  @Test func `photos that wait for a server keep no other list waiting, and are enough of theirs`()
  {
    var book = book(share())
    #expect(book.wish([here: 1]) != nil)
    #expect(book.wish() == nil, "all can begin")
    let wish = LeaseWish(photos: 8, largest: 8).refusing(full: [1])
    #expect(book.wish([here: 8]) == wish && book.wish([here: 1000]) == wish)
    _ = book.leased([], for: wish, asked: .seconds(2))
    #expect(book.wish([here: 8]) == nil, "no other list waits")
    let report = ShareReport(share().id, photos: 8, sequence: 1, outcomes(1...4), isLast: false)
    _ = book.reported(report, .recorded, now: .seconds(3))
    #expect(book.wish([here: 4])?.full == [], "it has less than a share of the list")
    #expect(book.wish([here: 4])?.standing == [LeaseWish.Standing(LedgerList(1), photos: 4)])
    #expect(book.wish([here: 3])?.standing == [])
  }

  @Test func `beside photos that wait for slow servers no more are leased than can begin`() {
    var book = book(share())
    let (waiting, slow) = ([here: 8], [here: 8])
    func size(_ room: Int) -> Int? {
      var copy = book
      return copy.wish(waiting, slow: slow, room: room)?.largest
    }
    #expect([20, 8, 3, 1, 0].map(size) == [8, 8, 8, 8, nil], "a share has eight photos at least")
    var closed = book
    #expect(closed.wish(waiting, room: 0)?.largest == 8, "the server is closed")
    // A share that is being made takes what there is.
    let other = Share(
      ShareID(list: LedgerList(2), first: 1, epoch: 1), last: 8, serviceClass: .default,
      done: PhotoMask(count: 8))
    _ = book.leased([other], for: wish, asked: .seconds(2))
    #expect(book.wish(waiting, slow: slow, room: 20) == nil, "it has a share to begin")
    var large = LeaseBook(leaseTime: Self.leaseTime, chunk: 64)
    _ = large.answered(pulse([]), asked: .zero, now: .zero)
    let whole = Share(
      ShareID(list: LedgerList(3), first: 1, epoch: 1), last: 64, serviceClass: .default,
      done: PhotoMask(count: 64))
    _ = large.leased([whole], for: LeaseWish(photos: 64, largest: 64), asked: .seconds(2))
    _ = large.made(here, for: whole.id, at: .seconds(1))
    let wish = large.wish([here: 64], slow: [here: 64], room: 10)
    #expect(wish?.photos == 10 && wish?.largest == 10)
    // A whole share of the list waits, not six small ones.
    #expect(wish?.standing == [LeaseWish.Standing(LedgerList(3), photos: 10)])
    #expect(large.wish([here: 64], slow: [here: 60], room: 10)?.largest == 64, "less is left")
    _ = large.leased([other], for: LeaseWish(photos: 10, largest: 10), asked: .seconds(2))
    #expect(large.wish([here: 64], slow: [here: 64], room: 10)?.largest == 8, "two can begin")
    #expect(large.wish([here: 64], slow: [here: 64], room: 8) == nil)
  }

  @Test func `shares that wait for servers have a limit`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    let shares = (1...1024).map { list in
      Share(
        ShareID(list: LedgerList(UInt64(list)), first: 1, epoch: 1), last: 8,
        serviceClass: .utility, done: PhotoMask(count: 8))
    }
    for count in [1023, 1024] {
      _ = book.answered(pulse(Array(shares.prefix(count))), asked: .zero, now: .zero)
      var waiting: [ListID: Int] = [:]
      for (place, share) in shares.prefix(count).enumerated() {
        _ = book.made(ListID(UInt64(place + 1)), for: share.id, at: .zero)
        waiting[ListID(UInt64(place + 1))] = 8
      }
      #expect(book.wish(waiting)?.leastClass == (count < 1024 ? .background : .default))
    }
  }

  @Test
  func `a share whose files cannot be read goes to others, and this node leaves its list alone`() {
    var book = book(share())
    #expect(
      book.unreadable(here, at: .seconds(9)) == [
        .giveBack(share().id, after: .zero), .drop(here),
      ])
    #expect(book[here] == nil && book.unreadable(here, at: .seconds(9)).isEmpty)
    _ = book.look(at: .seconds(308))
    #expect(book.wish()?.full == [share().id.list])
    _ = book.look(at: .seconds(309))
    #expect(book.wish()?.full == [])
  }

  @Test func `a share whose server only this node misses goes back, and others get its list`() {
    var book = book(share())
    let more = [here: 7]
    #expect(book.unreached(more, at: .seconds(9)).isEmpty, "one photo may still be developed here")
    var known = book
    _ = known.answered(pulse([share(done: [0])], sequence: 1), asked: .seconds(9), now: .seconds(9))
    #expect(
      known.unreached(more, at: .seconds(9)) == [.giveBack(share().id, after: .zero), .drop(here)])
    #expect(known[here] == nil && known.unreached(more, at: .seconds(9)).isEmpty)
    #expect(known.wish()?.full == [LedgerList(1)])
    _ = known.look(at: .seconds(309))
    #expect(known.wish()?.full == [])
  }

  @Test func `shares that are abandoned go back before their lists end`() {
    var book = book(share())
    #expect(book.abandon() == [.giveBack(share().id, after: .zero), .drop(here)])
    #expect(book[here] == nil && book.abandon().isEmpty)
  }

  @Test func `photos that have ended here are no work, even before the ledger has them`() {
    var book = book(share())
    #expect(book.wish() == nil && book.wish(unreported: { _ in 0 }) == nil)
    #expect(book.wish(unreported: { _ in 1 }) == wish)
    #expect(book.wish(unreported: { _ in 8 }) == wish)
  }

  @Test func `a node that drains asks for nothing`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    _ = book.answered(
      PulseAnswer(leases: [], isDraining: true, isOpen: true), asked: .zero, now: .zero)
    #expect(book.wish() == nil)
  }

  @Test func `every eighth wish is for the least urgent list`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    let wishes = (1...16).compactMap { _ in
      _ = book.answered(pulse([]), asked: .zero, now: .zero)
      return book.wish()
    }
    #expect(wishes.map(\.isReversed).enumerated().filter(\.element).map(\.offset) == [7, 15])
  }

  @Test func `photos are reported once, and the report with the last one is the last`() throws {
    let share = share()
    var book = book(share)
    let first = try #require(book.report(here, outcomes(1...5)))
    #expect(first.sequence == 1 && !first.isLast && first.outcomes.count == 5)
    #expect(book.reported(first, .recorded, now: .zero).isEmpty)
    #expect(book.report(here, outcomes(1...5)) == nil)
    let last = try #require(book.report(here, outcomes(1...8)))
    #expect(last.sequence == 2 && last.isLast && last.outcomes.map(\.photo) == [6, 7, 8])
    #expect(book.reported(last, .recorded, now: .zero).isEmpty)
    #expect(book[here] == nil)
  }

  @Test func `photos are reported once a second, and the last ones of a share at once`() throws {
    let share = share()
    var book = book(share)
    #expect(book.reportTime { _ in 0 } == nil)
    #expect(book.reportTime { _ in 2 } == .zero, "nothing was reported yet")
    let first = try #require(book.report(here, outcomes(1...2)))
    _ = book.reported(first, .recorded, now: .seconds(3))
    #expect(book.reportTime { _ in 5 } == .seconds(4))
    #expect(book.reportTime { _ in 6 } == .zero)
    #expect(book.reportTime { _ in 0 } == nil)
  }

  @Test func `after a lost answer nothing is reported before the ledger says what it has`() throws {
    let share = share()
    var book = book(share)
    _ = try #require(book.report(here, outcomes(1...5)))
    book.lost()
    #expect(book.report(here, outcomes(1...8)) == nil && book.wish() == nil)
    // The report had been recorded.
    let known = self.share(done: [0, 1, 2, 3, 4])
    #expect(
      book.answered(pulse([known], sequence: 1), asked: .zero, now: .zero).isEmpty)
    let next = try #require(book.report(here, outcomes(1...8)))
    #expect(next.sequence == 2 && next.outcomes.map(\.photo) == [6, 7, 8] && next.isLast)
  }

  @Test func `a share that the pulse does not name is dropped, and nothing more of it reported`() {
    var book = book(share())
    #expect(
      book.answered(pulse([share(9)]), asked: .zero, now: .zero)
        == [.drop(here), .make(share(9))])
    #expect(book.report(here, outcomes(1...8)) == nil)
    // The same photos under a new lease are another share.
    #expect(
      book.answered(pulse([share(9), share(epoch: 2)]), asked: .zero, now: .zero)
        == [.make(share(epoch: 2))])
  }

  @Test func `a share that is lost while its list is made is dropped when it is made`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    _ = book.leased([share()], for: wish, asked: .seconds(2))
    #expect(book.answered(pulse([]), asked: .zero, now: .zero).isEmpty)
    #expect(book.made(here, for: share().id, at: .zero) == [.drop(here)])
  }

  @Test func `a share of which no list can be made goes back, and keeps no other list waiting`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    _ = book.answered(pulse([]), asked: .zero, now: .zero)
    _ = book.leased([share()], for: wish, asked: .seconds(2))
    let failed = book.failed(share().id, at: .seconds(3))
    #expect(failed == [.giveBack(share().id, after: .seconds(30))])
    #expect(book.failed(share().id, at: .seconds(3)).isEmpty)
    #expect(book.wish() == LeaseWish(photos: 8, largest: 8, full: [share().id.list]))
    #expect(book.look(at: .seconds(32)).isEmpty)
    #expect(book.wish()?.full == [share().id.list])
    #expect(book.look(at: .seconds(33)).isEmpty)
    #expect(book.wish()?.full == [])
  }

  @Test func `a lease lasts from the asking: then its list waits, until a pulse names it`() {
    var book = book(share())
    #expect(book.nextDeadline == .seconds(30))
    #expect(book.look(at: .seconds(29)).isEmpty)
    // The answer took 20 seconds.
    #expect(
      book.answered(pulse([share()]), asked: .seconds(9), now: .seconds(29)).isEmpty)
    #expect(book.look(at: .seconds(39)) == [.hold(here)])
    #expect(book.look(at: .seconds(40)).isEmpty && book.nextDeadline == nil)
    // What has ended is still reported: the ledger judges it.
    #expect(book.report(here, outcomes(1...2)) != nil)
    #expect(
      book.answered(pulse([share()]), asked: .seconds(50), now: .seconds(51)) == [.goOn(here)])
    #expect(book.nextDeadline == .seconds(80))
  }

  @Test func `a new lease lasts from the last pulse: other calls are no sign of life`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    _ = book.answered(pulse([]), asked: .seconds(5), now: .seconds(6))
    // The node asks for a share at 12 s.
    _ = book.leased([share()], for: wish, asked: .seconds(2))
    #expect(book.made(here, for: share().id, at: .seconds(13)).isEmpty)
    #expect(book.nextDeadline == .seconds(35))
    #expect(book.look(at: .seconds(35)) == [.hold(here)])
  }

  @Test func `a share of an earlier run waits unless the first pulse names it`() {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    book.restore(here, ShareMark(share()), isHeld: false, at: .seconds(100))
    book.restore(ListID(8), ShareMark(share(9)), isHeld: false, at: .seconds(100))
    var silent = book
    #expect(silent.look(at: .seconds(101)) == [.hold(here), .hold(ListID(8))])
    #expect(
      book.answered(pulse([share(), share(9)]), asked: .seconds(100), now: .seconds(101)).isEmpty)
    #expect(book.nextDeadline == .seconds(130))
  }

  @Test func `a frozen node whose share was taken drops it as soon as it wakes`() {
    var book = book(share())
    #expect(book.look(at: .seconds(100)) == [.hold(here)])
    #expect(book.answered(pulse([]), asked: .seconds(100), now: .seconds(101)) == [.drop(here)])
    #expect(book.nextDeadline == nil)
  }

  @Test func `pause, resume and class of the list reach its shares`() throws {
    var book = book(share())
    #expect(
      book.answered(pulse([share()], .paused), asked: .zero, now: .zero) == [.hold(here)])
    #expect(book.answered(pulse([share()], .paused), asked: .zero, now: .zero).isEmpty)
    let urgent = Share(share().id, last: 8, serviceClass: .userInteractive, done: share().done)
    #expect(
      book.answered(pulse([urgent]), asked: .zero, now: .zero)
        == [.reclass(here, .userInteractive), .goOn(here)])
    let report = try #require(book.report(here, outcomes(1...2)))
    #expect(book.reported(report, .pause, now: .zero) == [.hold(here)])
  }

  @Test func `a cancelled list's shares are dropped once, and go back when their lists have ended`()
  {
    var book = book(share())
    let answer = pulse([share()], .cancelling)
    #expect(book.answered(answer, asked: .zero, now: .zero) == [.drop(here)])
    #expect(book.answered(answer, asked: .zero, now: .zero).isEmpty)
    #expect(book.look(at: .seconds(100)).isEmpty)
    #expect(book.ended(here) == [.giveBack(share().id, after: .zero)])
    #expect(book[here] == nil && book.ended(here).isEmpty)
  }

  @Test func `a fenced report ends the share here`() throws {
    var book = book(share())
    let report = try #require(book.report(here, outcomes(1...8)))
    #expect(book.reported(report, .fenced, now: .zero) == [.drop(here)])
    #expect(book[here] == nil)
  }

  @Test func `a restart reports what the ledger lacks, and drops what is not its own any more`()
    throws
  {
    var book = LeaseBook(leaseTime: Self.leaseTime, chunk: 8)
    book.restore(here, ShareMark(share()), isHeld: true, at: .zero)
    book.restore(ListID(8), ShareMark(share(9)), isHeld: false, at: .zero)
    #expect(book.report(here, outcomes(1...8)) == nil, "the ledger has not said what it has")
    let known = share(done: [0])
    #expect(
      book.answered(pulse([known], sequence: 1), asked: .zero, now: .zero)
        == [.drop(ListID(8)), .goOn(here)])
    let report = try #require(book.report(here, outcomes(1...8)))
    #expect(report.sequence == 2 && report.isLast && report.outcomes.count == 7)
  }

  @Test(arguments: ["", "1/2/3", "1/2/1/1", "1/0/3/1", "a/1/2/1", "1/1/2/1/1"])
  func `other text is no mark of a share`(_ text: String) {
    #expect(ShareMark(text: text) == nil)
    let mark = ShareMark(share(9, epoch: 3))
    #expect(ShareMark(text: mark.text) == mark && mark.text == "1/9/16/3")
  }
}

extension LeaseWish {
  fileprivate func refusing(full: [UInt64]) -> LeaseWish {
    LeaseWish(
      photos: photos, largest: largest, upTo: leastClass, isReversed: isReversed,
      full: full.map { LedgerList($0) },
      standing: full.map { LeaseWish.Standing(LedgerList($0), photos: 8) })
  }
}
