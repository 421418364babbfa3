// SPDX-License-Identifier: Apache-2.0
// Removes ended lists at the wish of their owners, each with the earlier lists that it has taken over from. Decides
// by one durable rename; then removes the prints and files, records `Removed`, and reports. What a crash or trouble
// interrupts is continued at the next start, or a minute later. `remove` raises a `Failure`: `final` if the list
// cannot be removed, `machine` if the removal has begun and goes on by itself, and `cancelled` at the stop.
// Concurrency model: the task in `run` alone removes, after `resume` at the start; a Mutex around the orders.

import Accept
import Linux
import Record
import Report
import Return
import Synchronization
import Vocabulary

final class ListRemover: Sendable {
  private struct Order {
    let list: ListID
    /// The user who wants it.
    let caller: UInt32
    let reply: Reply<Failure?>
  }

  private struct State {
    var orders: [Order] = []
    var isOver = false
    /// The removals that have begun, each with the user who wanted it, if that is known.
    var begun: [ListID: UInt32?] = [:]
  }

  private static let pause = Duration.seconds(60)

  private let recorder: Recorder
  private let index: ListIndex
  private let lists: OpenLists
  private let removal: ListRemoval
  private let narrator: Narrator
  private let clock: any Timekeeper
  private let state = Mutex(State())
  private let bell = ChangeSignal()

  init(
    _ recorder: Recorder, _ index: ListIndex, _ lists: OpenLists, _ narrator: Narrator,
    clock: any Timekeeper
  ) {
    (self.recorder, self.index, self.lists) = (recorder, index, lists)
    (self.narrator, self.clock) = (narrator, clock)
    let folders = lists.folders
    removal = ListRemoval(
      lists: folders.lists, prints: folders.prints, done: folders.done, failed: folders.failed)
  }

  /// Returns when the list, which must have left the keeper, and its files are gone and that is recorded.
  func remove(_ list: ListID, by caller: UInt32) async throws(Failure) {
    let failure = await Reply.wait { reply in
      let isOver = state.withLock { state in
        if !state.isOver { state.orders.append(Order(list: list, caller: caller, reply: reply)) }
        return state.isOver
      }
      if isOver { reply.give(.cancelled) } else { bell.changed() }
    }
    if let failure { throw failure }
  }

  /// Call at the start, before a new list is accepted: the prints of a removed list have no successor. May wait for
  /// a disk.
  func resume() {
    let pending = (try? removal.pending()) ?? []
    for list in pending {
      state.withLock { _ = $0.begun.updateValue(nil, forKey: list) }
      guard let prints = about(list).terms?.prints else { continue }
      index.reserve(list, prints)
      if index.printer(into: prints) == list { try? removal.hidePrints(prints, of: list) }
    }
  }

  /// Runs until it is cancelled.
  func run() async {
    while !Task.isCancelled {
      let seen = bell.version
      await finishBegun()
      for order in state.withLock({ state in
        defer { state.orders = [] }
        return state.orders
      }) {
        let failure = await perform(order)
        order.reply.give(failure)
      }
      if state.withLock({ $0.begun.isEmpty }) {
        await bell.change(after: seen)
      } else {
        await bell.change(after: seen, within: Self.pause, on: clock)
      }
    }
    let left = state.withLock { state in
      state.isOver = true
      return state.orders
    }
    for order in left { order.reply.give(.cancelled) }
  }

  // MARK: a removal

  private func perform(_ order: Order) async -> Failure? {
    do throws(Failure) {
      let line = try await onDisk { () throws(Failure) in try begin(order) }
      for list in line { try await finish(list) }
      return nil
    } catch {
      guard error.kind == .machine, state.withLock({ $0.begun[order.list] != nil }) else {
        return error
      }
      return Failure(
        .machine, scope: .one, code: error.code,
        reason: "its removal has begun and goes on by itself, but \(error.reason)",
        advice: error.advice)
    }
  }

  /// Decides the removal; returns the lists that go, the newest first.
  private func begin(_ order: Order) throws(Failure) -> [ListID] {
    let earlier = index.forerunners(of: order.list)
    let line = [order.list] + recorder.ledger { ledger in earlier.filter { ledger[$0] != nil } }
    for list in line {
      let (isOver, isReturned) = recorder.ledger { ($0[list]?.state.isFinal, $0.isArchived(list)) }
      guard isOver != nil else { throw Self.refusal("list \(list) is not known any more") }
      guard isOver == true, isReturned else { throw Self.refusal("list \(list) is not over yet") }
    }
    let open = recorder.ledger { $0.openLists.map(\.id) }
    if let heir = open.first(where: { index.predecessors(of: $0).contains(order.list) }) {
      throw Self.refusal("list \(heir) takes over from it; cancel that one, or wait for its end")
    }
    let old = OldLists(lists.folders.lists)
    var isTaken = true
    do throws(SystemError) {
      for list in line {
        if try old.isGone(list) { continue }
        if try !old.isRemovable(list) { isTaken = false }
      }
    } catch { throw error.machineFailure }
    guard isTaken else { throw Self.refusal("its file has not left the inbox yet") }
    guard index.withdraw(line) else {
      throw Self.refusal("a list that takes over from it is being accepted; try again")
    }
    state.withLock { state in
      for list in line { state.begun[list] = .some(order.caller) }
    }
    do throws(SystemError) { try removal.hide(line) } catch {
      line.forEach(keepUnlessHidden)
      throw error.machineFailure
    }
    return line
  }

  /// The removal of the list may not have begun after all.
  private func keepUnlessHidden(_ list: ListID) {
    guard index.read(list, from: lists.folders.lists) != nil else { return }
    index.free(list)
    state.withLock { _ = $0.begun.removeValue(forKey: list) }
  }

  private static func refusal(_ reason: String) -> Failure {
    Failure(.final, code: "list.kept", reason: reason)
  }

  /// The removals that a crash or trouble has interrupted.
  private func finishBegun() async {
    for list in state.withLock({ $0.begun.keys.sorted(by: >) }) {
      if Task.isCancelled { return }
      do throws(Failure) { try await finish(list) } catch {
        if error.kind == .cancelled { return }
      }
    }
  }

  /// Every step may be repeated.
  private func finish(_ list: ListID) async throws(Failure) {
    let facts = try await onDisk { () throws(Failure) in try clear(list) }
    if let facts {
      do throws(Failure) { try await recorder.record([.removed(list)]) } catch {
        // The record has forgotten it meanwhile.
        guard error == .overtaken else { throw error }
      }
      narrator.removed(facts, by: state.withLock { $0.begun[list] ?? nil })
    }
    try await onDisk { () throws(Failure) in
      do throws(SystemError) { try removal.finish(list) } catch { throw error.machineFailure }
    }
    index.free(list)
    state.withLock { _ = $0.begun.removeValue(forKey: list) }
  }

  /// Removes the files; returns the facts for the report, nil if the record does not have the list.
  private func clear(_ list: ListID) throws(Failure) -> ListFacts? {
    lists.close(list)
    let (about, terms) = about(list)
    do throws(SystemError) {
      if let prints = terms?.prints {
        // A later list may have the folder: its prints are not this one's.
        if (index.printer(into: prints) ?? list) <= list {
          try removal.hidePrints(prints, of: list)
        }
      }
      try lists.folders.removeOriginals(of: list)
      try removal.clear(list, named: about?.name, about.map { ($0.size, $0.sha256) })
    } catch { throw error.machineFailure }
    guard let entry = recorder.ledger({ $0[list] }) else { return nil }
    return ListFacts(
      id: list, name: about.map { ListName($0.name).text } ?? "list \(list)",
      total: entry.acceptance.photos, done: entry.counts.filtered, failed: entry.counts.failed,
      serviceClass: entry.acceptance.serviceClass, revises: terms?.revises)
  }

  /// Nil if it is damaged.
  private func about(_ list: ListID) -> (file: AboutFile?, terms: FrozenSettings?) {
    guard let folder = try? removal.folder(of: list), let about = try? AboutFile.read(from: folder)
    else { return (nil, nil) }
    return (about, try? FrozenSettings(text: about.terms.settings))
  }
}
