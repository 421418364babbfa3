// SPDX-License-Identifier: Apache-2.0
// Several users at one host, as values: the limit, the closure and the places of each. No thread, no clock.

import Testing
import Vocabulary

@testable import Chain

@Suite struct HostGuestTests {
  private let mallory: UInt32 = 1
  private let alice: UInt32 = 2

  private func line(_ owner: UInt32) -> LineKey { LineKey(ListID(UInt64(owner))) }

  /// Starts photos of the owner at the host `a` until there is no place; returns how many.
  @discardableResult
  private func fill(
    _ hosts: inout HostWindows, _ owner: UInt32, _ serviceClass: ServiceClass = .default,
    at now: Duration = .zero
  ) -> Int {
    var count = 0
    while case .start = hosts.ask("a", serviceClass, of: owner, isTried: false, now: now) {
      count += 1
    }
    return count
  }

  private func end(
    _ hosts: inout HostWindows, _ owner: UInt32, _ outcome: HostWindow.Outcome,
    at now: Duration = .zero
  ) {
    _ = hosts.end("a", line(owner), of: owner, outcome, isProbe: false, now: now, jitter: 1)
  }

  @Test(arguments: [
    Failure(.passing, code: "http.503", reason: "it is busy"),
    Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 3600),
    Failure(.passing, code: "time.slow", reason: "it is too slow"),
    Failure(.passing, code: "tls.failed", reason: "no secure connection"),
  ])
  func `failures close a host for the user of the photos alone`(_ failure: Failure) {
    var hosts = HostWindows()
    for _ in 0..<fill(&hosts, mallory) { end(&hosts, mallory, .failed(failure)) }
    #expect(hosts.closure(of: "a", for: mallory) != nil)
    #expect(hosts.closure(of: "a", for: alice) == nil && fill(&hosts, alice) == 2)
    for _ in 0..<2 { end(&hosts, alice, .answered) }
    #expect(hosts.closure(of: "a", for: mallory) != nil, "her paths say nothing of his")
    #expect(fill(&hosts, alice) == 2, "and his failures took no place of hers")
  }

  @Test func `a user who fills a host leaves a place for the next user`() {
    var hosts = HostWindows()
    // One is always in flight, so that the host remembers the limit.
    var photos = fill(&hosts, mallory)
    for _ in 0..<30 {
      end(&hosts, mallory, .answered)
      photos += fill(&hosts, mallory, .userInteractive) - 1
    }
    #expect(photos == 5)
    #expect(fill(&hosts, alice, .background) == 1 && fill(&hosts, 3) == 0)
    end(&hosts, alice, .answered)
    #expect(fill(&hosts, mallory) == 0 && fill(&hosts, 3) == 1)
  }

  /// The most photos in flight of one user, and of the next one beside them.
  @Test(arguments: [
    (1, nil, 1, 0), (2, nil, 2, 0), (3, nil, 3, 0), (4, nil, 3, 1), (6, nil, 5, 1),
    (16, nil, 12, 1), (40, nil, 30, 2), (16, 8, 6, 1), (6, 3, 3, 0),
  ])
  func `a quarter of the places at a host is kept for users with few`(
    most: Int, seats: Int?, alone: Int, beside: Int
  ) {
    var hosts = HostWindows(HostLimits(most: most, areShared: seats != nil))
    if let seats {
      _ = hosts.claimSeats(["a": 99], now: .zero)
      hosts.grantSeats([SeatGrant("a", seats: seats)], until: .seconds(99), now: .zero, jitter: 0)
    }
    // Answers widen both windows; one photo is always in flight, so that the host remembers them.
    var counts: [Int] = []
    for owner in [mallory, alice] {
      var photos = fill(&hosts, owner)
      for _ in 0..<(photos > 0 ? 1000 : 0) {
        end(&hosts, owner, .answered)
        photos += fill(&hosts, owner) - 1
      }
      counts.append(photos)
    }
    #expect(counts == [alone, beside])
  }

  @Test func `a user without a photo in flight at a host goes first there, in any class`() {
    // Two seats, of which none can be kept.
    var hosts = HostWindows(HostLimits(areShared: true))
    _ = hosts.claimSeats(["a": 9], now: .zero)
    hosts.grantSeats([SeatGrant("a", seats: 2)], until: .seconds(99), now: .zero, jitter: 0)
    #expect(fill(&hosts, mallory) == 2)
    hosts.join("a", line(mallory), .userInteractive, of: mallory, now: .zero)
    hosts.join("a", line(alice), .background, of: alice, now: .zero)
    #expect(hosts.takeCalled().isEmpty)
    end(&hosts, mallory, .answered)
    #expect(hosts.takeCalled() == [line(alice)])
    #expect(
      hosts.ask("a", .userInteractive, of: mallory, isTried: false, now: .zero) == .wait)
    let answer = hosts.answer("a", line(alice), isTried: false, hasMore: false, now: .zero)
    #expect(answer == .start(isProbe: false))
  }

  @Test func `users probe a closed host each for themselves`() {
    var hosts = HostWindows()
    for owner in [mallory, alice] {
      for _ in 0..<fill(&hosts, owner) { end(&hosts, owner, .failed(reset)) }
      hosts.join("a", line(owner), .default, of: owner, now: .zero)
    }
    #expect(hosts.nextGate == .seconds(1))
    hosts.awaken(now: .seconds(1))
    #expect(Set(hosts.takeCalled()) == [line(mallory), line(alice)])
    for owner in [mallory, alice] {
      let answer = hosts.answer(
        "a", line(owner), isTried: false, hasMore: true, now: .seconds(1))
      #expect(answer == .start(isProbe: true))
    }
    _ = hosts.end(
      "a", line(mallory), of: mallory, .failed(reset), isProbe: true, now: .seconds(1), jitter: 1)
    _ = hosts.end(
      "a", line(alice), of: alice, .answered, isProbe: true, now: .seconds(1), jitter: 1)
    #expect(hosts.nextGate == .seconds(3) && hosts.takeCalled() == [line(alice)])
    let closed = hosts.closed(now: .seconds(1))
    #expect(closed.map(\.name) == ["a"] && closed.first?.closure.attempts == 3)
  }

  @Test
  func `the news of a host begin with the first user for whom it is closed, and end with the last`()
  {
    var hosts = HostWindows()
    func news(_ owner: UInt32, _ outcome: HostWindow.Outcome, at second: Int) -> HostWindow.News? {
      let now = Duration.seconds(second)
      guard case .start(let isProbe) = hosts.ask("a", .default, of: owner, isTried: false, now: now)
      else { return nil }
      return hosts.end("a", line(owner), of: owner, outcome, isProbe: isProbe, now: now, jitter: 1)
    }
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    let first = news(mallory, .failed(busy), at: 1)
    guard case .closed(let closed) = first else {
      Issue.record("\(String(describing: first))")
      return
    }
    #expect(closed.since == .seconds(1) && news(alice, .failed(busy), at: 2) == nil)
    #expect(news(mallory, .answered, at: 70) == nil && news(3, .answered, at: 70) == nil)
    let last = news(alice, .answered, at: 80)
    guard case .reopened(let reopened) = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    #expect(reopened.since == .seconds(1))
    // Another time the second user has no photo any more, and is forgotten after a while.
    hosts = HostWindows()
    for owner in [mallory, alice] { _ = news(owner, .failed(busy), at: 1) }
    let later = [70, 100, 122, 123].map { news(mallory, .answered, at: $0) }
    #expect(later.map { $0 != nil } == [false, false, true, false])
  }

  @Test func `a host that is closed for several users is tried again for the users who are meant`()
  {
    var hosts = HostWindows()
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    for (owner, failure) in [(mallory, busy), (alice, reset), (3, reset)] {
      for _ in 0..<fill(&hosts, owner) { end(&hosts, owner, .failed(failure)) }
    }
    func gates() -> [Duration] { hosts.closed(now: .zero).map(\.closure.next) }
    #expect(hosts.closed(now: .zero).map(\.owner) == [alice, 3, mallory])
    #expect(hosts.flush(for: ["a": [mallory], "b": [3]], now: .zero) == 0)
    #expect(gates() == [.seconds(1), .seconds(1), .seconds(60)])
    #expect(hosts.flush(for: ["a": [mallory, 3]], now: .zero) == 1)
    #expect(gates() == [.seconds(1), .seconds(60)])
    #expect(hosts.flush("b", now: .zero) == 0 && hosts.flush("a", now: .zero) == 1)
    #expect(gates().isEmpty)
  }

  // MARK: users who give up

  /// All photos of the first user have failed at the host, until 3 s. It is probed again at 7 s.
  private func lost(most: Int, patience: Duration = .seconds(1)) -> HostWindows {
    var hosts = HostWindows(
      HostLimits(most: most, patience: patience), triedPatience: .seconds(1))
    hosts.join("a", line(mallory), .default, of: mallory, now: .zero)
    for second in [0, 0, 1, 3] {
      let now = Duration.seconds(second)
      hosts.awaken(now: now)
      let answer = hosts.answer("a", line(mallory), isTried: false, hasMore: true, now: now)
      guard case .start(let isProbe) = answer else {
        Issue.record("\(now): \(answer)")
        return hosts
      }
      _ = hosts.end(
        "a", line(mallory), of: mallory, .failed(reset), isProbe: isProbe, now: now, jitter: 1)
    }
    return hosts
  }

  /// More lists of the first user.
  private let others = (10..<30).map { LineKey(ListID($0)) }

  @Test func `the photos of a user who gives up take no place from another user`() {
    var hosts = lost(most: 2)
    hosts.join("a", others[0], .default, of: mallory, now: .seconds(3))
    #expect(Set(hosts.takeCalled()) == [line(mallory), others[0]])
    hosts.join("a", line(alice), .default, of: alice, now: .seconds(3))
    #expect(hosts.takeCalled() == [line(alice)])
  }

  @Test func `calls to give up take no places once their user may probe the host again`() {
    for isFlushed in [true, false] {
      var hosts = lost(most: 6)
      for key in others { hosts.join("a", key, .default, of: mallory, now: .seconds(3)) }
      #expect(Set(hosts.takeCalled()).count == 21)
      // No alarm has rung: the window of all photos is full.
      let now = Duration.seconds(isFlushed ? 4 : 8)
      if isFlushed { _ = hosts.flush("a", now: now) }
      hosts.join("a", line(alice), .default, of: alice, now: now)
      #expect(hosts.takeCalled() == [line(alice)])
      let answers = ([line(mallory)] + others).map {
        hosts.answer("a", $0, isTried: true, hasMore: false, now: now)
      }
      #expect(answers.count { $0 == .start(isProbe: true) } == 1)
      #expect(answers.count { $0 == .wait } == 20)
      #expect(
        hosts.answer("a", line(alice), isTried: false, hasMore: false, now: now)
          == .start(isProbe: false))
    }
  }

  @Test func `a call to give up holds up no photo that has not waited`() {
    var hosts = lost(most: 6)
    #expect(hosts.takeCalled().contains(line(mallory)))
    #expect(
      hosts.ask("a", .default, of: alice, isTried: false, now: .seconds(3))
        == .start(isProbe: false))
  }

  @Test func `a place is passed on past the calls to give up, and past those of a user with many`()
  {
    for isLate in [false, true] {
      let now = Duration.seconds(isLate ? 8 : 3)
      var hosts = lost(most: 1)
      for key in others { hosts.join("a", key, .default, of: mallory, now: .seconds(3)) }
      // At first the place is called for another user, later for one of the many lines.
      if !isLate { hosts.join("a", LineKey(ListID(40)), .default, of: 3, now: now) }
      hosts.join("a", line(alice), .default, of: alice, now: now)
      #expect(!hosts.takeCalled().contains(line(alice)))
      let isPassed = hosts.passCalls(now: now) { [alice] in $0.owner == alice }
      #expect(isPassed && hosts.takeCalled() == [line(alice)])
      #expect(
        hosts.answer("a", line(alice), isTried: false, hasMore: false, now: now)
          == .start(isProbe: false))
    }
  }

  /// There may be thousands.
  @Test func `lines that are called to give up are not put in order at each look`() {
    var hosts = lost(most: 6)
    for key in others { hosts.join("a", key, .default, of: mallory, now: .seconds(3)) }
    for _ in 0..<fill(&hosts, alice, at: .seconds(3)) {
      end(&hosts, alice, .failed(reset), at: .seconds(3))
    }
    hosts.join("a", line(alice), .default, of: alice, now: .seconds(3))
    // A third user has places, of which she can have none before her gate.
    hosts.join("a", LineKey(ListID(40)), .default, of: 3, now: .seconds(3))
    let called = Set(hosts.takeCalled())
    #expect(called == Set([line(mallory), LineKey(ListID(40))] + others))
    let looks = hosts.hosts["a"]?.called.looks
    for _ in 0..<9 {
      let isPassed = hosts.passCalls(now: .seconds(3)) { [alice] in $0.owner == alice }
      #expect(!isPassed)
    }
    hosts.awaken(now: .seconds(4))
    #expect(hosts.takeCalled() == [line(alice)])
    #expect(hosts.hosts["a"]?.called.looks == looks)
    // One place, which is called for a third user.
    hosts = lost(most: 1)
    for key in others { hosts.join("a", key, .default, of: mallory, now: .seconds(3)) }
    hosts.join("a", LineKey(ListID(40)), .default, of: 3, now: .seconds(3))
    hosts.join("a", line(alice), .default, of: alice, now: .seconds(3))
    _ = hosts.takeCalled()
    let before = hosts.hosts["a"]?.called.looks ?? 0
    let isPassed = hosts.passCalls(now: .seconds(3)) { [alice] in $0.owner == alice }
    #expect(isPassed && hosts.hosts["a"]?.called.looks == before + 1)
  }

  @Test func `a photo that gives up says that the photos of its user have failed`() throws {
    let closure = try #require(lost(most: 6).closure(of: "a", for: mallory))
    let host = Admission.LostHost(name: "a", closure: closure)
    let reason = ChainRunner<ScriptedStages>.refusal(host).reason
    #expect(reason == reset.reason + ", for 3 s and 4 attempts with all photos of this user")
  }

  @Test func `lines that do not give up are looked at once for each probe of their user`() {
    var hosts = lost(most: 6, patience: .seconds(1800))
    let keys = [line(mallory)] + others
    for key in others { hosts.join("a", key, .default, of: mallory, now: .seconds(3)) }
    func answerAll(at now: Duration) -> [LineKey] {
      let called = hosts.takeCalled()
      for key in called where key != line(alice) {
        let answer = hosts.answer(
          "a", key, isTried: false, hasFresh: true, hasMore: true, now: now)
        #expect(answer == .wait)
      }
      return called
    }
    #expect(Set(answerAll(at: .seconds(3))) == Set(keys))
    for _ in 0..<9 {
      for _ in 0..<fill(&hosts, alice, at: .seconds(4)) {
        end(&hosts, alice, .answered, at: .seconds(4))
      }
    }
    hosts.grantSeats([], until: .seconds(9), now: .seconds(4), jitter: 1)
    #expect(hosts.takeCalled().isEmpty)
    hosts.awaken(now: .seconds(7))
    let called = hosts.takeCalled()
    guard called.count == 1, let prober = called.first else {
      Issue.record("\(called)")
      return
    }
    let answer = hosts.answer("a", prober, isTried: true, hasMore: true, now: .seconds(7))
    #expect(answer == .start(isProbe: true))
    _ = hosts.end(
      "a", prober, of: mallory, .failed(reset), isProbe: true, now: .seconds(8), jitter: 1)
    let again = answerAll(at: .seconds(8))
    #expect(again.filter(others.contains) == others.filter { $0 != prober }, "in their order")
  }

  @Test func `the places of a user whose window has shrunk are for others at once`() {
    var hosts = HostWindows(HostLimits(most: 3))
    _ = fill(&hosts, mallory)
    for count in [1, 2] {
      end(&hosts, mallory, .answered)
      #expect(fill(&hosts, mallory) == count)
    }
    hosts.join("a", line(mallory), .default, of: mallory, now: .zero)
    let hers = [line(alice), LineKey(ListID(8))]
    end(&hosts, mallory, .answered)
    #expect(hosts.takeCalled() == [line(mallory)])
    for key in hers { hosts.join("a", key, .default, of: alice, now: .zero) }
    end(&hosts, mallory, .failed(reset))
    #expect(hosts.takeCalled() == hers)
    #expect(hosts.answer("a", line(mallory), isTried: false, hasMore: true, now: .zero) == .wait)
  }

  @Test func `a host counts the lines that it has called for each user and class`() {
    var called = HostCalls()
    let urgent = OwnerSeats.Share(owner: mallory, serviceClass: .userInteractive)
    let others = OwnerSeats.Share(owner: mallory, serviceClass: .background)
    called.add(line(mallory), others)
    for key in self.others { called.add(key, urgent) }
    // The line of a list that has another class now.
    called.add(line(mallory), urgent)
    called.add(line(alice), OwnerSeats.Share(owner: alice, serviceClass: .background))
    #expect(called.owners == [mallory: 21, alice: 1])
    #expect(!called.shares.contains(others) && called.shares.count == 2)
    for key in [line(alice), line(mallory), line(mallory)] { called.remove(key) }
    let sorted = called.sorted(of: [urgent]).map(\.key)
    #expect(called.shares == [urgent] && called.owners == [mallory: 20] && sorted == self.others)
    for key in self.others { #expect(called.remove(key) == urgent) }
    #expect(called.isEmpty && called.shares.isEmpty && called.owners.isEmpty)
  }

  // MARK: other machines

  /// One of several machines, with a seat for each photo.
  private func shared() -> HostWindows {
    var hosts = HostWindows(HostLimits(areShared: true))
    _ = hosts.claimSeats(["a": 9], now: .zero)
    hear(&hosts, .none, at: .zero)
    return hosts
  }

  private func hear(_ hosts: inout HostWindows, _ word: HostWord, at now: Duration) {
    let report = HostReport(age: .zero, word: word)
    hosts.grantSeats(
      [SeatGrant("a", seats: 6, report: report)], until: .seconds(9999), now: now, jitter: 1)
  }

  /// A photo of the first user probes the host, which fails.
  private func probe(_ hosts: inout HostWindows, at now: Duration) {
    hosts.awaken(now: now)
    let answer = hosts.answer("a", line(mallory), isTried: false, hasMore: true, now: now)
    #expect(answer == .start(isProbe: true))
    _ = hosts.end(
      "a", line(mallory), of: mallory, .failed(reset), isProbe: true, now: now, jitter: 1)
  }

  @Test func `photos stay with a machine whose photos of another user the host answers`() {
    for answer in [nil, 2, 4] as [Int?] {
      var hosts = shared()
      #expect(fill(&hosts, mallory, at: .seconds(1)) == 2)
      #expect(fill(&hosts, alice, at: .seconds(1)) == 2)
      if answer == 2 { end(&hosts, alice, .answered, at: .seconds(2)) }
      for _ in 0..<2 { end(&hosts, mallory, .failed(reset), at: .seconds(3)) }
      hosts.join("a", line(mallory), .default, of: mallory, now: .seconds(3))
      if answer == 4 { end(&hosts, alice, .answered, at: .seconds(4)) }
      probe(&hosts, at: .seconds(5))
      hear(&hosts, .answered, at: .seconds(6))
      probe(&hosts, at: .seconds(7))
      let isUnreached = hosts.isUnreached(
        "a", for: mallory, within: .seconds(9), now: .seconds(8))
      // An answer from before the closure says nothing of the host now.
      #expect(isUnreached == (answer != 4))
      #expect(hosts.hasUnreached(within: .seconds(9), now: .seconds(8)) == isUnreached)
    }
  }

  @Test func `failures elsewhere do not delay a user while the host answers another one here`() {
    for isAlone in [true, false] {
      var hosts = shared()
      if !isAlone { #expect(fill(&hosts, alice) == 2) }
      #expect(fill(&hosts, mallory) == 2)
      for _ in 0..<2 { end(&hosts, mallory, .failed(reset)) }
      hosts.join("a", line(mallory), .default, of: mallory, now: .zero)
      probe(&hosts, at: .seconds(1))
      func next() -> Duration? { hosts.closure(of: "a", for: mallory)?.next }
      #expect(next() == .seconds(3))
      hear(&hosts, .failed(wait: .seconds(60)), at: .milliseconds(2500))
      #expect(next() == (isAlone ? .seconds(61) : .seconds(3)))
      hear(&hosts, .answered, at: .seconds(5))
      #expect(next() == .seconds(3))
      for second in [5, 7, 11] { probe(&hosts, at: .seconds(second)) }
      let pause = next()
      hear(&hosts, .answered, at: .seconds(18))
      #expect(next() == pause, "the answers may be to another user")
    }
  }

  @Test func `a host that answers one user of a machine is not said to fail`() {
    var hosts = HostWindows(HostLimits(areShared: true))
    for owner in [mallory, alice] {
      hosts.join("a", line(owner), .default, of: owner, now: .zero)
    }
    func claim(at now: Duration) -> [SeatClaim] {
      let claims = hosts.claimSeats(["a": 9], now: now)
      hosts.grantSeats([SeatGrant("a", seats: 6)], until: .seconds(99), now: now, jitter: 0)
      return claims
    }
    _ = claim(at: .zero)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    for (owner, outcome) in [(mallory, HostWindow.Outcome.failed(busy)), (alice, .answered)] {
      let answer = hosts.answer("a", line(owner), isTried: false, hasMore: true, now: .zero)
      #expect(answer == .start(isProbe: false))
      end(&hosts, owner, outcome)
    }
    let claims = claim(at: .zero)
    #expect(claims.map(\.need) == [9] && claims.map(\.word) == [.none])
    _ = hosts.answer("a", line(alice), isTried: false, hasMore: true, now: .zero)
    end(&hosts, alice, .failed(busy))
    let closed = claim(at: .zero)
    #expect(closed.map(\.need) == [2] && closed.map(\.word) == [.failed(wait: .seconds(60))])
  }
}
