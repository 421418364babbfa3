// SPDX-License-Identifier: Apache-2.0
// The window of one host as a value: when it grows, shrinks, closes and opens.

import Testing
import Vocabulary

@testable import Chain

private func busy(_ seconds: UInt32) -> Failure {
  Failure(.passing, code: "http.503", reason: "it is busy", waitSeconds: seconds)
}

@Suite struct HostWindowTests {
  /// Fills the window and ends every transfer in it; returns the last news.
  @discardableResult
  private func fill(
    _ window: inout HostWindow, _ outcome: HostWindow.Outcome, at now: Duration = .zero
  ) -> HostWindow.News? {
    var news: HostWindow.News?
    let probes = (0..<window.room(now: now, most: 6)).map { _ in window.start(now: now) }
    for isProbe in probes {
      news =
        window.end(outcome, isProbe: isProbe, now: now, most: 6, jitter: 1) ?? news
    }
    return news
  }

  @Test func `a host starts with two transfers and gains one per clean window, up to its limit`() {
    var window = HostWindow()
    var limits = [window.limit]
    for _ in 0..<6 {
      fill(&window, .answered)
      limits.append(window.limit)
    }
    #expect(limits == [2, 3, 4, 5, 6, 6, 6])
  }

  @Test func `a limit that a reload lowers holds for the next photo`() {
    var window = HostWindow()
    for _ in 0..<4 { fill(&window, .answered) }
    #expect(window.room(now: .zero, most: 6) == 6 && window.room(now: .zero, most: 2) == 2)
    for _ in 0..<2 { _ = window.start(now: .zero) }
    #expect(window.room(now: .zero, most: 6) == 4 && window.room(now: .zero, most: 2) == 0)
  }

  @Test func `a failure halves the window, an answer such as 404 does not`() {
    var window = HostWindow()
    for _ in 0..<4 { fill(&window, .answered) }
    for _ in 0..<6 { _ = window.start(now: .zero) }
    _ = window.end(.failed(reset), isProbe: false, now: .zero, most: 6, jitter: 1)
    #expect(window.limit == 3)
    #expect(window.room(now: .zero, most: 6) == 0, "five are still on their way")
    let gone = Failure(.final, code: "http.404", reason: "it is not there")
    _ = window.end(
      HostWindow.Outcome(gone.at("a")), isProbe: false, now: .zero, most: 6, jitter: 1)
    #expect(window.limit == 3)
  }

  @Test func `a failure is its server's, and without a server the photo's alone`() {
    typealias Outcome = HostWindow.Outcome
    #expect(Outcome(reset.at("a")) == .failed(reset.at("a")))
    #expect(Outcome.failed(reset).ofLeader == .led && Outcome.answered.ofLeader == .answered)
    // A file that cannot be read, or a size that is wrong, says nothing about a server, and has to count.
    #expect(Outcome(reset) == .unreached)
    for kind in [Failure.Kind.final, .machine, .cancelled] {
      let failure = Failure(kind, code: "x", reason: "x")
      #expect(Outcome(failure) == (kind == .final ? .unreached : .unknown))
      #expect(Outcome(failure.at("a")) == (kind == .final ? .answered : .unknown))
    }
  }

  @Test(arguments: [HostWindow.Outcome.answered, .led])
  func `a host that redirects to a server which fails has answered`(_ outcome: HostWindow.Outcome) {
    var window = HostWindow()
    for _ in 0..<4 { fill(&window, outcome) }
    let limit = outcome == .answered ? 6 : HostWindow().limit
    #expect(window.limit == limit && window.closure == nil)
    _ = window.start(now: .zero)
    _ = window.end(.failed(busy(10)), isProbe: false, now: .zero, most: 6, jitter: 0)
    #expect(window.closure != nil)
    let news = fill(&window, outcome, at: .seconds(10))
    guard case .reopened = news else {
      Issue.record("a probe was answered: \(String(describing: news))")
      return
    }
    #expect(window.closure == nil)
  }

  @Test func `a photo without a place counts for a server behind a redirect as one with a place`() {
    var window = HostWindow()
    func note(_ outcome: HostWindow.Outcome, at now: Duration = .zero) -> HostWindow.News? {
      window.note(outcome, now: now, most: 6, jitter: 1)
    }
    #expect(note(.failed(reset)) == nil && window.limit == 1)
    #expect(note(.failed(reset)) == nil && window.closure?.gate == .seconds(1))
    #expect(note(.failed(reset)) == nil && window.closure?.attempts == 3)
    #expect(note(.answered) == nil && window.closure == nil && window.limit == 2)
    guard case .closed(let closure) = note(.failed(busy(60))) else {
      Issue.record("what it asks for is news")
      return
    }
    #expect(closure.gate == .seconds(60) && window.room(now: .seconds(59), most: 6) == 0)
    #expect(note(.answered, at: .seconds(59)) == nil && window.closure != nil, "it asked for that")
    #expect(window.inFlight == 0)
  }

  @Test func `a server that redirects close while it is full gets no probe before it has room`() {
    var window = HostWindow()
    for _ in 0..<2 { _ = window.start(now: .zero) }
    for _ in 0..<2 { _ = window.note(.failed(reset), now: .zero, most: 2, jitter: 1) }
    #expect(window.closure != nil && window.room(now: .seconds(1), most: 2) == 0)
    _ = window.end(.unknown, isProbe: false, now: .seconds(1), most: 2, jitter: 1)
    #expect(window.room(now: .seconds(1), most: 2) == 1)
  }

  @Test func `a probe that does not reach its server is no attempt, and the next one waits`() {
    var window = HostWindow()
    fill(&window, .failed(reset))
    fill(&window, .failed(reset), at: .seconds(1))
    let closure = window.closure
    #expect(closure?.gate == .seconds(3))
    fill(&window, .unreached, at: .seconds(3))
    #expect(window.room(now: .milliseconds(3999), most: 6) == 0)
    #expect(window.room(now: .seconds(4), most: 6) == 1)
    #expect(window.closure?.attempts == closure?.attempts)
    #expect(!window.isLost(after: .seconds(2), now: .milliseconds(3500)), "it has not failed again")
    fill(&window, .failed(reset), at: .seconds(4))
    #expect(window.closure?.gate == .seconds(8))
  }

  @Test func `a dead host is probed by one photo, at growing intervals of at most a minute`() {
    var window = HostWindow()
    fill(&window, .failed(reset))
    var now = Duration.seconds(1)
    #expect(window.limit == 0)
    #expect(window.room(now: .milliseconds(999), most: 6) == 0)
    var gaps: [Int64] = []
    for _ in 0..<8 {
      #expect(window.room(now: now, most: 6) == 1)
      fill(&window, .failed(reset), at: now)
      guard let gate = window.closure?.gate else { break }
      gaps.append((gate - now).components.seconds)
      now = gate
    }
    #expect(gaps == [2, 4, 8, 16, 32, 60, 60, 60])
  }

  @Test func `a closure is reported once, and so is the recovery`() {
    var window = HostWindow()
    #expect(fill(&window, .failed(reset)) == nil, "one failure may be chance")
    guard case .closed(let closure) = fill(&window, .failed(reset), at: .seconds(1)) else {
      Issue.record("a probe that fails is news")
      return
    }
    #expect(closure.failure == reset && closure.attempts == 3)
    #expect(fill(&window, .failed(reset), at: .seconds(5)) == nil)
    guard case .reopened(let last) = fill(&window, .answered, at: .seconds(20)) else {
      Issue.record("that it is back is news")
      return
    }
    #expect(last.since == .zero)
    #expect(window.limit == 2 && window.closure == nil, "no herd: it starts small")
    #expect(fill(&window, .answered, at: .seconds(20)) == nil)
  }

  @Test(arguments: [
    (UInt32(0), Int64(1)), (1, 1), (120, 120), (3600, 3600), (1_000_000_000, 3600),
  ])
  func `a request to be left alone holds for at least a second and at most an hour`(
    asked: UInt32, seconds: Int64
  ) {
    var window = HostWindow()
    for _ in 0..<3 { fill(&window, .answered) }
    _ = window.start(now: .zero)
    let news = window.end(.failed(busy(asked)), isProbe: false, now: .zero, most: 6, jitter: 0)
    #expect(news != nil, "reported at once")
    #expect(window.closure?.gate == .seconds(seconds))
    #expect(window.room(now: .seconds(seconds) - .milliseconds(1), most: 6) == 0)
    #expect(window.room(now: .seconds(seconds), most: 6) == 1, "one probe, not a herd")
  }

  @Test func `a request to be left alone holds although earlier transfers are still answered`() {
    var window = HostWindow()
    for _ in 0..<2 { _ = window.start(now: .zero) }
    _ = window.end(.failed(busy(60)), isProbe: false, now: .zero, most: 6, jitter: 0)
    _ = window.end(.answered, isProbe: false, now: .zero, most: 6, jitter: 0)
    #expect(window.closure?.gate == .seconds(60))
    #expect(fill(&window, .answered, at: .seconds(60)) != nil && window.closure == nil)
  }

  @Test func `a cancelled probe proves nothing, and the next one may go at once`() {
    var window = HostWindow()
    fill(&window, .failed(reset))
    fill(&window, .unknown, at: .seconds(1))
    #expect(window.room(now: .seconds(1), most: 6) == 1)
  }

  @Test func `transfers from before a closure neither delay the probe nor hide an answer`() {
    var window = HostWindow()
    for _ in 0..<4 { fill(&window, .answered) }
    for _ in 0..<6 { _ = window.start(now: .zero) }
    for _ in 0..<5 {
      _ = window.end(.failed(reset), isProbe: false, now: .zero, most: 6, jitter: 1)
    }
    #expect(window.closure?.gate == .seconds(1))
    _ = window.end(.answered, isProbe: false, now: .zero, most: 6, jitter: 1)
    #expect(window.closure == nil)
  }

  @Test func `patience ends when a probe fails after it, however long the host asked us to wait`() {
    var window = HostWindow()
    _ = window.start(now: .zero)
    _ = window.end(.failed(busy(3600)), isProbe: false, now: .zero, most: 6, jitter: 0)
    #expect(!window.isLost(after: .seconds(1800), now: .seconds(1900)))
    fill(&window, .failed(reset), at: .seconds(3600))
    #expect(window.isLost(after: .seconds(1800), now: .seconds(3600)))
    #expect(!window.isLost(after: .seconds(1800), now: .seconds(3700)), "now a probe is due")
    window.flush(now: .seconds(3700))
    fill(&window, .failed(reset), at: .seconds(3700))
    #expect(window.isLost(after: .seconds(1800), now: .seconds(3700)), "patience keeps counting")
  }

  @Test func `repeated flushes do not postpone the end of patience`() {
    var window = HostWindow()
    fill(&window, .failed(reset))
    for second in 1...1800 {
      window.flush(now: .seconds(second))
      fill(&window, .failed(reset), at: .seconds(second))
    }
    #expect(window.isLost(after: .seconds(1800), now: .seconds(1800)))
  }

  @Test func `only pauses and probes that fail take patience, and not the time without a probe`() {
    var window = HostWindow()
    fill(&window, .failed(reset))
    fill(&window, .failed(reset), at: .seconds(1))
    #expect(window.closure?.gate == .seconds(3))
    // This machine has no network for an hour.
    fill(&window, .unknown, at: .seconds(3))
    fill(&window, .unreached, at: .seconds(1800))
    fill(&window, .failed(reset), at: .seconds(3600))
    #expect(window.closure?.tried == .seconds(4), "a second is the pause after no attempt")
    #expect(window.closure?.since == .zero && window.closure?.gate == .seconds(3604))
    #expect(!window.isLost(after: .seconds(5), now: .seconds(3600)))
    let isProbe = window.start(now: .seconds(3604))
    _ = window.end(.failed(reset), isProbe: isProbe, now: .seconds(3634), most: 6, jitter: 1)
    #expect(window.closure?.tried == .seconds(38) && window.closure?.gate == .seconds(3642))
    // A transfer from before, whose server asks for a wait.
    _ = window.note(.failed(busy(60)), now: .seconds(3640), most: 6, jitter: 1)
    #expect(window.closure?.tried == .seconds(44))
    fill(&window, .failed(reset), at: .seconds(3700))
    #expect(window.closure?.tried == .seconds(104))
    #expect(window.isLost(after: .seconds(104), now: .seconds(3700)))
  }

  @Test func `a probe that does not reach the host does not prove that it was away`() {
    var window = HostWindow()
    _ = window.start(now: .zero)
    _ = window.end(.failed(busy(60)), isProbe: false, now: .zero, most: 6, jitter: 0)
    fill(&window, .unreached, at: .seconds(60))
    #expect(!window.isLost(after: .seconds(60), now: .seconds(60)))
    fill(&window, .failed(reset), at: .seconds(61))
    #expect(window.isLost(after: .seconds(60), now: .seconds(61)))
  }

  @Test(arguments: [false, true])
  func `only a permitted flush overrides a request to be left alone`(mayPass: Bool) {
    var window = HostWindow()
    _ = window.start(now: .zero)
    _ = window.end(.failed(busy(60)), isProbe: false, now: .zero, most: 6, jitter: 0)
    window.flush(now: .seconds(1), wishes: mayPass)
    #expect(window.room(now: .seconds(1), most: 6) == (mayPass ? 1 : 0))
  }

  // MARK: other machines

  /// Closed at 1 s, with a probe at 3 s that failed.
  private func closed() -> HostWindow {
    var window = HostWindow()
    fill(&window, .failed(reset), at: .seconds(1))
    fill(&window, .failed(reset), at: .seconds(3))
    return window
  }

  private func failed(_ wait: Int, ago age: Int = 0) -> HostReport {
    HostReport(age: .seconds(age), word: .failed(wait: .seconds(wait)))
  }

  @Test func `a machine says what its probes have found, until the answer`() {
    var window = HostWindow()
    fill(&window, .failed(reset), at: .seconds(1))
    let chance = window.word(now: .seconds(1))
    #expect(chance == .none, "a probe will show")
    window = closed()
    let words = [window.word(now: .seconds(4)), window.word(now: .seconds(5))]
    #expect(words == [.failed(wait: .seconds(1)), .failed(wait: .zero)])
    fill(&window, .answered, at: .seconds(5))
    window.hear(nil, now: .seconds(6), jitter: 0)
    #expect(window.hasFinding, "the answer is older than that")
    let last = window.word(now: .seconds(6))
    window.hear(nil, now: .seconds(7), jitter: 0)
    #expect(last == .answered && !window.hasFinding)
  }

  @Test func `an answer counts although two failures follow before it is told`() {
    var window = closed()
    fill(&window, .answered, at: .seconds(5))
    fill(&window, .failed(reset), at: .seconds(6))
    let word = window.word(now: .seconds(6))
    #expect(window.closure != nil && word == .answered)
  }

  @Test func `a machine leaves the probes to another one, as long as that one probes`() {
    var window = closed()
    #expect(window.closure?.next == .seconds(5))
    window.hear(failed(20, ago: 1), now: .seconds(4), jitter: 1)
    #expect(window.closure?.next == .seconds(5), "its own probe is as new")
    window.hear(failed(20), now: .seconds(5), jitter: 0)
    #expect(window.closure?.next == .seconds(55), "the other one probes at 25 s")
    window.hear(failed(18, ago: 1), now: .seconds(7), jitter: 1)
    #expect(window.closure?.next == .seconds(55), "that was the same probe")
    window.hear(failed(60), now: .seconds(26), jitter: 1)
    #expect(window.closure?.next == .seconds(63), "a minute after its own one, at first")
    window.hear(failed(60), now: .seconds(250), jitter: 1)
    #expect(window.closure?.next == .seconds(252), "as long as it has been closed")
    window.hear(failed(60, ago: 10), now: .seconds(900), jitter: 1)
    #expect(window.closure?.next == .seconds(303), "and then five minutes")
    #expect(window.room(now: .seconds(303), most: 6) == 1)
  }

  @Test func `photos give up by the probes of their own machine alone`() {
    var window = closed()
    for time in stride(from: 5, to: 900, by: 10) {
      window.hear(failed(60), now: .seconds(time), jitter: 1)
      #expect(!window.isLost(after: .seconds(3), now: .seconds(time)))
      #expect(window.closure?.gate == .seconds(5))
    }
  }

  @Test func `an answer to another machine has this one probe at once, but not against a wish`() {
    var window = closed()
    window.hear(failed(60), now: .seconds(10), jitter: 0)
    let answer = HostReport(age: .seconds(2), word: .answered)
    window.hear(answer, now: .seconds(13), jitter: 0)
    #expect(window.closure?.next == .seconds(63), "it is not newer")
    window.hear(answer, now: .seconds(20), jitter: 0)
    #expect(window.room(now: .seconds(20), most: 6) == 1)
    var left = HostWindow()
    fill(&left, .failed(busy(900)))
    left.hear(HostReport(age: .zero, word: .answered), now: .seconds(20), jitter: 0)
    #expect(left.closure?.next == .seconds(900))
    window = HostWindow()
    window.hear(failed(60), now: .seconds(1), jitter: 0)
    #expect(window.closure == nil, "this machine may reach it")
    fill(&window, .failed(reset), at: .seconds(2))
    window.hear(failed(60), now: .seconds(3), jitter: 0)
    #expect(window.closure?.next == .seconds(3), "its own probe will show")
  }

  @Test func `a probe that is under way decides`() {
    var window = closed()
    let isProbe = window.start(now: .seconds(6))
    window.hear(failed(60), now: .seconds(6), jitter: 0)
    _ = window.end(.answered, isProbe: isProbe, now: .seconds(7), most: 6, jitter: 1)
    #expect(window.closure == nil)
  }

  @Test func `a closed host needs no more seats than its probe`() {
    var hosts = HostWindows(HostLimits(most: 6, areShared: true))
    let key = LineKey(ListID(1))
    hosts.join("x", key, .default, of: 0, now: .zero)
    _ = hosts.claimSeats(["x": 9], now: .zero)
    hosts.grantSeats([SeatGrant("x", seats: 6)], until: .seconds(30), now: .zero, jitter: 0)
    for _ in 0..<2 { _ = hosts.answer("x", key, isTried: false, hasMore: true, now: .zero) }
    _ = hosts.end("x", key, .failed(reset), isProbe: false, now: .zero, jitter: 1)
    _ = hosts.end("x", key, .failed(reset), isProbe: false, now: .zero, jitter: 1)
    let claims = hosts.claimSeats(["x": 9], now: .zero)
    #expect(claims == [SeatClaim("x", held: 1, need: 1)])
    #expect(hosts.ask("x", .default, isTried: false, now: .seconds(2)) == .wait, "a line is called")
  }
}
