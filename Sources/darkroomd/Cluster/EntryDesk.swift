// SPDX-License-Identifier: Apache-2.0
// The lists that were dropped at this node and that all nodes develop: has them submitted, has them steered in the
// ledger, and follows it. The end of a photo is recorded here only when it is in the ledger. Keeps their files on the
// shelf. Raises a `Failure`: `machine` while the ledger does not answer.
// Concurrency model: one Mutex around the lists that are followed; one task follows them, and one, which may hang with
// the shelf, looks at their files.

import Accept
import Cluster
import Files
import Linux
import Record
import Synchronization
import Vocabulary

final class EntryDesk: OnGround {
  private struct State {
    var followed: [ListID: EntryPost.Ticket] = [:]
    /// Over in the ledger, or gone from it.
    var over: Set<ListID> = []
    var checks = EntryChecks()
    var troubles = EntryTroubles()
  }

  let ground: Ground
  private let office: any ListOffice
  private let maker: ShareMaker
  private let post: EntryPost
  private let mirror: EntryMirror
  private let files: EntryFiles
  /// Between two looks at the ledger.
  private let interval: Duration
  private let leaseTime: Duration
  /// With a list that is over and whose files are missing.
  private static let patience = Duration.seconds(86_400)

  private let state = Mutex(State())
  private let bell = ChangeSignal()

  init(_ maker: ShareMaker, _ settings: Settings.Cluster) {
    (ground, office, self.maker, leaseTime) = (
      maker.ground, maker.office, maker, settings.leaseTime
    )
    post = EntryPost(ground: maker.ground, office: maker.office, shelf: maker.shelf)
    mirror = EntryMirror(ground: maker.ground, office: maker.office, keeper: maker.keeper)
    files = EntryFiles(ground: maker.ground, office: maker.office, shelf: maker.shelf)
    interval = min(.seconds(1), settings.leaseTime / 8)
  }

  /// A list was steered, or is over.
  func ring() { bell.changed() }

  /// A node cannot have the files of the list.
  func lacks(_ list: LedgerList) {
    state.withLock { state in
      for (own, ticket) in state.followed where ticket.number == list {
        state.checks.asked(own, at: clock.uptime())
      }
    }
    bell.changed()
  }

  // MARK: the life of an entry

  /// Submits the list, unless that was done, and follows it from then on.
  func open(_ list: ListID) async throws(Failure) {
    let isKnown = index[list]?.terms.ledger != nil
    follow(list, try await post.ticket(of: list))
    if isKnown { state.withLock { $0.checks.began(list, at: clock.uptime()) } }
    bell.changed()
  }

  private func follow(_ list: ListID, _ ticket: EntryPost.Ticket) {
    state.withLock { $0.followed[list] = ticket }
    bell.changed()
  }

  func forget(_ list: ListID) {
    state.withLock { state in
      state.followed[list] = nil
      state.over.remove(list)
      state.checks.forget(list)
      state.troubles.forget(list)
    }
  }

  /// In the ledger; submits the list unless that was done.
  func number(of list: ListID) async throws(Failure) -> LedgerList {
    try await post.ticket(of: list).number
  }

  /// For a person: the ledger first, then the record here.
  func order(_ turn: ListLife.Turn, of list: ListID) async throws(Failure) {
    guard let ask = turn.ask else { return }
    let order = ListOrder(ask)
    let ticket = try await post.ticket(of: list)
    let isDone = try await office.order(order, of: ticket.number, from: ticket.origin)
    if isDone || order != .cancel { return }
    // Its last photos have ended meanwhile: it is finished, not cancelled.
    if try await office.entry(ticket.origin)?.state == .finished { throw .overtaken }
  }

  /// Returns when no node has a share of the list, which is cancelled.
  func over(_ list: ListID) async {
    while !Task.isCancelled {
      let seen = changes.version
      let isOver = state.withLock { $0.followed[list] == nil || $0.over.contains(list) }
      if isOver { return }
      await changes.change(after: seen)
    }
  }

  /// The copy and the results of the list with these terms are in `done`. The list itself may be gone.
  func returned(_ terms: FrozenSettings) async throws(Failure) {
    var number = terms.ledger
    // The answer to its submission may be lost.
    if number == nil { number = try await office.entry(terms.originText)?.list }
    guard let number else { return }
    try await office.returned(number, from: terms.originText)
  }

  // MARK: following

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in await adopt() }
      group.addTask { [self] in await checkFiles() }
      await follow()
    }
  }

  /// Lists whose own nodes were silent when they ended are for other nodes.
  private func adopt() async {
    // Since when the files of lists are missing: a restore may be under way.
    var missing: [LedgerList: Duration] = [:]
    while !Task.isCancelled {
      do throws(Failure) {
        var trouble: Failure?
        let lists = try await office.closed()
        let closed = Set(lists)
        missing = missing.filter { closed.contains($0.key) }
        for list in lists {
          let failure = await adopt(list, &missing)
          if failure?.isLedgerSilence != true { trouble = trouble ?? failure }
        }
        if Task.isCancelled { return }
        if trouble != health.health[.returns] { health.set(trouble, for: .returns) }
      } catch {
        if !Task.isCancelled, !error.isLedgerSilence { health.set(error, for: .returns) }
      }
      await clock.rest(leaseTime / 2)
    }
  }

  /// Trouble with one list holds up no other.
  private func adopt(
    _ list: LedgerList, _ missing: inout [LedgerList: Duration]
  ) async -> Failure? {
    do throws(Failure) {
      let entry: ListID?
      do throws(Failure) { entry = try await maker.adopt(list) } catch {
        guard error.isOfMissingList else { throw error }
        let now = clock.uptime()
        let since = missing[list] ?? now
        missing[list] = since
        if now - since < Self.patience { throw error }
        // No node can return it: its own node is gone, and its files are.
        let loss = Failure(
          .final, code: error.code,
          reason: "a list of another node is over and cannot be returned: \(error.reason)")
        try await office.returned(list, from: nil)
        missing[list] = nil
        health.report(loss, waits: "the list has no copy and no results in done")
        return nil
      }
      missing[list] = nil
      // Its return here is over, and the ledger has not heard of it.
      if let entry, isReturned(entry) { try await office.returned(list, from: nil) }
      return nil
    } catch { return error }
  }

  private func isReturned(_ entry: ListID) -> Bool {
    maker.recorder.ledger { $0[entry] == nil || $0.isArchived(entry) }
  }

  private func follow() async {
    while !Task.isCancelled {
      let (seen, followed) = (bell.version, state.withLock { $0.followed })
      for (list, ticket) in followed.sorted(by: { $0.key < $1.key }) {
        do throws(Failure) {
          try await look(at: list, ticket)
          show(nil, of: .ledger, list)
        } catch {
          if Task.isCancelled { return }
          // `ShareDesk` tells that the ledger does not answer.
          if error.isLedgerSilence { continue }
          show(error, of: .ledger, list)
        }
      }
      if followed.isEmpty {
        await bell.change(after: seen)
      } else {
        await bell.change(after: seen, within: interval, on: clock)
      }
    }
  }

  private func look(at list: ListID, _ ticket: EntryPost.Ticket) async throws(Failure) {
    guard let progress = try await office.entry(ticket.origin), progress.list == ticket.number
    else {
      if mirror.isOver(list) { return noteOver(list) }
      return follow(list, try await post.renew(list))
    }
    try await mirror.follow(list, progress, from: ticket.origin)
    if progress.state.isFinal { noteOver(list) }
  }

  private func noteOver(_ list: ListID) {
    if state.withLock({ $0.over.insert(list).inserted }) { changes.changed() }
  }

  /// Also sets `health`, because a list takes trouble from outside only while it is open.
  private func show(_ failure: Failure?, of source: EntryTroubles.Source, _ list: ListID) {
    // Within the lock: the news of two sources come in their order, and none after the list is forgotten.
    state.withLock { state in
      guard state.followed[list] != nil,
        let news = state.troubles.set(failure, of: source, for: list)
      else { return }
      maker.keeper.happened(.troubled(news.failure), to: list)
      health.set(news.failure, for: .list(list))
    }
  }

  // MARK: files

  private func checkFiles() async {
    while !Task.isCancelled {
      let (seen, now) = (bell.version, clock.uptime())
      let next = state.withLock { state in
        state.checks.next(at: now).map { ($0, state.followed[$0.list]) }
      }
      if let (check, ticket) = next {
        if let ticket { await look(after: check, ticket) }
      } else if let time = state.withLock({ $0.checks.nextTime }) {
        await bell.change(after: seen, within: time - now, on: clock)
      } else {
        await bell.change(after: seen)
      }
    }
  }

  private func look(after check: EntryChecks.Check, _ ticket: EntryPost.Ticket) async {
    let list = check.list
    var failure: Failure?
    do throws(Failure) {
      if try await files.differ(list, ticket, reading: check.isReading) {
        if state.withLock({ $0.checks.found(list) }) { show(EntryFiles.lost, of: .files, list) }
        try await files.putAgain(list, ticket)
      }
    } catch { failure = error }
    if Task.isCancelled { return }
    let now = clock.uptime()
    if failure?.isLedgerSilence == true {
      return state.withLock { $0.checks.undecided(check, at: now) }
    }
    if state.withLock({ $0.checks.ended(check, isWell: failure == nil, at: now) }) {
      show(failure, of: .files, list)
    }
  }
}

extension ListOrder {
  init(_ ask: ListLife.Ask) {
    switch ask {
    case .pause: self = .pause
    case .resume: self = .resume
    case .cancel: self = .cancel
    case .quality(let serviceClass): self = .quality(serviceClass)
    }
  }
}

extension ListLife.Turn {
  /// Nil for the end that a list reaches by itself.
  fileprivate var ask: ListLife.Ask? {
    switch self {
    case .paused: .pause
    case .resumed: .resume
    case .cancelled: .cancel
    case .quality(let serviceClass): .quality(serviceClass)
    case .finished: nil
    }
  }
}
