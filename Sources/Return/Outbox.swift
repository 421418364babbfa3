// SPDX-License-Identifier: Apache-2.0
// The orders for hooks, or for webhooks, in a folder, a file each, until they are done. The daemon adds them; one
// process at a time works them off, of each user the oldest first. Names with a leading dot are not orders: drafts, the lock and
// one damaged order. No user can close the outbox for the others, because a user has at most an eighth of the places.
// Raises SystemError, and `hook.order` for a damaged order.
// Concurrency: immutable but for the owners that are known, which have a Mutex; every function waits for a disk. Several
// threads may add different orders at once.

internal import Files
internal import Synchronization
package import Vocabulary

package protocol OutboxOrder: Sendable {
  /// In bytes.
  static var longestText: Int { get }
  var key: HookOrder.Key { get }
  /// Root if it is not known.
  var owner: UInt32 { get }
  var text: String { get }
  init(_ key: HookOrder.Key, text: [UInt8]) throws(Failure)
}

/// Orders to run a program.
package typealias HookOutbox = Outbox<HookOrder>
/// Orders to send a webhook.
package typealias WebhookOutbox = Outbox<WebhookOrder>

package struct Outbox<Order: OutboxOrder>: Sendable {
  /// More orders are refused: as long as none is done, they only accumulate.
  package static var most: Int { 10_000 }
  /// As many of one user.
  package static var share: Int { most / 8 }

  private static var damaged: FileName { FileName(literal: ".damaged") }

  private let folder: any Folder
  private let keepers: Set<UInt32>
  private let owners = OrderOwners()

  /// - Parameter keepers: the users without a share.
  package init(_ folder: any Folder, keepers: Set<UInt32> = [0]) {
    (self.folder, self.keepers) = (folder, keepers)
  }

  /// Removes the drafts that a crash left. Call before the first order is added.
  package func sweep() throws(SystemError) {
    for name in try folder.names() where name.bytes.first == 0x2E {
      guard let own = FileName(bytes: name.bytes.dropFirst()), HookOrder.Key(own) != nil else {
        continue
      }
      try folder.removeIfThere(name)
    }
  }

  package func hasRoom() throws(SystemError) -> Bool { try keys().count < Self.most }

  /// Durable on return; replaces an order with the same key. False if the outbox is full or, if it has room, the share
  /// of the order's owner.
  package func add(_ order: Order) throws(SystemError) -> Bool {
    let keys = try keys()
    if !keys.contains(order.key) {
      guard keys.count < Self.most, hasShare(order.owner, among: keys) else { return false }
    }
    try replace(order)
    return true
  }

  private func hasShare(_ owner: UInt32, among keys: [HookOrder.Key]) -> Bool {
    if keepers.contains(owner) || keys.count < Self.share { return true }
    let own = owners(of: keys).values.count { $0 == owner }
    return own < Self.share
  }

  /// Root's if they cannot be read: such an order belongs to no share. Forgets the owners of other orders.
  package func owners(of keys: [HookOrder.Key]) -> [HookOrder.Key: UInt32] {
    owners.of(keys) { (try? order($0))?.owner ?? 0 }
  }

  /// Durable on return. Does not count the orders.
  package func replace(_ order: Order) throws(SystemError) {
    try folder.write(whole: Array(order.text.utf8), as: order.key.name)
  }

  /// The oldest first.
  package func keys() throws(SystemError) -> [HookOrder.Key] {
    try folder.names().compactMap { HookOrder.Key($0) }.sorted()
  }

  /// Nil if it is missing.
  package func order(_ key: HookOrder.Key) throws(Failure) -> Order? {
    let text = try asMachine { () throws(SystemError) in
      try folder.contents(of: key.name, upTo: Order.longestText)
    }
    return try text.map { (text) throws(Failure) in try Order(key, text: text) }
  }

  /// A power cut may bring it back.
  package func remove(_ key: HookOrder.Key) throws(SystemError) {
    try folder.removeIfThere(key.name)
  }

  /// Keeps the latest damaged order, under a name that hides it.
  package func setAside(_ key: HookOrder.Key) throws(SystemError) {
    try folder.rename(key.name, to: folder, as: Self.damaged, replacing: true)
  }

  /// Hides everything that is neither an order nor hidden, and returns the names: darkroom-hooks.path would start
  /// its service for them again and again.
  package func hideStrangers() throws(SystemError) -> [FileName] {
    let strangers = try folder.names().filter {
      $0.bytes.first != 0x2E && HookOrder.Key($0) == nil
    }
    for name in strangers {
      let hidden = FileName(bytes: [0x2E] + name.bytes) ?? FileName(literal: ".stranger")
      try folder.rename(name, to: folder, as: hidden, replacing: true)
    }
    return strangers
  }
}

/// The owners of the orders, each of which is read once.
private final class OrderOwners: Sendable {
  private let known = Mutex<[HookOrder.Key: UInt32]>([:])

  /// Forgets the orders that are gone.
  func of(
    _ keys: [HookOrder.Key], reading read: (HookOrder.Key) -> UInt32
  ) -> [HookOrder.Key: UInt32] {
    let before = known.withLock { $0 }
    var now: [HookOrder.Key: UInt32] = [:]
    for key in keys { now[key] = before[key] ?? read(key) }
    known.withLock { [now] in $0 = now }
    return now
  }
}
