// SPDX-License-Identifier: Apache-2.0
// Orders the hooks of the settings, and the webhook of a list: for a list before it counts as returned, for a file
// after its rejection is recorded. A full outbox is a trouble, and refuses the order; the full share of a user refuses
// the order and is reported alone, because the orders of other users have room. Raises SystemError.
// Concurrency: a Mutex around the known orders of each kind; every function waits for a disk.

import Cluster
import Linux
import Record
import Report
import Return
import Synchronization
import Vocabulary

struct HookDesk: OnGround {
  let ground: Ground
  let outbox: HookOutbox
  let webhooks: WebhookOutbox
  /// Rings after each order for a program.
  let bell: WakeEvent
  /// Called with each order for a webhook.
  let sends: @Sendable (WebhookOrder) -> Void
  private let known = KnownHooks()
  private let knownWebhooks = KnownHooks()

  init(
    _ ground: Ground, bell: WakeEvent,
    sends: @escaping @Sendable (WebhookOrder) -> Void
  ) {
    self.ground = ground
    outbox = HookOutbox(ground.folders.hooks, keepers: ThisProcess.keepers)
    webhooks = WebhookOutbox(ground.folders.webhooks, keepers: ThisProcess.keepers)
    self.bell = bell
    self.sends = sends
  }

  /// For a list that is over; durable on return. Without names nothing of it could be returned, and without a
  /// label its name is lost.
  func ended(
    _ entry: ListEntry, _ label: ListLabel?, _ names: ReturnedNames?
  ) throws(SystemError) {
    if health.health[.hookOrders] != nil, try outbox.hasRoom() { health.set(nil, for: .hookOrders) }
    if health.health[.newWebhooks] != nil, try webhooks.hasRoom() {
      health.set(nil, for: .newWebhooks)
    }
    if entry.state == .finished {
      let events: [HookOrder.Event] = entry.counts.failed > 0 ? [.finished, .failed] : [.finished]
      for event in events where settings.current.hooks.program(for: event) != nil {
        let order = try order(event, entry, label, names)
        // A return that is tried again does not order again what may have run since.
        if known.has(order.key) { continue }
        try add(order)
        known.note(order.key)
      }
    }
    guard let url = label?.terms.notify else { return }
    let event = entry.state == .finished ? HookOrder.Event.finished : .cancelled
    let order = WebhookOrder(try order(event, entry, label, names), to: url)
    if knownWebhooks.has(order.key) { return }
    try add(order)
    knownWebhooks.note(order.key)
  }

  private func order(
    _ event: HookOrder.Event, _ entry: ListEntry, _ label: ListLabel?, _ names: ReturnedNames?
  ) throws(SystemError) -> HookOrder {
    var order = HookOrder(HookOrder.Key(event, of: entry.id, at: entry.endedTime))
    order.set(.total, "\(entry.acceptance.photos)")
    order.set(.filtered, "\(entry.counts.filtered)")
    order.set(.failed, "\(entry.counts.failed)")
    if let label {
      order[.name] = Array(label.name.stem)
      order.set(.title, label.terms.title)
      order.set(.owner, "\(label.owner)")
      if let prints = places.shownPrints(of: label.terms) { order.set(.prints, prints) }
    }
    if let list = label?.terms.ledger, let ledger = try KnownLedger.read(in: folders.state) {
      order.set(.key, "\(ledger.identity)/\(list)/\(event.rawValue)")
    }
    order[.results] = names?.results.map { path(places.done, $0) }
    order[.retry] = names?.retry.map { path(places.failed, $0) }
    return order
  }

  /// The list counts as returned: nothing more is ordered for it.
  func settled(_ list: ListID) {
    known.forget(list)
    knownWebhooks.forget(list)
  }

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
    if try outbox.add(order) {
      health.set(nil, for: .hookOrders)
      return bell.ring()
    }
    let hasRoom = try outbox.hasRoom()
    health.leaveHook(of: order.key.list, hasRoom ? Self.ownHooks : Self.full)
    // A full outbox is one trouble, however many lists it concerns.
    guard hasRoom else { return health.set(Self.full, for: .hookOrders) }
    let program = settings.current.hooks.program(for: order.key.event) ?? "-"
    let facts = HookFacts(
      program, event: order.key.event.rawValue, list: order.key.list, listName: order.listName)
    health.report(.hookLeftOut(facts, Self.ownHooks))
  }

  private func add(_ order: WebhookOrder) throws(SystemError) {
    guard try webhooks.add(order) else {
      let isFull = try !webhooks.hasRoom()
      if isFull { health.set(Self.manyWebhooks, for: .newWebhooks) }
      let failure = isFull ? Self.manyWebhooks : Self.ownWebhooks
      health.leaveHook(of: order.key.list, failure)
      health.report(.webhookLeftOut(order.shown, failure))
      return
    }
    sends(order)
  }

  private static let manyWebhooks = Failure(
    .machine, scope: .one, code: "hooks.full",
    reason: "\(WebhookOutbox.most) webhooks wait already",
    advice: "Find out why their servers do not answer; see WEBHOOKS in darkroomd(8)")

  private static let ownWebhooks = Failure(
    .machine, scope: .one, code: "hooks.share",
    reason: "\(WebhookOutbox.share) webhooks of the list's owner wait already",
    advice: "Find out why their servers do not answer; see WEBHOOKS in darkroomd(8)")

  private static let ownHooks = Failure(
    .machine, scope: .one, code: "hooks.share",
    reason: "\(HookOutbox.share) orders for hooks of the list's owner wait already",
    advice: "Find out why their programs do not run; see HOOKS in darkroomd(8)")

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
    case .cancelled: nil
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
