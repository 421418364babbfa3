// SPDX-License-Identifier: Apache-2.0
// Which webhooks are sent next: at each server one at a time, its users in turn, of each user the one that is due
// first. A server that cannot be reached is tried with one webhook after a growing pause. If it can be reached and does
// not answer, the webhooks of that user alone pause, because the user chose the path. A value: times in, keys out.

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

    var path: Path { Path(server: server, owner: owner) }
  }

  /// A user's webhooks at a server.
  private struct Path: Hashable {
    let server: ServerName
    let owner: UInt32
  }

  /// Closed after failures.
  private struct Gate {
    /// The time of the next attempt.
    private(set) var time = Duration.zero
    private var pause = Backoff(.seconds(5), to: .seconds(600))

    mutating func close(_ now: Duration) { time = now + pause.take() }
  }

  /// Servers that are waited for at once.
  private let most: Int
  /// These places are kept for users without one, because the slow servers of one user would hold all places.
  private var kept: Int { most / 4 }
  private var entries: [HookOrder.Key: Entry] = [:]
  /// The servers that are waited for.
  private var busy: Set<ServerName> = []
  /// The servers that could not be reached, for all users.
  private var servers: [ServerName: Gate] = [:]
  /// The users whom a server did not answer.
  private var paths: [Path: Gate] = [:]
  private var running = 0
  /// Of each user.
  private var shares: [UInt32: Int] = [:]
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
      shares[entry.owner, default: 0] += 1
      busy.insert(entry.server)
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
    hasPlace(entry) && gate(entry) <= now
  }

  /// It may start once it is due.
  private func hasPlace(_ entry: Entry) -> Bool {
    if entry.isRunning || busy.contains(entry.server) { return false }
    return running < most - kept || running < most && shares[entry.owner] == nil
  }

  private func gate(_ entry: Entry) -> Duration {
    max(servers[entry.server]?.time ?? .zero, paths[entry.path]?.time ?? .zero)
  }

  mutating func sent(_ key: HookOrder.Key, _ end: WebhookEnd, now: Duration) {
    guard var entry = entries[key], entry.isRunning else { return }
    running -= 1
    let share = shares[entry.owner, default: 1] - 1
    shares[entry.owner] = share > 0 ? share : nil
    busy.remove(entry.server)
    (entry.isRunning, entry.isTried) = (false, true)
    switch end {
    case .gone:
      entries[key] = nil
      open(entry)
      if entries.isEmpty { turns = [:] }
      return
    case .again(let wait, let reach):
      entry.due = now + wait
      switch reach {
      case .answered: open(entry)
      case .silent:
        servers[entry.server] = nil
        paths[entry.path, default: Gate()].close(now)
      case .unreached: servers[entry.server, default: Gate()].close(now)
      }
    case .spent(let wait):
      entry.due = now + wait
      entry.isSpent = true
    }
    entries[key] = entry
  }

  private mutating func open(_ entry: Entry) {
    servers[entry.server] = nil
    paths[entry.path] = nil
  }

  /// The time until the next one may start; nil if none may before another ends.
  func rest(now: Duration) -> Duration? {
    entries.values.lazy.filter(hasPlace)
      .map { max($0.due, gate($0)) - now }.min().map { max(.zero, $0) }
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
  case again(after: Duration, WebhookReach)
  /// It is over, but its order could not be removed.
  case spent(again: Duration)
}

/// How far an attempt came.
enum WebhookReach: Equatable, Sendable {
  /// The server answered, or is not why the attempt failed.
  case answered
  /// No answer came, perhaps because of the path that the user chose.
  case silent
  /// There was no connection, which no path can cause.
  case unreached

  init(_ failure: Failure) {
    switch failure.code.prefix(while: { $0 != "." }) {
    case "http", "webhook": self = .answered
    case "connect" where !["connect.closed", "connect.reset"].contains(failure.code):
      self = .unreached
    case "dns", "tls": self = .unreached
    default: self = .silent
    }
  }
}
