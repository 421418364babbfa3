// SPDX-License-Identifier: Apache-2.0
// The shares that this node holds: what the ledger has about them, how long they are its own, and what their lists are
// told. A value: answers of the ledger in, deeds out; no clock, no lock, no I/O; raises nothing.
//
// A lease lasts from the asking of a pulse, not from its answer. A pulse alone tells the ledger that this node lives, so
// that a new lease lasts from the pulse before it; and a good call does not prove that a lease is still this node's: a
// pulse names each. Only the answers to pulses say which photos the ledger has, so after a lost answer the node
// reports nothing before the next pulse.

package import Vocabulary

package struct LeaseBook: Sendable {
  package struct Holding: Equatable, Sendable {
    package let mark: ShareMark
    /// The list of this node that develops it; nil while that is being made.
    package var list: ListID?
    /// The photos that the ledger has.
    package var recorded: PhotoMask
    /// The number of the last report that the ledger has.
    package var sequence: UInt32
    package var serviceClass: ServiceClass
    /// Its list in the ledger is paused.
    package var isPaused = false
    /// From this time on, other nodes may have the share.
    package var deadline: Duration
    /// Its list here was told to pause.
    package var isHeld = false
    /// Its list in the ledger is cancelled.
    package var isCancelled = false
    /// Leased ahead of others, for a viewer.
    package var isAhead = false
  }

  package enum Deed: Equatable, Sendable {
    /// A list of this node is to develop the share.
    case make(Share)
    /// The share is not this node's, or not wanted: its list here ends.
    case drop(ListID)
    case hold(ListID)
    case goOn(ListID)
    case reclass(ListID, ServiceClass)
    /// The share goes back to the ledger, and any node may lease it after this time.
    case giveBack(ShareID, after: Duration)
  }

  /// The rest of a list whose share could not be made: meanwhile, other lists go first.
  private static let rest = Duration.seconds(30)

  /// The rest of a list whose servers this node does not reach: as long as the longest pause between its probes.
  private static let longRest = Duration.seconds(300)

  /// The time between two reports. Users see the progress of a cluster once a second.
  private static let reportInterval = Duration.seconds(1)

  /// Shares of paused lists that a node keeps besides those at work.
  private static let mostPaused = 4

  /// Lists whose photos wait for servers, besides those at work.
  private static let mostStanding = 1024

  /// Shares whose photos wait for servers that are well.
  private static let mostSlow = 8

  /// Shares for viewers, besides the others: the most at work, and the most in all.
  private static let (mostAhead, mostHeldAhead) = (8, 64)

  private let leaseTime: Duration
  /// The most photos of a share.
  private let chunk: Int
  package private(set) var holdings: [ShareID: Holding] = [:]
  private var shares: [ListID: ShareID] = [:]
  /// True if the ledger may have more changes than its answers show.
  package private(set) var mustAsk = true
  /// The time when the last answered pulse was sent.
  private var heard = Duration.zero
  private var isDraining = false
  /// No list is open, so that there is nothing to take over either.
  private var isQuiet = false
  private var drought = Drought()
  /// A bell that came after a question may not be in its answer.
  private var rungTime: Duration?
  private var lastReport: Duration?
  private var wishes = 0
  /// When a viewer last began to look at photos that perhaps no node has; nil when all have been leased.
  private var lookTime: Duration?
  private var wasEmpty = false
  /// Lists whose share could not be made here, and until when the node asks for none.
  private var shunned: [LedgerList: Duration] = [:]

  /// Photos that wait for servers that are well, and do not count.
  package var slow: Int { Self.mostSlow * chunk }

  package init(leaseTime: Duration, chunk: Int) {
    (self.leaseTime, self.chunk) = (leaseTime, chunk)
  }

  package subscript(_ list: ListID) -> Holding? { shares[list].flatMap { holdings[$0] } }

  // MARK: lists of this node

  /// A list of an earlier run, whose lease may be over: it waits unless the first pulse names it.
  package mutating func restore(_ list: ListID, _ mark: ShareMark, isHeld: Bool, at now: Duration) {
    holdings[mark.id] = Holding(
      mark: mark, list: list, recorded: PhotoMask(count: mark.photos), sequence: 0,
      serviceClass: .default, deadline: now, isHeld: isHeld)
    shares[list] = mark.id
    mustAsk = true
  }

  package mutating func made(_ list: ListID, for share: ShareID, at now: Duration) -> [Deed] {
    guard holdings[share] != nil else { return [.drop(list)] }
    holdings[share]?.list = list
    shares[list] = share
    return look(at: now)
  }

  /// The list could not be made: another node may try, and this one has others meanwhile.
  package mutating func failed(_ share: ShareID, at now: Duration) -> [Deed] {
    guard holdings.removeValue(forKey: share) != nil else { return [] }
    shunned[share.list] = now + Self.rest
    return [.giveBack(share, after: Self.rest)]
  }

  /// The list has ended before its share: the share is for other nodes.
  package mutating func ended(_ list: ListID) -> [Deed] { giveBack(list, after: .zero) }

  private mutating func giveBack(_ list: ListID, after delay: Duration) -> [Deed] {
    guard let share = shares[list] else { return [] }
    forget(share)
    return [.giveBack(share, after: delay)]
  }

  /// The files of the list cannot be read here: other nodes have the share at once, and for a while this one leases no
  /// more of the list, whose files it then copies again.
  package mutating func unreadable(_ list: ListID, at now: Duration) -> [Deed] {
    guard let share = shares[list] else { return [] }
    shunned[share.list] = now + Self.longRest
    return giveBack(list, after: .zero) + [.drop(list)]
  }

  /// Shares go back when this node can do nothing more for them, because all photos left wait for servers that other
  /// nodes reach, and this one does not. For a while the node leases no more of their lists.
  /// - Parameter waiting: for each list of this node, the number of photos that wait for servers that other nodes
  /// reach and this node does not reach.
  package mutating func unreached(_ waiting: [ListID: Int], at now: Duration) -> [Deed] {
    if mustAsk { return [] }
    return waiting.keys.sorted().flatMap { list -> [Deed] in
      guard let holding = self[list], !holding.isCancelled, !holding.isPaused,
        holding.mark.photos - holding.recorded.photos <= waiting[list] ?? 0
      else { return [] }
      shunned[holding.mark.id.list] = now + Self.longRest
      return giveBack(list, after: .zero) + [.drop(list)]
    }
  }

  /// The results of its photos cannot be read: other nodes develop them again.
  package mutating func broken(_ list: ListID) -> [Deed] { ended(list) + [.drop(list)] }

  /// All shares are for other nodes.
  package mutating func leave() -> [Deed] {
    holdings.keys.sorted().flatMap { share -> [Deed] in
      if let list = holdings[share]?.list { return [.drop(list)] }
      forget(share)
      return [.giveBack(share, after: .zero)]
    }
  }

  /// This node cannot work: other nodes have its shares at once, even if its lists do not end.
  package mutating func abandon() -> [Deed] {
    holdings.keys.sorted().flatMap { share -> [Deed] in
      let list = holdings[share]?.list
      forget(share)
      return [.giveBack(share, after: .zero)] + (list.map { [.drop($0)] } ?? [])
    }
  }

  private mutating func forget(_ share: ShareID) {
    guard let holding = holdings.removeValue(forKey: share), let list = holding.list else { return }
    shares[list] = nil
  }

  // MARK: answers

  /// Call when an answer is lost: the ledger may have more changes than this node has heard about.
  package mutating func lost() { mustAsk = true }

  /// - Parameter asked: when the question was sent.
  package mutating func answered(_ answer: PulseAnswer, asked: Duration, now: Duration) -> [Deed] {
    (mustAsk, heard) = (false, asked)
    isQuiet = !answer.isOpen && !isRung(since: asked)
    // A bell may have been lost, or a list goes on that was paused.
    if answer.isOpen { lookTime = lookTime ?? .zero }
    drought = isQuiet ? .whole : Drought()
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

  /// - Parameter asked: when the wish was sent.
  package mutating func leased(_ new: [Share], for wish: LeaseWish, asked: Duration) -> [Deed] {
    if !isRung(since: asked) {
      // The most urgent photos come first.
      let first = new.map(\.serviceClass).min()
      drought.learn(
        ServiceClass.allCases.filter { serviceClass in
          first.map { serviceClass < $0 && !wish.isReversed } ?? (serviceClass <= wish.leastClass)
        }, from: wish)
    }
    return new.map { take($0, sequence: 0) }
  }

  /// The time between two pulses. If no list is open and this node has no shares, it sends pulses less often, because
  /// a dead node would leave nothing to take over.
  package var interval: Duration { leaseTime / (isQuiet && holdings.isEmpty ? 2 : 4) }

  // MARK: reports

  /// The photos of the list's share that the ledger lacks, as far as they have ended here.
  package func report(_ list: ListID, _ outcomes: [Outcome]) -> ShareReport? {
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

  /// When the photos that have ended here are to be reported; nil if there are none. The last photos of a share are
  /// reported at once, because the list may end with these photos.
  /// - Parameter unreported: the photos of a share that have ended here and that the ledger lacks.
  package func reportTime(_ unreported: (Holding) -> Int) -> Duration? {
    let counts = holdings.values.filter { !$0.isCancelled }.map { ($0, unreported($0)) }
    guard counts.contains(where: { $0.1 > 0 }) else { return nil }
    let isEnd = counts.contains { $0.1 > 0 && $0.0.recorded.photos + $0.1 >= $0.0.mark.photos }
    return isEnd ? .zero : lastReport.map { $0 + Self.reportInterval } ?? .zero
  }

  package mutating func reported(_ report: ShareReport, _ verdict: Verdict, now: Duration) -> [Deed]
  {
    let share = report.share
    lastReport = now
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
  package mutating func look(at now: Duration) -> [Deed] {
    var deeds: [Deed] = []
    let before = shunned.count
    shunned = shunned.filter { $0.value > now }
    // Viewers may look at photos whose lists were left out by earlier wishes.
    if shunned.count < before { lookTime = now }
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
  package var nextDeadline: Duration? {
    holdings.values.filter { !$0.isHeld }.map(\.deadline).min()
  }

  // MARK: wishes

  /// Photos of the class may wait now.
  package mutating func rung(_ serviceClass: ServiceClass, at now: Duration) {
    (isQuiet, rungTime) = (false, now)
    drought.end(of: serviceClass)
  }

  private func isRung(since time: Duration) -> Bool { rungTime.map { $0 >= time } ?? false }

  /// A viewer looks at photos that may wait for a node.
  package mutating func looked(at now: Duration) { (isQuiet, lookTime) = (false, now) }

  /// The wish to lease such photos, whatever else this node has: one share at a time, so that several nodes have some.
  /// Nil if it wants none.
  /// - Parameters:
  ///   - waiting: the photos of lists here that wait for servers or for another attempt.
  ///   - unreported: the photos of a share that have ended here and that the ledger lacks.
  package func wishAhead(
    _ waiting: [ListID: Int] = [:], unreported: (Holding) -> Int = { _ in 0 }
  ) -> AheadWish? {
    if mustAsk || isDraining || lookTime == nil { return nil }
    let held = holdings.values.filter { $0.isAhead && !$0.isCancelled }
    let atWork = held.filter { holding in
      let left = max(0, holding.mark.photos - holding.recorded.photos - unreported(holding))
      return !holding.isPaused && (holding.list.flatMap { waiting[$0] } ?? 0) < left
    }
    return atWork.count < Self.mostAhead && held.count < Self.mostHeldAhead
      ? AheadWish(photos: LedgerFocus.largestShare, besides: shunned.keys.sorted()) : nil
  }

  /// - Parameter asked: when the wish was sent.
  package mutating func leasedAhead(_ new: [Share], asked: Duration) -> [Deed] {
    // One empty answer may only mean that other nodes had the first list.
    if new.isEmpty, wasEmpty, lookTime.map({ $0 < asked }) == true { lookTime = nil }
    wasEmpty = new.isEmpty
    return new.map { share in
      let deed = take(share, sequence: 0)
      holdings[share.id]?.isAhead = true
      return deed
    }
  }

  /// The photos that this node has of a list in the ledger.
  private struct Load {
    let list: LedgerList
    var serviceClass: ServiceClass
    var left = 0
    /// Of these, the photos that wait for servers.
    var waiting = 0
    /// Of these, the photos that wait for servers that are well.
    var slow = 0
    var paused = 0

    /// Nothing can be done for it now.
    var isStill: Bool { left > 0 && waiting == left }
  }

  private func loads(
    _ waiting: [ListID: Int], _ slow: [ListID: Int], _ unreported: (Holding) -> Int
  ) -> [Load] {
    var loads: [LedgerList: Load] = [:]
    for holding in holdings.values where !holding.isCancelled && !holding.isAhead {
      let list = holding.mark.id.list
      var load = loads[list] ?? Load(list: list, serviceClass: holding.serviceClass)
      load.serviceClass = min(load.serviceClass, holding.serviceClass)
      let left = max(0, holding.mark.photos - holding.recorded.photos - unreported(holding))
      if holding.isPaused {
        load.paused += left
      } else {
        load.left += left
        load.waiting += min(left, holding.list.flatMap { waiting[$0] } ?? 0)
        load.slow += min(left, holding.list.flatMap { slow[$0] } ?? 0)
      }
      loads[list] = load
    }
    return loads.values.sorted { $0.list < $1.list }
  }

  /// One share ahead of the one at work; less urgent ones do not count, so that they do not delay urgent photos.
  /// Nor do the photos of paused lists, as long as they are few, and those that wait for servers: others go on meanwhile,
  /// but no more of a list if the node has a whole share of it, or could not make one.
  /// Every eighth wish is for the least urgent list, so that it is not put off without end.
  /// - Parameters:
  ///   - waiting: the photos of lists here that wait for servers or for another attempt.
  ///   - slow: of these, the photos that wait for servers that are well.
  ///   - room: how many more photos can begin here.
  ///   - unreported: the photos of a share that have ended here and that the ledger lacks.
  package mutating func wish(
    _ waiting: [ListID: Int] = [:], slow: [ListID: Int] = [:], room: Int = .max,
    unreported: (Holding) -> Int = { _ in 0 }
  ) -> LeaseWish? {
    if mustAsk || isDraining { return nil }
    let loads = loads(waiting, slow, unreported)
    let full = loads.filter { $0.left >= chunk }.map(\.list) + shunned.keys
    let standing = loads.filter { $0.left >= chunk || $0.isStill }
    let room = room - unmade
    let sizes = ServiceClass.allCases.map { serviceClass in
      standing.count { $0.serviceClass <= serviceClass } < Self.mostStanding
        ? size(loads.filter { $0.serviceClass <= serviceClass }, room: room) : nil
    }
    guard let least = ServiceClass.allCases.last(where: { sizes[Int($0.rawValue)] != nil }),
      let size = sizes[Int(least.rawValue)]
    else { return nil }
    let isForAll = least == .background
    let wish = LeaseWish(
      photos: size, largest: size, upTo: least, isReversed: isForAll && wishes % 8 == 7,
      full: Set(full).sorted(),
      // The ledger counts them in shares of the size that is wanted.
      standing: standing.map { LeaseWish.Standing($0.list, photos: $0.left * size / chunk) })
    if drought.covers(wish) { return nil }
    if isForAll { wishes += 1 }
    return wish
  }

  /// The size of a share that is to be leased besides these; nil for none. If photos wait for slow servers, the node
  /// leases no more others than can begin, because other nodes may have room for the rest.
  private func size(_ loads: [Load], room: Int) -> Int? {
    let ready = loads.reduce(0) { $0 + $1.left - $1.waiting }
    let paused = max(0, loads.reduce(0) { $0 + $1.paused } - Self.mostPaused * chunk)
    if ready + paused >= chunk { return nil }
    if ready + paused + loads.reduce(0, { $0 + $1.slow }) < chunk { return chunk }
    return room > 0 ? min(chunk, max(LeaseWish.leastShare, room)) : nil
  }

  /// The photos of shares that are leased, and whose lists are being made.
  package var unmade: Int {
    holdings.values.reduce(0) { $1.list == nil ? $0 + $1.mark.photos - $1.recorded.photos : $0 }
  }
}
