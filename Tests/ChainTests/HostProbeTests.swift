// SPDX-License-Identifier: Apache-2.0
// Probes of a closed host, as values: which photo probes, when, and what its outcome means. No
// thread, no clock.

import Testing
import Vocabulary

@testable import Chain

@Suite struct HostProbeTests {
  /// The next photo, of one host. Unless some were tried, all but the first two have the same URL.
  private func take(
    _ admission: inout Admission, now: Duration, total: UInt32 = 20, tried: Set<UInt32> = []
  ) -> Admission.Admitted? {
    admission.take(now: now, total: total) { photo in
      Admission.Prospect(
        host: "a", url: photo.number < 3 || !tried.isEmpty ? Int(photo.number) : 3,
        isTried: tried.contains(photo.number))
    }
  }

  /// Takes the first two photos and fails them, which closes the host.
  private func close(_ admission: inout Admission) {
    let first = (0..<2).compactMap { _ in take(&admission, now: .zero)?.photo }
    for photo in first {
      _ = admission.answered(photo, .failed(reset), now: .zero, jitter: 1)
      admission.ended(photo, .failed, now: .zero)
    }
    #expect(first.count == 2 && take(&admission, now: .zero) == nil)
  }

  @Test func `a host that closes again is probed at its new time, not at an older, later one`() {
    var hosts = HostWindows()
    let key = LineKey(ListID(1))
    var now = Duration.zero
    func fail(_ isProbe: Bool) {
      _ = hosts.end("a", key, .failed(reset), isProbe: isProbe, now: now, jitter: 1)
    }
    // A clean window first, so that three may go; one of the three takes long.
    for _ in 0..<2 { _ = hosts.ask("a", .default, isTried: false, now: now) }
    for _ in 0..<2 { _ = hosts.end("a", key, .answered, isProbe: false, now: now, jitter: 1) }
    for _ in 0..<3 { _ = hosts.ask("a", .default, isTried: false, now: now) }
    hosts.join("a", key, .default, of: 0, now: now)
    for _ in 0..<2 { fail(false) }
    for _ in 0..<5 {
      now = hosts.nextGate ?? now
      hosts.awaken(now: now)
      #expect(hosts.answer("a", key, isTried: false, hasMore: true, now: now) != .wait)
      fail(true)
    }
    #expect(hosts.nextGate == .seconds(63))
    now = .seconds(40)
    _ = hosts.end("a", key, .answered, isProbe: false, now: now, jitter: 1)
    #expect(hosts.closure(of: "a") == nil)
    _ = hosts.answer("a", key, isTried: false, hasMore: true, now: now)
    _ = hosts.answer("a", key, isTried: false, hasMore: true, now: now)
    for _ in 0..<2 { fail(false) }
    #expect(hosts.closure(of: "a")?.gate == .seconds(41))
    #expect(hosts.nextGate == .seconds(41))
  }

  @Test func `a photo that is led is no untried probe, though others of its line are untried`() {
    var hosts = HostWindows()
    let key = LineKey(ListID(1))
    hosts.learn(photo(1, 1), from: "a", to: "b", .failed(reset), now: .zero)
    for _ in 0..<2 { _ = hosts.note("b", key, .failed(reset), now: .zero, jitter: 1) }
    hosts.join("b", key, .default, of: 0, now: .zero)
    hosts.awaken(now: .seconds(1))
    let answer = hosts.answer(
      "b", key, isTried: true, isHopeful: true, hasMore: true, now: .seconds(1))
    #expect(answer == .start(isProbe: true))
    #expect(hosts.closure(of: "b")?.isFreshProbe == false)
  }

  @Test func `a closed server is remembered beside thousands of others while photos are led there`()
  {
    var hosts = HostWindows()
    let key = LineKey(ListID(1))
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 600)
    hosts.learn(photo(1, 1), from: "a", to: "b", .failed(busy), now: .zero)
    for number in 0..<4096 {
      _ = hosts.note("\(number)", key, .failed(busy), now: .zero, jitter: 0)
    }
    _ = hosts.note("b", key, .failed(busy), now: .zero, jitter: 0)
    #expect(hosts.count == 4097 && hosts.closure(of: "b") != nil)
  }

  @Test func `a user with thousands of closed hosts takes no memory from others, at any host`() {
    var hosts = HostWindows()
    let key = LineKey(ListID(1))
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 600)
    func close(_ name: String, for owner: UInt32) -> Bool {
      _ = hosts.note(name, key, of: owner, .failed(busy), now: .zero, jitter: 0)
      return hosts.closure(of: name, for: owner) != nil
    }
    #expect((0..<HostMemory.longest).allSatisfy { close("\($0)", for: 1) })
    #expect(!close("b", for: 1) && close("b", for: 2) && !close("b", for: 1))
    #expect(hosts.count == HostMemory.longest + 1)
    // One that answers again leaves its place.
    let later = Duration.seconds(600)
    #expect(hosts.ask("7", .default, of: 1, isTried: true, now: later) == .start(isProbe: true))
    _ = hosts.end("7", key, of: 1, .answered, isProbe: true, now: later, jitter: 0)
    #expect(close("b", for: 1) && !close("c", for: 1))
  }

  @Test func `untried photos give up when a late answer asks for more than their patience`() {
    var hosts = HostWindows(
      HostLimits(patience: .seconds(2)), triedPatience: .seconds(1))
    let key = LineKey(ListID(1))
    hosts.join("a", key, .default, of: 0, now: .zero)
    for second in [0, 0, 1] {
      let now = Duration.seconds(second)
      hosts.awaken(now: now)
      _ = hosts.takeCalled()
      let answer = hosts.answer("a", key, isTried: false, hasMore: true, now: now)
      #expect(answer == .start(isProbe: second > 0))
      _ = hosts.end("a", key, .failed(reset), isProbe: second > 0, now: now, jitter: 1)
    }
    #expect(hosts.takeCalled() == [key], "tried photos would give up")
    #expect(hosts.answer("a", key, isTried: false, hasMore: true, now: .seconds(1)) == .wait)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 30)
    _ = hosts.note("a", key, .failed(busy), now: .seconds(2), jitter: 1)
    #expect(hosts.takeCalled() == [key])
    guard case .lost = hosts.answer("a", key, isTried: false, hasMore: true, now: .seconds(2))
    else {
      Issue.record("it waits")
      return
    }
  }

  @Test
  func `untried and tried photos probe a host in turn, and one of them reopens it`() {
    var admission = Admission(
      window: 9, hosts: HostWindows(HostLimits(), triedPatience: .seconds(1)))
    let tried: Set<UInt32> = [17, 18, 19]
    admission.add(
      ListID(1), ListLines(.default, waiting: tried.sorted().map { ($0, .zero) }), isPaused: false,
      now: .zero)
    let first = (0..<2).compactMap { _ in take(&admission, now: .zero, tried: tried)?.photo }
    for photo in first {
      _ = admission.answered(photo, .failed(reset), now: .zero, jitter: 1)
      admission.ended(photo, .retry(after: .zero), now: .zero)
    }
    #expect(take(&admission, now: .zero, tried: tried) == nil)
    let gate = admission.nextDue ?? .zero
    let probe = take(&admission, now: gate, tried: tried)
    #expect(probe?.lost == nil && probe.map { tried.contains($0.photo.number) } == false)
    _ = admission.answered(probe?.photo ?? photo(1, 1), .unknown, now: gate, jitter: 1)
    admission.ended(probe?.photo ?? photo(1, 1), .filtered, now: gate)
    // The next probe is the turn of a tried photo.
    let second = take(&admission, now: gate, tried: tried)
    #expect(second?.lost == nil && second.map { tried.contains($0.photo.number) } == true)
    _ = admission.answered(second?.photo ?? photo(1, 1), .failed(reset), now: gate, jitter: 1)
    admission.ended(second?.photo ?? photo(1, 1), .failed, now: gate)
    #expect(
      take(&admission, now: gate, tried: tried) == nil, "no untried photo failed, so none is lost")
    let next = admission.nextDue ?? .zero
    let third = take(&admission, now: next, tried: tried)
    #expect(third.map { tried.contains($0.photo.number) } == false)
    _ = admission.answered(third?.photo ?? photo(1, 1), .answered, now: next, jitter: 1)
    #expect(admission.hosts.closure(of: "a") == nil)
  }

  @Test func `no photo shares the transfer of a probe`() {
    var admission = Admission(window: 9)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    close(&admission)
    let gate = admission.nextDue ?? .zero
    let probe = take(&admission, now: gate)
    #expect(probe?.photo == photo(1, 3))
    admission.add(ListID(2), ListLines(.default), isPaused: false, now: gate)
    #expect(take(&admission, now: gate) == nil, "no photo shares a probe")
    _ = admission.answered(photo(1, 3), .answered, now: gate, jitter: 1)
    #expect((0..<9).compactMap { _ in take(&admission, now: gate) }.count == 2)
  }
}
