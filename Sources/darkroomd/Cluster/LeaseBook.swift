// SPDX-License-Identifier: Apache-2.0
// The shares that this node holds: what the ledger has of them, how long they are its own, and what their lists are
// told. A value: answers of the ledger in, deeds out; no clock, no lock, no I/O; raises nothing.
//
// A lease lasts from the asking of a pulse, not from its answer. A pulse alone tells the ledger that this node lives, so
// that a new lease lasts from the pulse before it; and a good call does not prove that a lease is still this node's: a
// pulse names each. Only its answers say which photos the ledger has, so after a lost answer nothing is reported before
// the next pulse.

import Cluster
import Vocabulary

struct LeaseBook: Sendable {
  struct Holding: Equatable, Sendable {
    let mark: ShareMark
    /// The list of this node that develops it; nil while that is being made.
    var list: ListID?
    /// The photos that the ledger has.
    var recorded: PhotoMask
    /// Of the last report that the ledger has.
    var sequence: UInt32
    var serviceClass: ServiceClass
    /// Its list in the ledger is paused.
    var isPaused = false
    /// From then on other nodes may have it.
    var deadline: Duration
    /// Its list here was told to pause.
    var isHeld = false
    /// Its list in the ledger is cancelled.
    var isCancelled = false
  }

  enum Deed: Equatable, Sendable {
    /// A list of this node is to develop the share.
    case make(Share)
    /// The share is not this node's, or not wanted: its list here ends.
    case drop(ListID)
    case hold(ListID)
    case goOn(ListID)
    case reclass(ListID, ServiceClass)
    /// For any node, after the time.
    case giveBack(ShareID, after: Duration)
  }

  /// For a share that could not be made: other lists go first meanwhile.
  private static let rest = Duration.seconds(30)

  private let leaseTime: Duration
  /// The most photos of a share.
  private let chunk: Int
  private(set) var holdings: [ShareID: Holding] = [:]
  private var shares: [ListID: ShareID] = [:]
  /// The ledger may have more than it said.
  private(set) var mustAsk = true
  /// The asking of the last pulse that was answered.
  private var heard = Duration.zero
  private var isDraining = false
  /// The last answer to a wish was: nothing waits.
  private var isDry = false
  private var wishes = 0

  init(leaseTime: Duration, chunk: Int) {
    (self.leaseTime, self.chunk) = (leaseTime, chunk)
  }

  subscript(_ list: ListID) -> Holding? { shares[list].flatMap { holdings[$0] } }

  // MARK: lists of this node

  /// A list of an earlier run, whose lease may be over: it waits unless the first pulse names it.
  mutating func restore(_ list: ListID, _ mark: ShareMark, isHeld: Bool, at now: Duration) {
    holdings[mark.id] = Holding(
      mark: mark, list: list, recorded: PhotoMask(count: mark.photos), sequence: 0,
      serviceClass: .default, deadline: now, isHeld: isHeld)
    shares[list] = mark.id
    mustAsk = true
  }

  mutating func made(_ list: ListID, for share: ShareID, at now: Duration) -> [Deed] {
    guard holdings[share] != nil else { return [.drop(list)] }
    holdings[share]?.list = list
    shares[list] = share
    return look(at: now)
  }

  /// The list could not be made: another node may try.
  mutating func failed(_ share: ShareID) -> [Deed] {
    holdings.removeValue(forKey: share) == nil ? [] : [.giveBack(share, after: Self.rest)]
  }

  /// The list has ended before its share: the share is for other nodes.
  mutating func ended(_ list: ListID) -> [Deed] {
    guard let share = shares[list] else { return [] }
    forget(share)
    return [.giveBack(share, after: .zero)]
  }

  /// The results of its photos cannot be read: other nodes develop them again.
  mutating func broken(_ list: ListID) -> [Deed] { ended(list) + [.drop(list)] }

  /// All shares are for other nodes.
  mutating func leave() -> [Deed] {
    holdings.keys.sorted().flatMap { share -> [Deed] in
      if let list = holdings[share]?.list { return [.drop(list)] }
      forget(share)
      return [.giveBack(share, after: .zero)]
    }
  }

  private mutating func forget(_ share: ShareID) {
    guard let holding = holdings.removeValue(forKey: share), let list = holding.list else { return }
    shares[list] = nil
  }

  // MARK: answers

  /// The next call may not see what the last one did.
  mutating func lost() { mustAsk = true }

  /// - Parameter asked: when the question was sent.
  mutating func answered(_ answer: PulseAnswer, asked: Duration, now: Duration) -> [Deed] {
    (mustAsk, isDry, heard) = (false, false, asked)
    isDraining = answer.isDraining
    var deeds: [Deed] = []
    let alive = Set(answer.leases.map(\.share.id))
    for share in holdings.keys.filter({ !alive.contains($0) }).sorted() { deeds += gone(share) }
    for lease in answer.leases { deeds += named(lease, asked) }
    return deeds + look(at: now)
  }

  private mutating func named(_ lease: PulseAnswer.Lease, _ asked: Duration) -> [Deed] {
    let share = lease.share
    guard holdings[share.id] != nil else {
      // The answer to the lease was lost.
      if lease.state == .cancelling { return [.giveBack(share.id, after: .zero)] }
      return [take(share, sequence: lease.sequence, isPaused: lease.state == .paused)]
    }
    holdings[share.id]?.recorded = share.done
    holdings[share.id]?.sequence = lease.sequence
    holdings[share.id]?.deadline = asked + leaseTime
    holdings[share.id]?.isPaused = lease.state == .paused
    var deeds: [Deed] = []
    if let list = holdings[share.id]?.list, holdings[share.id]?.serviceClass != share.serviceClass {
      deeds.append(.reclass(list, share.serviceClass))
    }
    holdings[share.id]?.serviceClass = share.serviceClass
    return deeds + (lease.state == .cancelling ? cancel(share.id) : [])
  }

  private mutating func take(
    _ share: Share, sequence: UInt32, isPaused: Bool = false
  ) -> Deed {
    holdings[share.id] = Holding(
      mark: ShareMark(share), list: nil, recorded: share.done, sequence: sequence,
      serviceClass: share.serviceClass, isPaused: isPaused, deadline: heard + leaseTime)
    return .make(share)
  }

  /// Nothing more of it is reported.
  private mutating func gone(_ share: ShareID) -> [Deed] {
    let list = holdings[share]?.list
    forget(share)
    return list.map { [.drop($0)] } ?? []
  }

  /// The share goes back when its list here has ended.
  private mutating func cancel(_ share: ShareID) -> [Deed] {
    guard holdings[share]?.isCancelled == false else { return [] }
    guard let list = holdings[share]?.list else {
      forget(share)
      return [.giveBack(share, after: .zero)]
    }
    holdings[share]?.isCancelled = true
    return [.drop(list)]
  }

  mutating func leased(_ new: [Share]) -> [Deed] {
    isDry = new.isEmpty
    return new.map { take($0, sequence: 0) }
  }

  // MARK: reports

  /// The photos of the list's share that the ledger lacks, as far as they have ended here.
  func report(_ list: ListID, _ outcomes: [Outcome]) -> ShareReport? {
    guard !mustAsk, let holding = self[list] else { return nil }
    let first = holding.mark.id.first
    let new = outcomes.filter {
      $0.photo >= first && !holding.recorded.contains(Int($0.photo - first))
    }
    if new.isEmpty { return nil }
    var all = holding.recorded
    for outcome in new { all.insert(Int(outcome.photo - first)) }
    return ShareReport(
      holding.mark.id, photos: holding.mark.photos, sequence: holding.sequence + 1, new,
      isLast: all.isFull)
  }

  mutating func reported(_ report: ShareReport, _ verdict: Verdict, now: Duration) -> [Deed] {
    let share = report.share
    guard holdings[share] != nil else { return [] }
    if verdict == .fenced { return gone(share) }
    if report.isLast {
      forget(share)
      return []
    }
    holdings[share]?.recorded.formUnion(report.mask)
    holdings[share]?.sequence = report.sequence
    holdings[share]?.isPaused = verdict == .pause
    return (verdict == .cancel ? cancel(share) : []) + look(at: now)
  }

  // MARK: time

  /// Lists whose lease is over wait; those whose lease goes on continue.
  mutating func look(at now: Duration) -> [Deed] {
    var deeds: [Deed] = []
    for share in holdings.keys.sorted() {
      guard let holding = holdings[share], let list = holding.list, !holding.isCancelled else {
        continue
      }
      let mustWait = holding.isPaused || holding.deadline <= now
      if mustWait == holding.isHeld { continue }
      holdings[share]?.isHeld = mustWait
      deeds.append(mustWait ? .hold(list) : .goOn(list))
    }
    return deeds
  }

  /// When a lease that goes on now is over.
  var nextDeadline: Duration? { holdings.values.filter { !$0.isHeld }.map(\.deadline).min() }

  // MARK: wishes

  /// Something may wait now.
  mutating func rung() { isDry = false }

  /// One share ahead of the one at work. Every eighth wish is for the least urgent list, so that it is not put off
  /// without end.
  mutating func wish() -> LeaseWish? {
    if mustAsk || isDraining || isDry { return nil }
    let left = holdings.values.reduce(0) { $0 + $1.mark.photos - $1.recorded.photos }
    guard left < chunk else { return nil }
    wishes += 1
    return LeaseWish(photos: chunk, largest: chunk, isReversed: wishes % 8 == 0)
  }
}
