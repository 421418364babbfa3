// SPDX-License-Identifier: Apache-2.0
// Keeps the lives of all lists: one loop takes events and performs the resulting actions. `run` returns when
// all effects have ended after `stop`. `ask` raises the failure that the list's life answers with, and
// `cancelled` after `stop`.
// Concurrency model: the lives belong to the task in `run`; other tasks and threads send letters, which it
// reads in order. Asynchronous effects run as its children and report by letters.

import Linux
import Record
import Vocabulary

extension ListLives.Birth {
  /// The label is not known if `about` cannot be read.
  init(_ entry: ListEntry, _ label: ListLabel?) {
    self.init(
      entry.id, entry.state, of: label?.owner ?? 0, prints: label?.terms.prints,
      revises: label?.terms.revises, serviceClass: entry.acceptance.serviceClass,
      isShare: label?.terms.share != nil)
  }
}

/// The effects of a list's life. The asynchronous ones may take long.
protocol ListEffects: Sendable {
  func record(
    _ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?
  ) async -> Failure?
  /// Takes over the prints of earlier lists, which are over.
  func takeOver(_ list: ListID) async -> Failure?
  /// Reads the list and hands it to the chains, paused.
  func open(_ list: ListID) async -> Failure?
  /// Returns when no photo of the list is being worked on.
  func idle(_ list: ListID) async
  /// Makes the copy and the results in `done`.
  func giveBack(_ list: ListID) async -> Failure?

  /// The record has the list, and not as over.
  func isOpen(_ list: ListID) -> Bool

  func pauseChains(_ list: ListID)
  func resumeChains(_ list: ListID)
  func setClass(_ serviceClass: ServiceClass, of list: ListID)
  func dropChains(_ list: ListID)
  func tell(_ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?)
  func health(_ failure: Failure?, of list: ListID)
  func copyHealth(_ failure: Failure?, of list: ListID)
  /// Releases everything that is kept for the list.
  func forget(_ list: ListID)
  /// The last list is forgotten: releases what is kept for any list.
  func forgetAll()
}

final class ListKeeper: Sendable {
  private enum Letter: Sendable {
    case begin(ListLives.Birth)
    case event(ListID, ListLife.Event)
    case ask(ListID, ListLife.Ask, user: UInt32, Reply<Failure?>)
    case look(Reply<ListLives?>)
    case relieve
  }

  private let letters: AsyncStream<Letter>
  private let mail: AsyncStream<Letter>.Continuation
  private let clock: any Timekeeper
  /// Rings after each letter that may have changed a life.
  let changes: ChangeSignal

  init(clock: any Timekeeper, changes: ChangeSignal) {
    (letters, mail) = AsyncStream.makeStream()
    self.clock = clock
    self.changes = changes
  }

  // MARK: letters

  /// Begins the life of a recorded list; does nothing if it has begun already.
  func begin(_ birth: ListLives.Birth) { mail.yield(.begin(birth)) }

  func happened(_ event: ListLife.Event, to list: ListID) { mail.yield(.event(list, event)) }

  /// Returns when the change is durable and, after a cancel, no photo of the list is being worked on.
  func ask(
    _ ask: ListLife.Ask, of list: ListID, by user: UInt32
  ) async throws(Failure) {
    let failure = await Reply.wait { reply in
      if case .terminated = mail.yield(.ask(list, ask, user: user, reply)) {
        reply.give(.cancelled)
      }
    }
    if let failure { throw failure }
  }

  /// Returns when nothing waits for the list's copy any more; false after the keeper's stop, or if the task is cancelled.
  func abandon(_ list: ListID) async -> Bool {
    // Once: a return that hangs leaves much time, and each letter wakes all who watch the lists.
    happened(.abandoned, to: list)
    while !Task.isCancelled {
      let seen = changes.version
      guard let lives = await lives() else { return false }
      if lives[list] == nil { return true }
      await changes.change(after: seen)
    }
    return false
  }

  /// A disk is better: what waits for this machine is tried at once.
  func relieve() { mail.yield(.relieve) }

  /// The lives after all earlier letters; nil when the keeper has stopped.
  func lives() async -> ListLives? {
    await Reply.wait { reply in
      if case .terminated = mail.yield(.look(reply)) { reply.give(nil) }
    }
  }

  /// Begins nothing after the letters that are sent, and cancels the running effects; `run` returns when they
  /// have ended.
  func stop() { mail.finish() }

  // MARK: the loop

  func run(_ effects: any ListEffects) async {
    var lives = ListLives()
    /// Requests about lists that are recorded and whose life begins soon.
    var early: [ListID: [ListLife.Event]] = [:]
    var askers: [UInt64: Reply<Failure?>] = [:]
    var lastAsker: UInt64 = 0
    await withDiscardingTaskGroup { group in
      for await letter in letters {
        let now = clock.uptime()
        var deeds: [ListLives.Deed] = []
        switch letter {
        case .begin(let birth):
          deeds = lives.begin(birth, at: now)
          for event in early.removeValue(forKey: birth.list) ?? [] {
            deeds += lives.handle(event, of: birth.list, at: now)
          }
        case .event(let list, let event): deeds = lives.handle(event, of: list, at: now)
        case .ask(let list, let ask, let user, let reply):
          lastAsker += 1
          askers[lastAsker] = reply
          let event = ListLife.Event.asked(ask, .person(lastAsker, user: user))
          if lives[list] == nil, effects.isOpen(list) {
            early[list, default: []].append(event)
          } else {
            deeds = lives.handle(event, of: list, at: now)
          }
        case .relieve: deeds = lives.relieve(at: now)
        case .look(let reply):
          reply.give(lives)
          continue
        }
        for deed in deeds {
          if case .answer(.person(let asker, _), let failure) = deed.action {
            askers.removeValue(forKey: asker)?.give(failure)
          } else {
            perform(deed, effects, &group)
          }
        }
        if lives.count == 0, deeds.contains(where: { $0.action == .forget }) { effects.forgetAll() }
        changes.changed()
      }
      group.cancelAll()
      for reply in askers.values { reply.give(.cancelled) }
    }
  }

  private func perform(
    _ deed: ListLives.Deed, _ effects: any ListEffects, _ group: inout DiscardingTaskGroup
  ) {
    let list = deed.list
    switch deed.action {
    case .pauseChains: effects.pauseChains(list)
    case .resumeChains: effects.resumeChains(list)
    case .setClass(let serviceClass): effects.setClass(serviceClass, of: list)
    case .dropChains: effects.dropChains(list)
    case .tell(let turn, let asker): effects.tell(turn, of: list, by: asker)
    case .health(let failure): effects.health(failure, of: list)
    case .copyHealth(let failure): effects.copyHealth(failure, of: list)
    case .forget: effects.forget(list)
    case .takeOver:
      start(list, &group) { .tookOver(await effects.takeOver(list)) }
    case .open:
      start(list, &group) { .opened(await effects.open(list)) }
    case .giveBack:
      start(list, &group) { .returned(await effects.giveBack(list)) }
    case .record(let turn, let asker):
      start(list, &group) { .recorded(await effects.record(turn, of: list, by: asker)) }
    case .awaitIdle(let number):
      start(list, &group) {
        await effects.idle(list)
        return .idle(number)
      }
    case .wake(let time):
      start(list, &group) { [clock] in
        await clock.rest(time)
        return .timePassed
      }
    // `ListLives` and `run` have handled these.
    case .answer, .stop: break
    }
  }

  private func start(
    _ list: ListID, _ group: inout DiscardingTaskGroup,
    _ body: @escaping @Sendable () async -> ListLife.Event
  ) {
    group.addTask { [mail] in
      let event = await body()
      mail.yield(.event(list, event))
    }
  }
}
