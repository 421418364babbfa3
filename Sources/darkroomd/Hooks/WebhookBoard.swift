// SPDX-License-Identifier: Apache-2.0
// Which webhooks are sent next. A server gets up to three webhooks at a time, each of another user, and the users
// take turns. Of each user, the webhook that is due first goes first. A server that cannot be reached is tried with
// one webhook after a growing pause. If it can be reached and does not answer soon, the webhooks of that user alone
// pause, because the user chose the path. A value: times in, keys out.

import Return
import Vocabulary

struct WebhookBoard {
  /// Nil while its order cannot be read.
  typealias ServerName = PhotoURL.Origin?

  private struct Entry {
    let server: ServerName
    let owner: UInt32
    var due: Duration
    /// The beginning of the running attempt.
    var since: Duration?
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

  /// Webhooks that a server gets at once, each of another user.
  static let mostAtServer = 3
  /// An answer that takes longer closes its path as silence does, because others wait for the place.
  private static let slow = Duration.seconds(10)

  /// The slow servers of one user would hold all places.
  private var places: OwnerPlaces
  private var entries: [HookOrder.Key: Entry] = [:]
  /// The servers that are waited for, and the users whose webhooks they have.
  private var busy: [ServerName: Set<UInt32>] = [:]
  /// The servers that could not be reached, for all users.
  private var servers: [ServerName: Gate] = [:]
  /// The users whom a server did not answer soon.
  private var paths: [Path: Gate] = [:]

  /// - Parameter most: the webhooks that are sent at once.
  init(most: Int) { places = OwnerPlaces(most: most) }

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
    while let key = next(now), let entry = entries[key] {
      entries[key]?.since = now
      places.take(for: entry.owner)
      busy[entry.server, default: []].insert(entry.owner)
      started.append(key)
    }
    return started
  }

  private func next(_ now: Duration) -> HookOrder.Key? {
    entries.lazy.filter { $0.value.due <= now && mayStart($0.value, now) }.min { one, other in
      (places.turn(of: one.value.owner), one.value.due, one.key)
        < (places.turn(of: other.value.owner), other.value.due, other.key)
    }?.key
  }

  private func mayStart(_ entry: Entry, _ now: Duration) -> Bool {
    hasPlace(entry) && gate(entry) <= now
  }

  /// It may start once it is due.
  private func hasPlace(_ entry: Entry) -> Bool {
    let beside = busy[entry.server] ?? []
    // A server that could not be reached is tried with one.
    let most = servers[entry.server] == nil ? Self.mostAtServer : 1
    return !beside.contains(entry.owner) && beside.count < most
      && places.hasRoom(for: entry.owner)
  }

  private func gate(_ entry: Entry) -> Duration {
    max(servers[entry.server]?.time ?? .zero, paths[entry.path]?.time ?? .zero)
  }

  mutating func sent(_ key: HookOrder.Key, _ end: WebhookEnd, now: Duration) {
    guard var entry = entries[key], let since = entry.since else { return }
    places.leave(by: entry.owner)
    busy[entry.server]?.remove(entry.owner)
    if busy[entry.server]?.isEmpty == true { busy[entry.server] = nil }
    (entry.since, entry.isTried) = (nil, true)
    switch end {
    case .gone:
      entries[key] = nil
      answered(entry, after: now - since, now)
      if entries.isEmpty { paths = [:] }
      return
    case .again(let wait, let reach):
      entry.due = now + wait
      switch reach {
      case .answered: answered(entry, after: now - since, now)
      case .silent: silent(entry, now)
      case .unreached:
        // One of several at once has closed it.
        if servers[entry.server]?.time ?? .zero <= now {
          servers[entry.server, default: Gate()].close(now)
        }
      }
    case .spent(let wait):
      entry.due = now + wait
      entry.isSpent = true
    }
    entries[key] = entry
  }

  private mutating func answered(_ entry: Entry, after time: Duration, _ now: Duration) {
    if time > Self.slow { return silent(entry, now) }
    servers[entry.server] = nil
    paths[entry.path] = nil
  }

  private mutating func silent(_ entry: Entry, _ now: Duration) {
    servers[entry.server] = nil
    paths[entry.path, default: Gate()].close(now)
  }

  /// The time until the next one may start; nil if none may before another ends.
  func rest(now: Duration) -> Duration? {
    entries.values.lazy.filter(hasPlace)
      .map { max($0.due, gate($0)) - now }.min().map { max(.zero, $0) }
  }

  /// Each webhook has been tried, unless its server does not answer, and none may start now.
  func isSettled(now: Duration) -> Bool {
    places.isEmpty
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
