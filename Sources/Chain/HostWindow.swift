// SPDX-License-Identifier: Apache-2.0
// How much one server is asked for at once: two photos at first, one more for each window without
// trouble, half as many after each failure of its. At none it is closed: one photo at a time looks
// whether it is back, at growing distances. A plain value: no clock, no lock, no dice inside.

package import Vocabulary

package struct HostWindow: Equatable, Sendable {
  /// Why nothing but a probe goes to the server.
  package struct Closure: Equatable, Sendable {
    /// By uptime.
    package let since: Duration
    /// Nothing starts before.
    package fileprivate(set) var gate: Duration
    package fileprivate(set) var failure: Failure
    /// What it failed at since it last answered, the first failures included.
    package fileprivate(set) var attempts: UInt32
    fileprivate var probes = 0
    fileprivate var isProbing = false
    /// The latest probe was a photo that never had an attempt.
    package fileprivate(set) var isFreshProbe = false
    /// One of these has failed since it closed: it is not for what the photos are that it fails.
    fileprivate var hasFailedFresh = false
    /// The server said itself when it wants to be asked again.
    package fileprivate(set) var isWish = false
    fileprivate var lastFailed: Duration
    /// People know of it.
    fileprivate var isTold = false
  }

  /// What a transfer says of its server.
  package enum Outcome: Equatable, Sendable {
    /// It answered, if only to say no.
    case answered
    case failed(Failure)
    /// The transfer was called off, or this machine was in the way.
    case unknown
  }

  package enum News: Equatable, Sendable {
    case closed(Closure)
    case reopened(Closure)
  }

  private static let first = 2
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(60)
  /// So long a server may ask to be left alone.
  private static let longestWish: UInt32 = 3600

  /// How many at once; none while it is closed.
  private(set) var limit = HostWindow.first
  private(set) var inFlight = 0
  package private(set) var closure: Closure?
  /// Answers since the window was last changed.
  private var clean = 0
  /// Failures since it last answered.
  private var failures: UInt32 = 0

  package init() {}

  /// How many more may start now.
  package func room(now: Duration, most: Int) -> Int {
    guard let closure else { return max(0, min(limit, most) - inFlight) }
    return now >= closure.gate && !closure.isProbing ? 1 : 0
  }

  /// One more goes out; true when it is the probe of a closed server. Photos that never had an attempt
  /// and those that had are its probes in turn: some may fail for what they are, while it is well.
  /// - Parameters:
  ///   - tried: There are photos for it that had an attempt.
  ///   - fresh: There are others.
  package mutating func start(tried: Bool = false, fresh: Bool = true) -> Bool {
    inFlight += 1
    guard let closed = closure else { return false }
    closure?.isProbing = true
    closure?.isFreshProbe = fresh && !(tried && closed.isFreshProbe)
    return true
  }

  /// One has come back.
  /// - Parameter jitter: from 0 to 1.
  package mutating func end(
    _ outcome: Outcome, isProbe: Bool, now: Duration, most: Int, jitter: Double
  ) -> News? {
    inFlight -= 1
    if isProbe { closure?.isProbing = false }
    switch outcome {
    case .unknown: return nil
    case .answered: return answer(isProbe: isProbe, most)
    case .failed(let failure):
      failures = failures == .max ? .max : failures + 1
      if isProbe, closure?.isFreshProbe == true { closure?.hasFailedFresh = true }
      clean = 0
      if let wish = failure.waitSeconds {
        return close(
          failure, until: now + .seconds(Int64(min(max(wish, 1), Self.longestWish))), now)
      }
      if closure != nil { return fail(failure, isProbe: isProbe, now, jitter) }
      limit /= 2
      // One that failed by chance is not worth telling: a probe shows whether it was.
      if limit == 0 { closure = newClosure(failure, now + Self.shortest * jitter, now) }
      return nil
    }
  }

  private mutating func answer(isProbe: Bool, _ most: Int) -> News? {
    // What was on its way says that it lives, but not that it has changed its mind.
    if closure?.isWish == true, !isProbe { return nil }
    failures = 0
    if let closed = closure {
      (closure, limit, clean) = (nil, Self.first, 0)
      return closed.isTold ? .reopened(closed) : nil
    }
    clean += 1
    if clean >= limit {
      limit = min(limit + 1, max(most, 1))
      clean = 0
    }
    return nil
  }

  /// It says itself when it wants to be asked again.
  private mutating func close(_ failure: Failure, until gate: Duration, _ now: Duration) -> News? {
    limit = 0
    var closed = closure ?? newClosure(failure, gate, now)
    closed.gate = max(closed.gate, gate)
    closed.isWish = true
    return tell(&closed, failure, now)
  }

  private mutating func fail(
    _ failure: Failure, isProbe: Bool, _ now: Duration, _ jitter: Double
  ) -> News? {
    guard var closed = closure else { return nil }
    // What was on its way when it closed says nothing new.
    guard isProbe else {
      closed.attempts = failures
      closure = closed
      return nil
    }
    closed.probes += 1
    closed.isWish = false
    var wait = Self.shortest
    for _ in 0..<min(closed.probes, 6) { wait = min(wait * 2, Self.longest) }
    closed.gate = now + wait * max(0, min(1, jitter))
    return tell(&closed, failure, now)
  }

  private mutating func tell(_ closed: inout Closure, _ failure: Failure, _ now: Duration) -> News?
  {
    let isNews = !closed.isTold
    closed.isTold = true
    closed.failure = failure
    closed.attempts = failures
    closed.lastFailed = now
    closure = closed
    return isNews ? .closed(closed) : nil
  }

  private func newClosure(_ failure: Failure, _ gate: Duration, _ now: Duration) -> Closure {
    Closure(since: now, gate: gate, failure: failure, attempts: failures, lastFailed: now)
  }

  /// The server may be asked at once; how long it has failed is not forgotten. Its own wish stands,
  /// unless wishes do not count.
  package mutating func flush(now: Duration, wishes: Bool = true) {
    guard let closed = closure, wishes || !closed.isWish || closed.gate <= now else { return }
    closure?.gate = min(closed.gate, now)
    closure?.probes = 0
    closure?.isWish = false
  }

  /// It has failed for so long that whoever waits for it gives up, until it is asked again.
  package func isLost(after patience: Duration, now: Duration) -> Bool {
    guard let closure, !closure.isProbing, now < closure.gate else { return false }
    return closure.lastFailed - closure.since >= patience
  }

  /// Photos of every kind fail there.
  var failsAll: Bool { closure?.hasFailedFresh == true }

  /// Nothing of it is worth remembering, once nobody is on the way to it. What was told of is kept a
  /// little longer, so that it is not told again and again.
  package func isForgettable(now: Duration) -> Bool {
    guard inFlight == 0 else { return false }
    guard let closure else { return true }
    return now >= closure.gate + (closure.isTold ? Self.longest : .zero)
  }
}

extension HostWindow.Outcome {
  /// What a failed download says of the server. One that says no, for good, is well.
  package init(_ failure: Failure) {
    switch failure.kind {
    case .final: self = .answered
    case .machine, .cancelled: self = .unknown
    case .passing: self = .failed(failure)
    }
  }
}
