// SPDX-License-Identifier: Apache-2.0
// Leases shares and seats at servers, has lists made of the shares, and reports their photos. The reports follow from
// the record and the rows of results of this node, so a restart reports the rest. Raises nothing: trouble of the ledger
// is shown, and the call repeated.
// Concurrency model: one Mutex around the book, one around notes. One task asks the ledger, one thing after the other,
// so that no answer overtakes another; another one makes lists.

import Chain
import Cluster
import Linux
import Record
import Synchronization
import Vocabulary

final class ShareDesk: OnGround {
  let ground: Ground
  private let office: any ListOffice
  private let maker: ShareMaker
  private let rows: ShareRows
  private let focus: FocusDesk
  private let keeper: ListKeeper
  private let chains: ChainRunner<PhotoStages>
  private let leaseTime: Duration
  private let book: Mutex<LeaseBook>
  private let orders: AsyncStream<Errand>
  private let order: AsyncStream<Errand>.Continuation
  private let notes = Mutex(Notes())

  private enum Errand: Sendable {
    case make(Share)
    /// The copy of a list's files is damaged.
    case drop(FileName)
  }

  private struct Returned: Sendable {
    let id: ShareID
    let delay: Duration
  }

  /// For the task that asks the ledger, and from it.
  private struct Notes {
    var isRung = false
    var returns: [Returned] = []
    var silence: Silence?
    var shortage: Silence?
    var seats = SeatBook()
    /// Why the last request for seats has no answer.
    var seatTrouble: Failure?
    var focus = FocusBook()
    var lacked = LackedFiles()
    /// When a share could last not be made because of this machine. None is leased for a while then.
    var failed: Duration?
    /// Since when this machine has had a trouble in which no photo goes on.
    var heldSince: Duration?

    mutating func answered(
      _ request: SeatRequest, _ answer: Result<[SeatGrant], Failure>?
    ) -> [SeatGrant]? {
      seatTrouble = if case .failure(let failure) = answer { failure } else { nil }
      return seats.answered(request, try? answer?.get())
    }
  }

  private static let start = Failure(
    .machine, code: "ledger.start", reason: "it has not answered yet")
  /// Between two looks at what has ended here.
  private static let rest = Duration.milliseconds(200)
  /// Before the next lease, if a share could not be made here.
  private static let patience = Duration.seconds(30)
  /// Between two attempts while the ledger does not answer.
  private static let again = Duration.seconds(1)

  init(
    _ maker: ShareMaker, _ settings: Settings.Cluster, chains: ChainRunner<PhotoStages>
  ) {
    self.chains = chains
    (ground, office, self.maker, keeper) = (maker.ground, maker.office, maker, maker.keeper)
    let start = Silence(failure: Self.start, since: maker.clock.wallTime())
    notes.withLock { $0.silence = start }
    rows = ShareRows(ground: maker.ground)
    focus = FocusDesk(ground: maker.ground, chains: chains)
    leaseTime = settings.leaseTime
    book = Mutex(LeaseBook(leaseTime: settings.leaseTime, chunk: settings.chunk))
    (orders, order) = AsyncStream.makeStream()
  }

  /// Call at the start for the shares of earlier runs that are not settled, before their lives begin.
  func restore(_ list: ListID, _ mark: ShareMark) {
    let isHeld = recorder.ledger { $0[list]?.state } == .paused
    book.withLock { $0.restore(list, mark, isHeld: isHeld, at: clock.uptime()) }
  }

  /// Photos wait, a viewer looks at some, or a list was steered.
  func ring(_ bell: LedgerBell) {
    switch bell {
    case .work(let serviceClass): book.withLock { $0.rung(serviceClass, at: clock.uptime()) }
    case .list: notes.withLock { $0.isRung = true }
    case .focus(let list): notes.withLock { $0.focus.rung(list) }
    case .ahead: book.withLock { $0.looked(at: clock.uptime()) }
    case .seats: return wantSeats()
    case .over, .files: return
    }
    changes.changed()
  }

  /// Photos wait for seats, or other nodes wait for seats of this node.
  func wantSeats() {
    if notes.withLock({ $0.seats.want() }) { changes.changed() }
  }

  /// Nil while the ledger answers.
  var silence: Silence? { notes.withLock { $0.silence } }

  /// Why no node takes new photos; nil while this node does, and while the ledger does not answer.
  var shortage: Silence? { notes.withLock { $0.silence == nil ? $0.shortage : nil } }

  /// The photos whose end the ledger does not know yet.
  var outbox: Int {
    unreported().values.reduce(0, +)
  }

  /// Gives all shares back.
  func leave() { perform(book.withLock { $0.leave() }) }

  /// Returns when the ledger has the share's photos, or the share is not this node's any more. Raises `cancelled`.
  func handIn(_ list: ListID) async throws(Failure) {
    while true {
      let seen = changes.version
      if Task.isCancelled { throw .cancelled }
      if book.withLock({ $0[list] }) == nil { return }
      await changes.change(after: seen)
    }
  }

  /// The files of the share cannot be read. No person can end a share, so other nodes get it.
  func unreadable(_ list: ListID, _ failure: Failure) {
    guard let share = book.withLock({ $0[list] })?.mark.id else { return }
    let label = index[list]
    if let copy = label?.terms.copy { order.yield(.drop(copy)) }
    let name = label.map { " of list '\(Printable.text(Array($0.name.stem)))'" } ?? ""
    perform(book.withLock { $0.unreadable(list, at: clock.uptime()) })
    lack(
      share.list,
      Failure(
        .machine, scope: .one, code: failure.code, reason: failure.reason,
        advice: "The node tries again after five minutes"
      ).ofFiles("\(name.dropFirst()) cannot be read"))
  }

  /// No share of the list can be made here.
  private func lack(_ list: LedgerList, _ failure: Failure) {
    let now = clock.uptime()
    notes.withLock { $0.lacked.failed(list, mustTell: failure.kind == .machine, at: now) }
    health.set(failure, for: .share(list))
  }

  // MARK: the loops

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in await make() }
      group.addTask { [self] in
        // With each pulse.
        let (shelf, state) = (maker.shelf, folders.state)
        await ShelfWatch(
          trouble: { shelf.trouble }, writeTrouble: { shelf.writeTrouble(through: state) },
          health: health, clock: clock
        ).run { book.withLock(\.interval) }
      }
      await ask()
      order.finish()
      group.cancelAll()
    }
  }

  /// No photo of the cluster goes on here.
  private var isHeld: Bool {
    let health = health.health
    return health.hold != nil || health[.blobs] != nil
  }

  private func make() async {
    for await errand in orders {
      switch errand {
      case .make(let share): await make(share)
      case .drop(let copy): await onDisk { [maker] in try? maker.drop(copy) }
      }
    }
  }

  private func make(_ share: Share) async {
    do throws(Failure) {
      let list = try await maker.make(share)
      if health.health[.shares] != nil { health.set(nil, for: .shares) }
      if notes.withLock({ $0.lacked.forget(share.id.list) }) {
        health.set(nil, for: .share(share.id.list))
      }
      perform(book.withLock { $0.made(list, for: share.id, at: clock.uptime()) })
    } catch {
      let now = clock.uptime()
      perform(book.withLock { $0.failed(share.id, at: now) })
      if error.kind == .final || error.scope == .one {
        // Trouble with one list holds up no other.
        lack(share.id.list, error)
      } else if error.kind == .machine {
        if !error.isLedgerSilence { health.set(error, for: .shares) }
        notes.withLock { $0.failed = now }
      }
    }
  }

  /// The homes of lists whose files this node lacks hear of it, once the shares are for other nodes.
  private func tellHomes() async throws(Failure) {
    while let list = notes.withLock({ $0.returns.isEmpty ? $0.lacked.toTell : nil }) {
      try await office.lacks(list)
      notes.withLock { $0.lacked.told(list) }
    }
  }

  /// Shows no trouble with a list that is over.
  private func lookAtLacked() async throws(Failure) {
    guard let list = notes.withLock({ $0.lacked.next() }),
      try await office.progress(of: list)?.state.isFinal ?? true
    else { return }
    if notes.withLock({ $0.lacked.forget(list) }) { health.forget(list) }
  }

  private func ask() async {
    var lastPulse: Duration?
    var returns: [Returned] = []
    while !Task.isCancelled {
      let seen = changes.version
      var pause = Self.rest
      do throws(Failure) {
        let mustLook = notes.withLock { notes in
          defer { notes.isRung = false }
          return notes.isRung
        }
        if mustLook || clock.uptime() >= due(lastPulse) || book.withLock(\.mustAsk) {
          lastPulse = clock.uptime()
          try await pulse()
          try await lookAtLacked()
        }
        try await turnToViewers()
        try await turn()
        // Other nodes are told once in a lease that a server answers.
        let unreached = chains.unreachedPhotos(within: leaseTime * 2)
        perform(book.withLock { $0.unreached(unreached, at: clock.uptime()) })
        if isHeldForLong() { perform(book.withLock { $0.abandon() }) }
        returns += taken()
        while let share = returns.first {
          _ = try await office.giveBack(share.id, after: share.delay, waits: [])
          returns.removeFirst()
        }
        try await tellHomes()
        heard(notes.withLock(\.seatTrouble))
      } catch {
        if Task.isCancelled || error == .cancelled { return }
        book.withLock { $0.lost() }
        heard(error)
        pause = Self.again
      }
      perform(book.withLock { $0.look(at: clock.uptime()) })
      await clock.rest(pause)
      await changes.change(
        after: seen, within: max(.zero, next(lastPulse) - clock.uptime()), on: clock)
    }
  }

  /// When something is to be done without a change.
  private func next(_ lastPulse: Duration?) -> Duration {
    let (now, book) = (clock.uptime(), book.withLock { $0 })
    if book.mustAsk { return now }
    // A report that was due and could not be made waits for a change.
    let report = book.reportTime(rows.unreported).flatMap { $0 > now ? $0 : nil }
    return [due(lastPulse), book.nextDeadline, report].compactMap { $0 }.min() ?? now
  }

  /// The next pulse; earlier if seats are to be asked for.
  private func due(_ last: Duration?) -> Duration {
    let next = last.map { $0 + book.withLock(\.interval) } ?? .zero
    return notes.withLock { min(next, $0.seats.due ?? next) }
  }

  private func heard(_ failure: Failure?) {
    let time = clock.wallTime()
    let (before, now) = notes.withLock { notes in
      let before = notes.silence
      notes.silence = failure.map { before?.next($0) ?? Silence(failure: $0, since: time) }
      return (before, notes.silence)
    }
    guard before != now else { return }
    health.set(now?.trouble, for: .ledger)
    if let before, let now, now.isNews(after: before) {
      health.report(now.trouble, waits: Health.ledgerWaits)
    }
  }

  private func pulse() async throws(Failure) {
    let asked = clock.uptime()
    let (claims, limits) = chains.claimSeats()
    let request = notes.withLock { $0.seats.request(claims, limits, at: asked) }
    let answer = try await office.pulse(request)
    if let request, let seats = notes.withLock({ $0.answered(request, answer.seats) }) {
      chains.grantSeats(seats, until: asked + leaseTime)
    }
    // Bells may have been lost.
    notes.withLock { $0.focus.lost() }
    perform(book.withLock { $0.answered(answer, asked: asked, now: clock.uptime()) })
    // No wish is sent then.
    if !answer.isOpen { endOldTrouble() }
    // A node that does not drain takes photos itself.
    note(answer.isDraining ? try await office.nodes() : [], isOpen: answer.isOpen)
  }

  /// - Parameter isOpen: a list of the cluster is.
  private func note(_ nodes: [NodeFacts], isOpen: Bool) {
    let failure = NodeShortage.failure(nodes, quiet: NodeCalls.quiet(in: leaseTime))
    let time = clock.wallTime()
    let isNew = notes.withLock { notes in
      let before = notes.shortage
      notes.shortage = failure.map { before?.next($0) ?? Silence(failure: $0, since: time) }
      return (before == nil) != (failure == nil)
    }
    if isNew { changes.changed() }
    let trouble = isOpen ? failure : nil
    if health.health[.nodes] != trouble { health.set(trouble, for: .nodes) }
  }

  /// Leases the photos that viewers look at, and lets those that this node has go first.
  private func turnToViewers() async throws(Failure) {
    let held = book.withLock { Array($0.holdings.values) }
    let questions = notes.withLock { $0.focus.takeQuestions(held) }
    if !questions.isEmpty {
      let asked = clock.uptime()
      let answer = try await office.focuses(on: questions.sorted())
      notes.withLock { $0.focus.answered(questions, answer, asked: asked) }
    }
    if mayLease, let wish = nextWishAhead() {
      let asked = clock.uptime()
      let shares = try await office.leaseAhead(wish)
      perform(book.withLock { $0.leasedAhead(shares, asked: asked) })
    }
    for deed in notes.withLock({ $0.focus.deeds(held, at: clock.uptime()) })
    where await focus.tell(deed) {
      notes.withLock { $0.focus.did(deed) }
    }
  }

  /// One transaction for the reports of all shares, and for new ones.
  private func turn() async throws(Failure) {
    for list in book.withLock({ book in book.holdings.values.compactMap(\.list) }) {
      if recorder.ledger({ $0[list]?.state ?? .cancelled }) == .cancelled {
        perform(book.withLock { $0.ended(list) })
      }
    }
    let wish = mayLease ? nextWish() : nil
    let now = book.withLock { $0 }
    let reportTime = now.reportTime(rows.unreported) ?? .zero
    if wish == nil, reportTime > clock.uptime() { return }
    let look = await onDisk { [rows] in rows.look(now) }
    for list in look.broken { perform(book.withLock { $0.broken(list) }) }
    let reports = look.reports
    if reports.isEmpty, wish == nil { return }
    let asked = clock.uptime()
    let turn = try await office.turn(reports, lease: wish)
    if let wish, turn.shares.isEmpty, wish.leastClass == .background {
      endOldTrouble(besides: wish.full)
    }
    perform(
      book.withLock { book in
        let now = clock.uptime()
        var deeds: [LeaseBook.Deed] = []
        for (report, verdict) in zip(reports, turn.verdicts) {
          deeds += book.reported(report, verdict, now: now)
        }
        if let wish { deeds += book.leased(turn.shares, for: wish, asked: asked) }
        return deeds
      })
    changes.changed()
  }

  /// The ledger has no share for this node. Those that could not be made would have been leased again by now, if other
  /// nodes had left them.
  /// - Parameter full: the lists that were refused.
  private func endOldTrouble(besides full: [LedgerList] = []) {
    if book.withLock({ $0.unmade > 0 }) { return }
    let (now, patience) = (clock.uptime(), max(Self.patience, leaseTime) * 4)
    let (failed, over) = notes.withLock { notes in
      (notes.failed, notes.lacked.nothingLeft(besides: full, after: patience, at: now))
    }
    for list in over { health.forget(list) }
    if now - (failed ?? .zero) >= patience { health.forgetShares() }
  }

  /// After the time of a lease, other nodes have the photos of a machine in trouble, as if it were dead.
  private func isHeldForLong() -> Bool {
    let (isHeld, now) = (self.isHeld, clock.uptime())
    return notes.withLock { notes in
      notes.heldSince = isHeld ? notes.heldSince ?? now : nil
      return notes.heldSince.map { now - $0 >= leaseTime } ?? false
    }
  }

  private var mayLease: Bool {
    let failed = notes.withLock(\.failed)
    let mayTryAgain = failed.map { clock.uptime() >= $0 + min(Self.patience, leaseTime) } ?? true
    return !isHeld && mayTryAgain
  }

  private func nextWishAhead() -> AheadWish? {
    if book.withLock({ $0.wishAhead() }) == nil { return nil }
    let waiting = chains.waitingPhotos(slow: book.withLock(\.slow)).counts
    let counts = unreported()
    return book.withLock { $0.wishAhead(waiting, unreported: { counts[$0.mark.id] ?? 0 }) }
  }

  private func nextWish() -> LeaseWish? {
    let waiting = chains.waitingPhotos(slow: book.withLock(\.slow))
    let counts = unreported()
    return book.withLock {
      $0.wish(
        waiting.counts, slow: waiting.slow, room: waiting.room,
        unreported: { counts[$0.mark.id] ?? 0 })
    }
  }

  /// The photos of each share that have ended here and that the ledger lacks: a node that has ended its photos leases
  /// more before it reports them.
  private func unreported() -> [ShareID: Int] {
    book.withLock { $0.holdings }.mapValues { rows.unreported($0) }
  }

  // MARK: deeds

  private func taken() -> [Returned] {
    notes.withLock { notes in
      defer { notes.returns = [] }
      return notes.returns
    }
  }

  private func perform(_ deeds: [LeaseBook.Deed]) {
    for deed in deeds {
      switch deed {
      case .make(let share): order.yield(.make(share))
      case .drop(let list): keeper.happened(.asked(.cancel, .ledger), to: list)
      case .hold(let list): keeper.happened(.asked(.pause, .ledger), to: list)
      case .goOn(let list): keeper.happened(.asked(.resume, .ledger), to: list)
      case .reclass(let list, let serviceClass):
        keeper.happened(.asked(.quality(serviceClass), .ledger), to: list)
      case .giveBack(let share, let delay):
        notes.withLock { $0.returns.append(Returned(id: share, delay: delay)) }
      }
    }
    if !deeds.isEmpty { changes.changed() }
  }
}
