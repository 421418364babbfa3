// SPDX-License-Identifier: Apache-2.0
// Which webhooks are sent next: at each server one at a time, its users in turn, of each user the one that is due
// first. A server that does not answer at all is tried with one webhook after a growing pause. A value: times in,
// keys out.

import Return
import Vocabulary

struct WebhookBoard {
  /// Nil while its order cannot be read.
  typealias ServerName = PhotoURL.Origin?

  private struct Entry {
    let server: ServerName
    let owner: UInt32
    var due: Duration
    var isRunning = false
    var isTried = false
    /// Only its order is left to remove.
    var isSpent = false
  }

  private struct Server {
    var isBusy = false
    /// The time of the next attempt after failures to reach it.
    var gate = Duration.zero
    var pause = Backoff(.seconds(5), to: .seconds(600))
  }

  /// Servers that are waited for at once.
  private let most: Int
  private var entries: [HookOrder.Key: Entry] = [:]
  private var servers: [ServerName: Server] = [:]
  private var running = 0
  /// The number of the last turn of each user.
  private var turns: [UInt32: UInt64] = [:]
  private var lastTurn: UInt64 = 0

  init(most: Int) { self.most = most }

  func has(_ key: HookOrder.Key) -> Bool { entries[key] != nil }
  func isSpent(_ key: HookOrder.Key) -> Bool { entries[key]?.isSpent == true }

  mutating func add(
    _ key: HookOrder.Key, _ server: ServerName, of owner: UInt32 = 0, due: Duration
  ) {
    if entries[key] == nil { entries[key] = Entry(server: server, owner: owner, due: due) }
  }

  /// Those to send now, which then count as being sent.
  mutating func start(now: Duration) -> [HookOrder.Key] {
    var started: [HookOrder.Key] = []
    while running < most, let key = next(now) {
      running += 1
      entries[key]?.isRunning = true
      guard let entry = entries[key] else { break }
      servers[entry.server, default: Server()].isBusy = true
      lastTurn += 1
      turns[entry.owner] = lastTurn
      started.append(key)
    }
    return started
  }

  private func next(_ now: Duration) -> HookOrder.Key? {
    entries.lazy.filter { $0.value.due <= now && mayStart($0.value, now) }.min { one, other in
      (turns[one.value.owner] ?? 0, one.value.due, one.key)
        < (turns[other.value.owner] ?? 0, other.value.due, other.key)
    }?.key
  }

  private func mayStart(_ entry: Entry, _ now: Duration) -> Bool {
    guard !entry.isRunning else { return false }
    let server = servers[entry.server] ?? Server()
    return !server.isBusy && server.gate <= now
  }

  mutating func sent(_ key: HookOrder.Key, _ end: WebhookEnd, now: Duration) {
    guard var entry = entries[key], entry.isRunning else { return }
    running -= 1
    servers[entry.server]?.isBusy = false
    (entry.isRunning, entry.isTried) = (false, true)
    switch end {
    case .gone:
      entries[key] = nil
      servers[entry.server] = nil
      if entries.isEmpty { turns = [:] }
      return
    case .again(let wait, let isUnreached):
      entry.due = now + wait
      isUnreached ? close(entry.server, now) : (servers[entry.server] = nil)
    case .spent(let wait):
      entry.due = now + wait
      entry.isSpent = true
    }
    entries[key] = entry
  }

  private mutating func close(_ name: ServerName, _ now: Duration) {
    var server = servers[name] ?? Server()
    server.gate = now + server.pause.take()
    servers[name] = server
  }

  /// The time until the next one may start; nil if none may before another ends.
  func rest(now: Duration) -> Duration? {
    guard running < most else { return nil }
    return entries.values.lazy.filter { !$0.isRunning && servers[$0.server]?.isBusy != true }
      .map { max($0.due, servers[$0.server]?.gate ?? .zero) - now }.min().map { max(.zero, $0) }
  }

  /// Each webhook has been tried, unless its server does not answer, and none may start now.
  func isSettled(now: Duration) -> Bool {
    running == 0
      && !entries.values.contains { entry in
        mayStart(entry, now) && (entry.due <= now || !entry.isTried)
      }
  }
}

/// The end of an attempt.
enum WebhookEnd: Equatable, Sendable {
  /// Its order is removed.
  case gone
  case again(after: Duration, isUnreached: Bool)
  /// It is over, but its order could not be removed.
  case spent(again: Duration)
}
