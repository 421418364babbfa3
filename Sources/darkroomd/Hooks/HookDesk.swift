// SPDX-License-Identifier: Apache-2.0
// Orders the hooks of the settings: for a list before it counts as returned, for a file after its rejection is
// recorded. A full outbox is a trouble, and refuses the order. Raises SystemError.
// Concurrency: one Mutex around the known orders; every function waits for a disk.

import Linux
import Record
import Return
import Synchronization
import Vocabulary

struct HookDesk: Sendable {
  let outbox: HookOutbox
  let settings: LiveSettings
  let places: Places
  let health: HealthBoard
  let clock: any Timekeeper
  /// Rings after each order.
  let bell: WakeEvent
  private let known = KnownHooks()

  init(
    outbox: HookOutbox, settings: LiveSettings, places: Places, health: HealthBoard,
    clock: any Timekeeper, bell: WakeEvent
  ) {
    self.outbox = outbox
    self.settings = settings
    self.places = places
    self.health = health
    self.clock = clock
    self.bell = bell
  }

  /// For a list that has finished; durable on return. Without names nothing of it could be returned, and without a
  /// label its name is lost.
  func ended(
    _ entry: ListEntry, _ label: ListLabel?, _ names: ReturnedNames?
  ) throws(SystemError) {
    if health.health[.hookOrders] != nil, try outbox.hasRoom() { health.set(nil, for: .hookOrders) }
    guard entry.state == .finished else { return }
    let events: [HookOrder.Event] = entry.counts.failed > 0 ? [.finished, .failed] : [.finished]
    for event in events where settings.current.hooks.program(for: event) != nil {
      var order = HookOrder(HookOrder.Key(event, of: entry.id, at: entry.endedTime))
      order.set(.total, "\(entry.acceptance.photos)")
      order.set(.filtered, "\(entry.counts.filtered)")
      order.set(.failed, "\(entry.counts.failed)")
      if let label {
        order[.name] = Array(label.name.stem)
        order.set(.title, label.terms.title)
        order.set(.owner, "\(label.owner)")
        order[.prints] = path(places.prints, label.terms.prints)
      }
      order[.results] = names?.results.map { path(places.done, $0) }
      order[.retry] = names?.retry.map { path(places.failed, $0) }
      // A return that is tried again does not order again what may have run since.
      if known.has(order.key) { continue }
      try add(order)
      known.note(order.key)
    }
  }

  /// The list counts as returned: nothing more is ordered for it.
  func settled(_ list: ListID) { known.forget(list) }

  /// A disk in trouble costs the hook, not the rejection.
  func rejected(_ list: ListID, name: FileName, owner: UInt32, _ failure: Failure) {
    guard settings.current.hooks.program(for: .rejected) != nil else { return }
    var order = HookOrder(HookOrder.Key(.rejected, of: list, at: clock.wallTime()))
    order[.name] = name.bytes
    order.set(.owner, "\(owner)")
    order.set(.reason, Printable.text(failure.words, limit: 1000))
    do throws(SystemError) { try add(order) } catch {
      health.set(error.machineFailure, for: .hookOrders)
    }
  }

  private func path(_ folder: String, _ name: FileName) -> [UInt8] {
    Array("\(folder)/".utf8) + name.bytes
  }

  private func add(_ order: HookOrder) throws(SystemError) {
    let isAdded = try outbox.add(order)
    health.set(isAdded ? nil : Self.full, for: .hookOrders)
    if isAdded { bell.ring() }
  }

  private static let full = Failure(
    .machine, scope: .one, code: "hooks.full",
    reason: "\(HookOutbox.most) orders for hooks wait already",
    advice: "Find out why their programs do not run; see HOOKS in darkroomd(8)")
}

extension Settings.Hooks {
  func program(for event: HookOrder.Event) -> String? {
    switch event {
    case .finished: onFinished
    case .failed, .rejected: onFailed
    }
  }
}

/// The orders for lists that do not count as returned yet.
private final class KnownHooks: Sendable {
  private let keys = Mutex<Set<HookOrder.Key>>([])

  func has(_ key: HookOrder.Key) -> Bool { keys.withLock { $0.contains(key) } }
  func note(_ key: HookOrder.Key) { keys.withLock { _ = $0.insert(key) } }
  func forget(_ list: ListID) { keys.withLock { keys in keys = keys.filter { $0.list != list } } }
}
