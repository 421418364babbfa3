// SPDX-License-Identifier: Apache-2.0
// Which webhooks are sent next: the one that is due first, one at a time for each server, a few at once. A value:
// times in, keys out.

import Return
import Vocabulary

struct WebhookBoard {
  /// Servers that are waited for at once.
  static let most = 8

  private struct Entry {
    let server: PhotoURL.Origin
    var due: Duration
    var isRunning = false
    /// Only its order is left to remove.
    var isSpent = false
  }

  private var entries: [HookOrder.Key: Entry] = [:]
  /// The servers that are being told.
  private var busy: Set<PhotoURL.Origin> = []

  func has(_ key: HookOrder.Key) -> Bool { entries[key] != nil }
  func isSpent(_ key: HookOrder.Key) -> Bool { entries[key]?.isSpent == true }

  mutating func add(_ key: HookOrder.Key, _ server: PhotoURL.Origin, due: Duration) {
    entries[key] = Entry(server: server, due: due)
  }

  /// Those to send now, which then count as being sent.
  mutating func start(now: Duration) -> [HookOrder.Key] {
    var started: [HookOrder.Key] = []
    let ready = entries.filter { !$0.value.isRunning && $0.value.due <= now }
      .sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
    for (key, entry) in ready where busy.count < Self.most {
      guard busy.insert(entry.server).inserted else { continue }
      entries[key]?.isRunning = true
      started.append(key)
    }
    return started
  }

  mutating func sent(_ key: HookOrder.Key, _ end: WebhookEnd, now: Duration) {
    guard let entry = entries[key] else { return }
    busy.remove(entry.server)
    switch end {
    case .gone: entries[key] = nil
    case .again(let wait):
      entries[key] = Entry(server: entry.server, due: now + wait)
    case .spent(let wait):
      entries[key] = Entry(server: entry.server, due: now + wait, isSpent: true)
    }
  }

  /// The time until the next one is due whose server is free; nil if none is.
  func rest(now: Duration) -> Duration? {
    guard busy.count < Self.most else { return nil }
    return entries.values.lazy.filter { !$0.isRunning && !busy.contains($0.server) }
      .map { max(.zero, $0.due - now) }.min()
  }
}

/// The end of an attempt.
enum WebhookEnd: Equatable, Sendable {
  /// Its order is removed.
  case gone
  case again(after: Duration)
  /// It is over, but its order could not be removed.
  case spent(again: Duration)
}
