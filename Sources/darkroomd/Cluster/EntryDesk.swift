// SPDX-License-Identifier: Apache-2.0
// The lists that were dropped at this node and that all nodes develop: has them submitted, has them steered in the
// ledger, and follows it. The end of a photo is recorded here only when it is in the ledger. Raises a `Failure`:
// `machine` while the ledger does not answer.
// Concurrency model: one Mutex around the lists that are followed; one task follows them.

import Accept
import Cluster
import Files
import Linux
import Record
import Synchronization
import Vocabulary

final class EntryDesk: Sendable {
  private struct State {
    var followed: [ListID: EntryPost.Ticket] = [:]
    /// Over in the ledger, or gone from it.
    var over: Set<ListID> = []
  }

  private let office: any ListOffice
  private let maker: ShareMaker
  private let post: EntryPost
  private let index: ListIndex
  private let mirror: EntryMirror
  private let health: HealthBoard
  private let clock: any Timekeeper
  /// Between two looks at the ledger.
  private let interval: Duration
  private let leaseTime: Duration
  private let state = Mutex(State())
  private let bell = ChangeSignal()
  private let changes: ChangeSignal

  init(
    _ maker: ShareMaker, _ settings: Settings.Cluster, lists: OpenLists, narrator: Narrator,
    _ health: HealthBoard, changes: ChangeSignal
  ) {
    (office, index, clock) = (maker.office, maker.index, maker.clock)
    (self.maker, leaseTime) = (maker, settings.leaseTime)
    (self.health, self.changes) = (health, changes)
    post = EntryPost(
      office: maker.office, shelf: maker.shelf, folders: maker.folders, index: maker.index,
      lists: lists)
    mirror = EntryMirror(
      office: maker.office, recorder: maker.recorder, lists: lists, keeper: maker.keeper,
      narrator: narrator)
    interval = min(.seconds(1), settings.leaseTime / 8)
  }

  /// A list was steered, or is over.
  func ring() { bell.changed() }

  // MARK: the life of an entry

  /// Submits the list, unless that was done, and follows it from then on.
  func open(_ list: ListID) async throws(Failure) {
    follow(list, try await post.ticket(of: list))
  }

  private func follow(_ list: ListID, _ ticket: EntryPost.Ticket) {
    state.withLock { $0.followed[list] = ticket }
    bell.changed()
  }

  func forget(_ list: ListID) {
    state.withLock { state in
      state.followed[list] = nil
      state.over.remove(list)
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

  /// Its copy and its results are in `done`.
  func returned(_ list: ListID) async throws(Failure) {
    guard let terms = index[list]?.terms, let number = terms.ledger else { return }
    try await office.returned(number, from: terms.originText)
  }

  // MARK: following

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in await adopt() }
      await follow()
    }
  }

  /// Lists whose own nodes were silent when they ended are for other nodes.
  private func adopt() async {
    while !Task.isCancelled {
      do throws(Failure) {
        for list in try await office.closed() { await adopt(list) }
      } catch { report(error) }
      await clock.rest(leaseTime / 2)
    }
  }

  /// Trouble with one list holds up no other.
  private func adopt(_ list: LedgerList) async {
    do throws(Failure) {
      // Its return here is over, and the ledger has not heard of it.
      if let entry = try await maker.adopt(list), isReturned(entry) {
        try await office.returned(list, from: nil)
      }
    } catch { report(error) }
  }

  private func isReturned(_ entry: ListID) -> Bool {
    maker.recorder.ledger { $0[entry] == nil || $0.isArchived(entry) }
  }

  private func report(_ failure: Failure) {
    if Task.isCancelled || failure.isLedgerSilence { return }
    health.report(failure, waits: "lists of other nodes are not returned")
  }

  private func follow() async {
    var troubled: Set<ListID> = []
    while !Task.isCancelled {
      let (seen, followed) = (bell.version, state.withLock { $0.followed })
      for (list, ticket) in followed.sorted(by: { $0.key < $1.key }) {
        do throws(Failure) {
          try await look(at: list, ticket)
          if troubled.remove(list) != nil { health.set(nil, for: .list(list)) }
        } catch {
          if Task.isCancelled { return }
          // `ShareDesk` tells that the ledger does not answer.
          if error.isLedgerSilence { continue }
          health.set(error, for: .list(list))
          troubled.insert(list)
        }
      }
      troubled.formIntersection(followed.keys)
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
