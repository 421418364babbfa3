// SPDX-License-Identifier: Apache-2.0
// How many photos of one owner may be in flight to one host: two at first, one more after each full window of answers,
// half as many after each failure. At zero the host is closed for this owner: one probe at a time tests it, after growing
// pauses. A plain value: no clock, no lock, no random numbers inside.

package import Vocabulary

package struct HostWindow: Equatable, Sendable {
  /// The closure of a host, to which only probes go.
  package struct Closure: Equatable, Sendable {
    /// By uptime.
    package let since: Duration
    /// No probe starts before this time: the pause after the last one, or the wish of the host.
    package fileprivate(set) var gate: Duration
    package fileprivate(set) var failure: Failure
    /// The number of failures since the host last answered, including the first ones.
    package fileprivate(set) var attempts: UInt32
    fileprivate var probes = 0
    fileprivate var isProbing = false
    /// The latest probe was a photo without an earlier attempt.
    package fileprivate(set) var isFreshProbe = false
    /// The host itself asked for this gate.
    package fileprivate(set) var isWish = false
    fileprivate var lastFailed: Duration
    /// How long it has been tried: the pauses, and the probes that failed. A time in which a probe might start and none did
    /// is not the host's: this machine may have no network then.
    package fileprivate(set) var tried = Duration.zero
    /// Pauses that do not count yet: until a probe fails, nothing shows that the host was away in them.
    private var paused = Duration.zero
    /// The time up to which `tried` and `paused` are counted.
    private var counted: Duration
    /// The closure has been reported.
    fileprivate(set) var isTold = false
    /// The last probe by this machine, or the beginning.
    fileprivate var lastProbe: Duration
    /// The last one of another machine that this one knows.
    fileprivate var lastHeard = Duration.zero
    /// Until this time, this machine leaves the probes to the other machine.
    fileprivate var rest: Duration?
    /// When the host last answered another machine.
    fileprivate var lastAnswerElsewhere: Duration?
    /// An answer to another machine has made this one probe at once.
    fileprivate var isHurried = false

    init(_ failure: Failure, gate: Duration, attempts: UInt32, now: Duration) {
      (since, self.gate, self.failure, self.attempts) = (now, gate, failure, attempts)
      (lastFailed, lastProbe, counted) = (now, now, now)
    }

    /// No probe of this machine starts before this time.
    package var next: Duration { max(gate, rest ?? gate) }

    /// Counts the pause. A time up to `now` in which a probe might have started does not count.
    fileprivate mutating func countPause(now: Duration) {
      paused += max(.zero, min(now, next) - counted)
      counted = now
    }

    /// Counts a probe that failed, and the pauses before it. A probe that did not fail uses up no patience.
    fileprivate mutating func countProbe(hasFailed: Bool, now: Duration) {
      if hasFailed {
        tried += now - counted
        confirmPauses()
      }
      counted = now
    }

    fileprivate mutating func confirmPauses() { (tried, paused) = (tried + paused, .zero) }
  }

  /// The outcome of a probe that other machines may not have heard.
  private struct Finding: Equatable, Sendable {
    let hasAnswered: Bool
    var isSaid = false
  }

  /// The outcome of a transfer for one of the servers that it was to reach.
  package enum Outcome: Equatable, Sendable {
    /// It answered, perhaps with a refusal.
    case answered
    /// It answered with a redirect to another server, and that one failed. A server to which one user's URL leads must not
    /// close the host for others: the failure closes the other server.
    case led
    case failed(Failure)
    /// The transfer ended before it reached the server, or failed without a server, and the failure is the photo's alone.
    case unreached
    /// The transfer was cancelled.
    case unknown
  }

  package enum News: Equatable, Sendable {
    case closed(Closure)
    case reopened(Closure)
  }

  private static let first = 2
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(60)
  /// The pauses of a machine that leaves the probes to another one: as long as it has had the host closed, within these.
  private static let rests = Duration.seconds(60)...(.seconds(300))
  /// After this time, the outcome of the other machine's next probe is known, unless the host hangs.
  private static let courtesy = Duration.seconds(30)
  /// The times of two reports of one probe differ by less than this.
  private static let blur = Duration.seconds(2)
  /// The longest wait that a host may ask for.
  package static let longestWish = Duration.seconds(3600)

  /// The limit of photos in flight; zero while it is closed.
  private(set) var limit = HostWindow.first
  private(set) var inFlight = 0
  package private(set) var closure: Closure?
  /// Answers since the limit last changed.
  private var clean = 0
  /// Failures since the last answer.
  private var failures: UInt32 = 0
  private var finding: Finding?
  private var lastAnswer: Duration?
  /// Another machine has said that the host failed then.
  private var doubt: Duration?

  package init() {}

  /// How many photos may start now.
  package func room(now: Duration, most: Int) -> Int {
    guard let closure else { return max(0, min(limit, most) - inFlight) }
    // Failures behind redirects may close it while it has as many photos as it may have.
    return now >= closure.next && !closure.isProbing ? max(0, min(1, most - inFlight)) : 0
  }

  /// Notes the start of a photo; true if it probes a closed host. Tried and untried photos take turns as
  /// probes, since a photo may fail by its own fault while the host is well.
  /// - Parameters:
  ///   - tried: Photos for the host with an earlier attempt exist.
  ///   - fresh: Photos without one exist.
  package mutating func start(tried: Bool = false, fresh: Bool = true, now: Duration) -> Bool {
    inFlight += 1
    guard let closed = closure else { return false }
    closure?.countPause(now: now)
    closure?.isProbing = true
    closure?.isFreshProbe = fresh && !(tried && closed.isFreshProbe)
    return true
  }

  /// Notes the end of a photo.
  /// - Parameters:
  ///   - wish: The longest wait that is granted to the host.
  ///   - jitter: From 0 to 1.
  package mutating func end(
    _ outcome: Outcome, isProbe: Bool, now: Duration, most: Int, wish: Duration = longestWish,
    jitter: Double
  ) -> News? {
    inFlight -= 1
    if isProbe {
      closure?.isProbing = false
      closure?.countProbe(hasFailed: outcome.isFailure, now: now)
    }
    switch outcome {
    case .unknown: return nil
    case .unreached:
      // The next photo may not reach it either, so it does not follow at once.
      if isProbe, let gate = closure?.gate {
        closure?.gate = max(gate, now + Self.shortest * max(0, min(1, jitter)))
      }
      return nil
    case .led where closure == nil:
      // The host is well, but more photos at once would only fail at the other server.
      lastAnswer = now
      contradict()
      failures = 0
      return nil
    case .answered, .led: return answer(isProbe: isProbe, most, now)
    case .failed(let failure):
      failures = failures == .max ? .max : failures + 1
      clean = 0
      if let seconds = failure.waitSeconds {
        return close(failure, until: now + min(.seconds(Int64(max(seconds, 1))), wish), now)
      }
      if closure != nil { return fail(failure, isProbe: isProbe, now, jitter) }
      limit /= 2
      // Not reported yet: it may have failed by chance, as a probe will show.
      if limit == 0 {
        closure = Closure(
          failure, gate: now + Self.shortest * jitter, attempts: failures, now: now)
      }
      return nil
    }
  }

  /// Notes the outcome of a photo that another host led here without a place.
  package mutating func note(
    _ outcome: Outcome, now: Duration, most: Int, wish: Duration = longestWish, jitter: Double
  ) -> News? {
    inFlight += 1
    return end(outcome, isProbe: false, now: now, most: most, wish: wish, jitter: jitter)
  }

  private mutating func answer(isProbe: Bool, _ most: Int, _ now: Duration) -> News? {
    lastAnswer = now
    contradict()
    // An answer to an older transfer does not lift the wait that the host asked for.
    if closure?.isWish == true, !isProbe { return nil }
    failures = 0
    if let closed = closure {
      (closure, limit, clean) = (nil, Self.first, 0)
      if closed.isTold { finding = Finding(hasAnswered: true) }
      return closed.isTold ? .reopened(closed) : nil
    }
    clean += 1
    if clean >= limit {
      limit = min(limit + 1, max(most, 1))
      clean = 0
    }
    return nil
  }

  /// The host itself sets the time of the next probe.
  private mutating func close(_ failure: Failure, until gate: Duration, _ now: Duration) -> News? {
    limit = 0
    var closed = closure ?? Closure(failure, gate: gate, attempts: failures, now: now)
    if !closed.isProbing { closed.countPause(now: now) }
    closed.confirmPauses()
    closed.gate = max(closed.gate, gate)
    closed.isWish = true
    return tell(&closed, failure, now)
  }

  private mutating func fail(
    _ failure: Failure, isProbe: Bool, _ now: Duration, _ jitter: Double
  ) -> News? {
    guard var closed = closure else { return nil }
    // A transfer from before the closure says nothing new.
    guard isProbe else {
      closed.attempts = failures
      closure = closed
      return nil
    }
    closed.probes += 1
    (closed.lastProbe, closed.rest) = (now, nil)
    closed.isWish = false
    let wait = Backoff(Self.shortest, to: Self.longest).after(closed.probes + 1)
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
    finding = Finding(hasAnswered: false)
    return isNews ? .closed(closed) : nil
  }

  // MARK: other machines

  /// Other machines should hear of a probe, although this one may have no photo for the host any more.
  package var hasFinding: Bool { finding != nil }

  /// It is open, and the host has answered.
  var isAnswered: Bool { closure == nil && lastAnswer != nil }

  /// Says what other machines should know.
  package mutating func word(now: Duration) -> HostWord {
    finding?.isSaid = true
    guard let finding else { return .none }
    if finding.hasAnswered { return .answered }
    return closure.map { .failed(wait: max(.zero, $0.gate - now)) } ?? .none
  }

  /// If the host is open for this machine, and another machine reports it as closed, this machine contradicts:
  /// perhaps only the other machine is cut off.
  private mutating func contradict() {
    guard let time = doubt, closure == nil, let lastAnswer, lastAnswer > time else { return }
    (finding, doubt) = (Finding(hasAnswered: true), nil)
  }

  /// This machine does not reach the host, and another one did, not longer ago than this.
  package func isUnreached(within limit: Duration, now: Duration) -> Bool {
    guard let closure, closure.isTold, let time = closure.lastAnswerElsewhere else { return false }
    return closure.lastFailed > time && now - time <= limit
  }

  /// The answer to the last word. If several machines have closed the host, one probes it, as long as the others learn
  /// the results: their next probes come later. An answer to one machine makes all probe, once in a closure: the photos
  /// that were answered may be of another owner. Only own probes make photos give up.
  /// - Parameters:
  ///   - mayRest: The host answers no other owner of this machine, so that a failure elsewhere says something of it.
  ///   - jitter: From 0 to 1.
  package mutating func hear(
    _ report: HostReport?, mayRest: Bool = true, now: Duration, jitter: Double
  ) {
    if finding?.isSaid == true { finding = nil }
    if let report { note(report, now) }
    guard let report, var closed = closure, closed.isTold, !closed.isProbing else { return }
    let time = now - report.age
    guard time > closed.lastFailed, time > closed.lastHeard + Self.blur else { return }
    closed.lastHeard = time
    switch report.word {
    case .none: return
    case .answered:
      closed.rest = nil
      if !closed.isWish, !closed.isHurried {
        (closed.gate, closed.probes) = (min(closed.gate, now), 0)
        closed.isHurried = true
      }
    case .failed where !mayRest: return
    case .failed(let wait):
      let age = min(max(now - closed.since, Self.rests.lowerBound), Self.rests.upperBound)
      let late = Self.courtesy * (1 + max(0, min(1, jitter)))
      closed.rest = min(time + wait + late, closed.lastProbe + age)
    }
    closure = closed
  }

  private mutating func note(_ report: HostReport, _ now: Duration) {
    let time = now - report.age
    switch report.word {
    case .none: return
    case .answered: closure?.lastAnswerElsewhere = time
    case .failed:
      doubt = time
      contradict()
    }
  }

  /// Allows a probe at once; keeps the start of the closure. Overrides a wait that the host asked for only
  /// with `wishes`. Returns whether it is closed, and allows a probe.
  @discardableResult
  package mutating func flush(now: Duration, wishes: Bool = true) -> Bool {
    guard let closed = closure, wishes || !closed.isWish || closed.gate <= now else { return false }
    closure?.gate = min(closed.gate, now)
    closure?.rest = nil
    closure?.probes = 0
    closure?.isWish = false
    return true
  }

  /// The host has failed for so long that waiting photos give up, until the next probe.
  package func isLost(after patience: Duration, now: Duration) -> Bool {
    guard let closure, !closure.isProbing, now < closure.gate else { return false }
    return closure.tried >= patience
  }

  /// True when nothing is in flight and nothing worth remembering is left. A closure that was reported is
  /// kept a little longer, so it is not reported repeatedly.
  package func isForgettable(now: Duration) -> Bool {
    guard inFlight == 0 else { return false }
    guard let closure else { return true }
    return now >= closure.gate + (closure.isTold ? Self.longest : .zero)
  }
}

extension HostWindow.Outcome {
  /// The outcome of a failed download for the server that failed. A server that refuses for good is well. A failure
  /// without a server, such as of a file, is the photo's alone.
  package init(_ failure: Failure) {
    switch failure.kind {
    case .machine, .cancelled: self = .unknown
    case .final: self = failure.server == nil ? .unreached : .answered
    case .passing: self = failure.server == nil ? .unreached : .failed(failure)
    }
  }

  /// The outcome of the same transfer for the host that led it to the server.
  var ofLeader: Self {
    if case .failed = self { .led } else { self }
  }

  /// The outcome of the same transfer for a server that it was to reach, and that was not its last one.
  var ofOther: Self { self == .unknown ? .unknown : .unreached }

  /// The server itself has answered.
  var isAnswer: Bool { self == .answered || self == .led }

  var isFailure: Bool { if case .failed = self { true } else { false } }
}
