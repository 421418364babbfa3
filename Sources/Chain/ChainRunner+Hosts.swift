// SPDX-License-Identifier: Apache-2.0
// The waits of photos: for the answers of hosts, for closed hosts, for another attempt, for their turn.

import Linux
import Synchronization
package import Vocabulary

/// A host that is closed except for probes, for the photos of one user.
package struct ClosedHost: Equatable, Sendable {
  package let name: String
  package let owner: UInt32
  /// The latest failure that kept it closed.
  package let failure: Failure
  package let attempts: UInt32
  /// How long it has been closed, and the time until the next probe.
  package let age: Duration
  package let wait: Duration
  /// The host itself asked for this wait.
  package let isWish: Bool
  /// The user's lists with photos that wait for the host, or failed there since it is closed.
  package var lists: Set<ListID> = []
}

/// The reason why a photo waits for its host, or for the server to which the host leads the photo.
package enum HostWait: Equatable, Sendable {
  case closed(ClosedHost)
  /// This machine has as many transfers from the server of this name as it may have.
  case room(String)
  /// All machines together have as many transfers from the server as they may have.
  case seat(String)
}

/// The photos of a list that have chains or wait for something else than their turn.
package struct ListWaits: Sendable {
  package struct Crowd: Equatable, Sendable {
    package let host: String
    package let photos: Int
    package let first: UInt32
  }

  package internal(set) var chains: [(number: UInt32, stage: Stage?)] = []
  /// Photos that wait for a place at their host.
  package internal(set) var hosts: [Crowd] = []
  /// Photos that wait for another attempt, and the next attempt.
  package internal(set) var retrying = 0
  package internal(set) var retry: (number: UInt32, due: Duration)?
  /// A photo that may be the next one.
  package internal(set) var next: UInt32?
}

/// The photos that wait for something else than their turn.
package struct WaitingPhotos: Equatable, Sendable {
  /// Of each list.
  package var counts: [ListID: Int] = [:]
  /// Of these, the photos that wait for hosts which answer.
  package var slow: [ListID: Int] = [:]
  /// The number of further photos that the window admits from any user.
  package let room: Int
}

/// Where a photo is that is not done.
package enum PhotoPlace: Equatable, Sendable {
  /// In this stage, or between two stages.
  case chain(Stage?, admitted: Duration)
  case host(HostWait)
  case retry
  case turn
  /// It waits with its whole list.
  case list
}

extension ChainRunner {
  /// Notes the answer of a server to a photo's download, or the download's failure.
  /// - Parameter server: nil for the server of the photo's URL.
  @discardableResult
  func answered(
    _ photo: PhotoID, by server: String? = nil, _ failure: Failure? = nil
  ) -> Admission.WishAnswer? {
    let outcome = failure.map { HostWindow.Outcome($0) } ?? .answered
    if outcome == .unknown { return nil }
    let now = time.uptime()
    let answer = state.withLock { state -> Admission.Answer? in
      let jitter = Double.random(in: 0...1, using: &state.random)
      let answer = state.admission.answered(
        photo, by: failure?.server ?? server, outcome, now: now, jitter: jitter)
      state.events += (answer?.news ?? []).map { .host($0) }
      return answer
    }
    guard let answer else { return nil }
    bell.changed()
    return answer.wish
  }

  static func refusal(_ lost: Admission.LostHost) -> Failure {
    let closure = lost.closure
    let attempts = "\(closure.attempts) attempt\(closure.attempts == 1 ? "" : "s")"
    let span = ", for \(closure.tried.spoken) and \(attempts) with all photos of this user"
    return Failure(
      .final, code: closure.failure.code,
      reason: closure.failure.reason + span + wish(closure.failure),
      advice: "Drop it again once \(lost.name) is back")
  }

  /// The failure of a photo whose host asks for a longer wait than its patience.
  static func impatience(_ failure: Failure) -> Failure {
    Failure(
      .final, code: failure.code, reason: failure.reason + wish(failure),
      advice: "HostPatience= under [Download] limits the wait")
  }

  /// The wait that the host asks for, as the end of a reason.
  private static func wish(_ failure: Failure) -> String {
    guard let seconds = failure.waitSeconds else { return "" }
    let time = Duration.seconds(Int64(seconds))
    let least = time >= HostWindow.longestWish ? "at least " : ""
    return "; it asks for a wait of \(least)\(time.spoken)"
  }

  // MARK: seeing

  /// For each user, sorted by name. At one host the user with the longest wait is first, and users whom the host asked to
  /// wait are last.
  package func closedHosts() -> [ClosedHost] {
    let now = time.uptime()
    let (closed, lists) = state.withLock { state in
      let closed = state.admission.hosts.closed(now: now)
      return (closed, state.admission.lists(at: Set(closed.map(\.name))))
    }
    return closed.map { closed in
      var host = ClosedHost(name: closed.name, of: closed.owner, closed.closure, now: now)
      host.lists = lists[closed.name]?[closed.owner] ?? []
      return host
    }
  }

  /// The host of that name, if it is closed for the list.
  package func closedHost(_ name: String, for list: ListID) -> ClosedHost? {
    let now = time.uptime()
    return state.withLock { state in
      let owner = state.admission.owner(of: list)
      return state.admission.closure(of: name, for: list).map {
        ClosedHost(name: name, of: owner, $0, now: now)
      }
    }
  }

  /// The reason why the photo waits for its host, or for the server to which that leads it; nil if it is under way, or
  /// waits for something else. A photo of a closed host waits for the host unless it is under way.
  package func hostWait(of photo: PhotoID, at host: String) -> HostWait? {
    let now = time.uptime()
    return state.withLock { state in
      if state.admission.holds(photo) { return nil }
      let awaited = state.admission.hostAwaited(by: photo)
      let host = awaited ?? host
      let owner = state.admission.owner(of: photo.list)
      if let closure = state.admission.closure(of: host, for: photo.list) {
        return .closed(ClosedHost(name: host, of: owner, closure, now: now))
      }
      guard awaited != nil else { return nil }
      return state.admission.hosts.lacksSeats(host, for: owner) ? .seat(host) : .room(host)
    }
  }

  /// The most attempts at a photo.
  package var attempts: UInt32 { policy.attempts }

  /// Nil for a list that the chains do not have.
  package func waits(of list: ListID) -> ListWaits? {
    let found = state.withLock { state in
      (
        state.admission.waits(of: list),
        state.chains.values.filter { $0.work.photo.list == list }
      )
    }
    guard var waits = found.0 else { return nil }
    waits.chains = found.1.map { (number: $0.work.photo.number, stage: $0.stage) }
      .sorted { $0.number < $1.number }
    return waits
  }

  /// Nil for a photo of a list that the chains do not have.
  package func place(of photo: PhotoID, at host: String) -> PhotoPlace? {
    let (chain, standing) = state.withLock { state in
      (state.chains[photo], state.admission.standing(of: photo))
    }
    if let chain { return .chain(chain.stage, admitted: chain.work.admitted) }
    switch standing {
    case nil: return nil
    case .still: return .list
    case .retry: return .retry
    case .turn: return hostWait(of: photo, at: host).map { .host($0) } ?? .turn
    }
  }

  /// The photos of each list that wait for closed hosts or for another attempt, and up to `slow` others.
  package func waitingPhotos(slow: Int) -> WaitingPhotos {
    state.withLock { $0.admission.waitingPhotos(slow: slow) }
  }

  /// The photos of each list that wait for hosts which another machine reached lately, and this one does not.
  package func unreachedPhotos(within limit: Duration) -> [ListID: Int] {
    let now = time.uptime()
    return state.withLock { $0.admission.unreachedPhotos(within: limit, now: now) }
  }

  // MARK: changing

  /// Allows a probe of a closed host at once, for all users. Without a name: of all closed hosts, and all waiting retries
  /// are due. Returns the number of closed hosts.
  package func flush(_ host: String?) -> Int {
    let now = time.uptime()
    let count = state.withLock { state in
      if host == nil { state.proxyTrouble.hurry(now: now) }
      return state.admission.flush(host, now: now)
    }
    bell.changed()
    return count
  }

  /// Allows a probe of the hosts at once, for the user of each, but not of hosts that asked to be left alone. Returns the
  /// number of hosts that are tried again.
  package func flush(_ closed: [ClosedHost]) -> Int {
    let now = time.uptime()
    let owners = Dictionary(grouping: closed, by: \.name).mapValues { Set($0.map(\.owner)) }
    let count = state.withLock { $0.admission.flush(for: owners, now: now) }
    bell.changed()
    return count
  }

  /// A disk is better: work that is held for this machine is tried at once.
  package func relieve() {
    let now = time.uptime()
    state.withLock { $0.trouble.hurry(now: now) }
    bell.changed()
  }

  /// The machine has a network again.
  package func reconnected() {
    let now = time.uptime()
    state.withLock { $0.admission.reconnected(now: now) }
    bell.changed()
  }

  package func limitHosts(to limits: HostLimits) {
    let now = time.uptime()
    state.withLock { $0.admission.limitHosts(to: limits, now: now) }
    bell.changed()
  }

  /// The use of each host by this machine until `grantSeats`.
  package func claimSeats() -> (claims: [SeatClaim], limits: HostLimits) {
    let now = time.uptime()
    return state.withLock { ($0.admission.claimSeats(now: now), $0.admission.hosts.limits) }
  }

  package func grantSeats(_ granted: [SeatGrant], until deadline: Duration) {
    let now = time.uptime()
    state.withLock { state in
      let jitter = Double.random(in: 0...1, using: &state.random)
      state.admission.grantSeats(granted, until: deadline, now: now, jitter: jitter)
    }
    bell.changed()
  }

  /// The trouble belongs to the earlier proxy; with the same one it may be over, as its login may be another.
  package func route(by route: ProxyRoute) {
    let now = time.uptime()
    state.withLock { state in
      if route == state.admission.hosts.route {
        state.proxyTrouble.hurry(now: now)
      } else if state.proxyTrouble.end() {
        state.events.append(.proxyRecovered)
        state.admission.shutProxy(false, now: now)
      }
      state.admission.route(by: route, now: now)
    }
    bell.changed()
  }

  /// Transfers that have begun continue, and so do photos that need no download.
  package func suspendDownloads(_ isOn: Bool) {
    let now = time.uptime()
    state.withLock { $0.admission.suspendDownloads(isOn, now: now) }
    if isOn { disconnect() }
    bell.changed()
  }
}

extension ClosedHost {
  init(name: String, of owner: UInt32, _ closure: HostWindow.Closure, now: Duration) {
    self.init(
      name: name, owner: owner, failure: closure.failure, attempts: closure.attempts,
      age: now - closure.since,
      wait: max(.zero, closure.next - now), isWish: closure.isWish && closure.gate > now)
  }
}
