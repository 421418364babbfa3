// SPDX-License-Identifier: Apache-2.0
// The orders for hooks, or for webhooks, in a folder, a file each, until they are done. The daemon adds them; one
// process at a time works them off, the oldest first. Names with a leading dot are not orders: drafts, the lock and
// one damaged order. Raises SystemError, and `hook.order` for a damaged order.
// Concurrency: immutable; every function waits for a disk. Several threads may add different orders at once.

internal import Files
package import Vocabulary

package protocol OutboxOrder: Sendable {
  /// In bytes.
  static var longestText: Int { get }
  var key: HookOrder.Key { get }
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

  private static var damaged: FileName { FileName(literal: ".damaged") }

  private let folder: any Folder

  package init(_ folder: any Folder) { self.folder = folder }

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

  /// Durable on return; replaces an order with the same key. False if the outbox is full.
  package func add(_ order: Order) throws(SystemError) -> Bool {
    let keys = try keys()
    guard keys.count < Self.most || keys.contains(order.key) else { return false }
    try replace(order)
    return true
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
