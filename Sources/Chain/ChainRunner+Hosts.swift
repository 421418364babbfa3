// SPDX-License-Identifier: Apache-2.0
// What the chains know of servers: what their answers come to, which are closed, what waits for them.

import Synchronization
package import Vocabulary

/// A server that is closed but for one photo now and then.
package struct ClosedHost: Equatable, Sendable {
  package let name: String
  /// Why it was closed, or is still.
  package let failure: Failure
  package let attempts: UInt32
  /// For how long it has been closed, and when it is asked again, from now.
  package let age: Duration
  package let wait: Duration
  /// The server itself asked to be left alone for so long.
  package let isWish: Bool
}

extension ChainRunner {
  /// Notes what a photo's server says of itself. How long the photo waits without its attempt being
  /// counted, if it does.
  @discardableResult
  func answered(_ photo: PhotoID, _ outcome: HostWindow.Outcome) -> Duration? {
    let now = time.uptime()
    let reply = state.withLock { state -> Admission.Reply? in
      let jitter = Double.random(in: 0...1, using: &state.random)
      return state.admission.answered(photo, outcome, now: now, jitter: jitter)
    }
    guard let reply else { return nil }
    if let news = reply.news { listener(.host(news)) }
    pump()
    return reply.gate.map { max(.zero, $0 - now) }
  }

  /// What a failed step says of the photo's server; nil where that is not asked for it.
  func hostOutcome(_ work: PhotoWork, _ stage: Stage, _ failure: Failure) -> HostWindow.Outcome? {
    guard stage == .download, work.state == .new else { return nil }
    let outcome = HostWindow.Outcome(failure)
    return outcome == .unknown ? nil : outcome
  }

  /// Its server asked to be left alone: the attempt does not count.
  func comeBack(
    _ work: PhotoWork, _ failure: Failure, after wait: Duration, _ hold: UInt
  ) async -> PhotoChain.End {
    do throws(Failure) {
      let work = work.counted(books.attempts(of: work.photo))
      try await books.recordRetry(work, .download, failure, after: wait)
      return .retry(after: wait)
    } catch {
      return error.kind == .cancelled ? .stopped : .machineTrouble(error, hold: hold)
    }
  }

  /// Nothing was tried: no attempt is counted.
  func giveUp(
    _ work: PhotoWork, _ stage: Stage, _ refusal: Failure, _ hold: UInt
  ) async -> PhotoChain.End {
    do throws(Failure) {
      try await books.recordFailure(
        work.counted(books.attempts(of: work.photo)), stage, refusal)
      return .failed
    } catch {
      return error.kind == .cancelled ? .stopped : .machineTrouble(error, hold: hold)
    }
  }

  static func refusal(_ lost: Admission.LostHost, now: Duration) -> Failure {
    let closure = lost.closure
    let attempts = "\(closure.attempts) attempt\(closure.attempts == 1 ? "" : "s")"
    return Failure(
      .final, code: closure.failure.code,
      reason: "\(closure.failure.reason), for \(spoken(now - closure.since)) and \(attempts)",
      advice: "Drop it again once \(lost.name) is back")
  }

  private static func spoken(_ time: Duration) -> String {
    let seconds = time.components.seconds
    return seconds < 120 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
  }

  // MARK: seeing

  /// By name.
  package func closedHosts() -> [ClosedHost] {
    let now = time.uptime()
    let closed = state.withLock { $0.admission.hosts.closed(now: now) }
    return closed.map { ClosedHost(name: $0.name, $0.closure, now: now) }
  }

  /// The photo's server, where that is closed.
  package func closedHost(_ name: String) -> ClosedHost? {
    let now = time.uptime()
    return state.withLock { $0.admission.hosts.closure(of: name) }
      .map { ClosedHost(name: name, $0, now: now) }
  }

  /// The photo waits until its server has room for it.
  package func isAside(_ photo: PhotoID) -> Bool {
    state.withLock { $0.admission.isAside(photo) }
  }

  package func isUnderWay(_ photo: PhotoID) -> Bool {
    state.withLock { $0.admission.holds(photo) }
  }

  // MARK: changing

  /// Asks a closed server at once, or all of them; then what waits for another attempt is due, too. How
  /// many servers were closed. One that asked to be left alone still is, without `wishes`.
  package func flush(_ host: String?, wishes: Bool = true) -> Int {
    let now = time.uptime()
    let count = state.withLock { $0.admission.flush(host, wishes: wishes, now: now) }
    pump()
    return count
  }

  package func limitHosts(to limits: HostLimits) {
    let now = time.uptime()
    state.withLock { $0.admission.limitHosts(to: limits, now: now) }
    pump()
  }

  /// What is on its way goes on, and so does everything that needs no download.
  package func suspendDownloads(_ isOn: Bool) {
    let now = time.uptime()
    state.withLock { $0.admission.suspendDownloads(isOn, now: now) }
    pump()
  }
}

extension ClosedHost {
  init(name: String, _ closure: HostWindow.Closure, now: Duration) {
    self.init(
      name: name, failure: closure.failure, attempts: closure.attempts, age: now - closure.since,
      wait: max(.zero, closure.gate - now), isWish: closure.isWish && closure.gate > now)
  }
}
