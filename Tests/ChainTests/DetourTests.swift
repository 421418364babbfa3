// SPDX-License-Identifier: Apache-2.0
// Admission of photos that their host leads to another server, as a value: no thread, no clock.

import Testing
import Vocabulary

@testable import Chain

@Suite struct DetourTests {
  /// The next photo; all but the files have the host `a`.
  private func take(
    _ admission: inout Admission, now: Duration = .zero, total: UInt32 = 1000,
    tried: Set<PhotoID> = [], files: Set<PhotoID> = []
  ) -> Admission.Admitted? {
    admission.take(now: now, total: total) { photo in
      Admission.Prospect(
        host: files.contains(photo) ? HostWindows.here : "a", isTried: tried.contains(photo))
    }
  }

  private func add(_ admission: inout Admission, _ list: UInt64) {
    admission.add(ListID(list), ListLines(.default), isPaused: false, now: .zero)
  }

  /// The photo's download fails at the server.
  private func fail(
    _ admission: inout Admission, _ photo: PhotoID, _ failure: Failure, at server: String = "b",
    now: Duration = .zero
  ) -> Admission.Answer? {
    let outcome = HostWindow.Outcome(failure.at(server))
    return admission.answered(photo, by: server, outcome, now: now, jitter: 1)
  }

  /// The photos fail at `b` until no other one is tried; returns how many were. The list looks ahead while the host is
  /// full.
  private func fail(_ admission: inout Admission, retry: Duration = .seconds(9999)) -> Int {
    var (flying, asked): ([PhotoID], Int) = ([], 0)
    repeat {
      while let next = take(&admission)?.photo { flying.append(next) }
      if flying.isEmpty { break }
      let next = flying.removeFirst()
      _ = fail(&admission, next, reset)
      admission.ended(next, .retry(after: retry), now: .zero)
      asked += 1
    } while asked < 1000
    return asked
  }

  /// A photo of another list shows that `b` is well.
  private func reopen(_ admission: inout Admission) {
    add(&admission, 2)
    #expect(take(&admission)?.photo == photo(2, 1))
    _ = admission.answered(photo(2, 1), by: "b", .answered, now: .zero, jitter: 0)
    admission.drop(ListID(2), now: .zero)
  }

  /// The server behind its host at which the photo has a place.
  private func server(beyond admission: Admission, _ photo: PhotoID) -> String? {
    let key = admission.key(of: photo)
    return key.flatMap { admission.lines[$0]?.inFlight[photo.number]?.beyond?.server }
  }

  @Test func `what a redirect's target asks for is asked of the photos that it leads there`() {
    var admission = Admission(
      window: 9, hosts: HostWindows(HostLimits(patience: .seconds(100)), triedPatience: .zero))
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 3600)
    let other = photo(1, 2)
    var wishes: [Admission.WishAnswer?] = []
    for time in [Duration.zero, .seconds(100)] {
      guard let next = take(&admission, now: time, tried: time > .zero ? [photo(1, 1)] : []) else {
        break
      }
      #expect(next.photo == photo(1, 1) && next.lost == nil)
      let answer = fail(&admission, next.photo, busy, now: time)
      #expect(answer?.news.map(\.name) == (time == .zero ? ["b"] : []))
      wishes.append(answer?.wish)
      admission.ended(next.photo, .retry(after: .seconds(100)), now: time)
      #expect(admission.hosts.closure(of: "a") == nil)
      guard time == .zero else { continue }
      #expect(take(&admission)?.photo == other, "the host is open to others")
      _ = admission.answered(other, .answered, now: .zero, jitter: 0)
      admission.ended(other, .filtered, now: .zero)
    }
    #expect(wishes == [.granted(until: .seconds(100)), .refused])
  }

  @Test func `photos that are led to one server wait for its probes, and their host stays open`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    add(&admission, 2)
    let refused = Failure(.passing, code: "connect.refused", reason: "it refuses")
    var asked = 0
    while asked < 400, let next = take(&admission) {
      let answer = fail(&admission, next.photo, refused)
      #expect(answer?.wish == nil && answer?.news == [])
      admission.ended(next.photo, .retry(after: .seconds(1)), now: .zero)
      asked += 1
    }
    // Nobody knows where the others lead.
    #expect(asked == 2 * Admission.Line.mostLed && admission.hosts.closure(of: "a") == nil)
    var now = Duration.seconds(1)
    for pause in [2, 4, 8] {
      guard let probe = take(&admission, now: now)?.photo else { break }
      #expect(server(beyond: admission, probe) == "b" && admission.host(of: probe) == "a")
      #expect(take(&admission, now: now) == nil)
      let answer = fail(&admission, probe, refused, now: now)
      #expect(answer?.news.map(\.name) == (pause == 2 ? ["b"] : []))
      admission.ended(probe, .retry(after: .seconds(9999)), now: now)
      now += .seconds(pause)
    }
    add(&admission, 3)
    let stranger = photo(3, 1)
    #expect(take(&admission, now: .seconds(8))?.photo == stranger)
    #expect(admission.host(of: stranger) == "a" && server(beyond: admission, stranger) == nil)
    admission.drop(ListID(3), now: .seconds(8))
    #expect(now == .seconds(15))
    guard let probe = take(&admission, now: now)?.photo else {
      Issue.record("no probe")
      return
    }
    let answer = admission.answered(probe, by: "b", .answered, now: now, jitter: 0)
    #expect(answer?.news.map(\.name) == ["b"], "it has reopened")
    let next = (0..<3).compactMap { _ in take(&admission, now: now)?.photo }
    #expect(next.count == 2 && next.first.flatMap { server(beyond: admission, $0) } == "b")
  }

  @Test func `photos that wait for their host are held while many are led to a closed server`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let asked = fail(&admission)
    #expect(asked >= Admission.Line.mostLed && asked <= Admission.Line.mostLed + 2, "\(asked)")
    let line = admission.lines[LineKey(ListID(1))]
    #expect(line?.forHost.count == 0 && line?.held.isEmpty == false)
    #expect(
      admission.doneLists.isEmpty && admission.waitingPhotos(slow: 0).counts == [ListID(1): 1000])
    let held = line?.held.first
    #expect(admission.waits(of: ListID(1))?.next == held)
    reopen(&admission)
    #expect(take(&admission)?.photo.list == ListID(1))
  }

  @Test func `a photo that was tried, and a file, go on while many are led to a closed server`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let (own, file) = (photo(1, 1), photo(1, 2))
    #expect(take(&admission)?.photo == own)
    _ = fail(&admission, own, reset, at: "a")
    admission.ended(own, .retry(after: .seconds(1)), now: .zero)
    #expect(take(&admission, files: [file])?.photo == file)
    #expect(fail(&admission) >= Admission.Line.mostLed)
    admission.ended(file, .stopped, now: .zero)
    #expect(take(&admission, files: [file])?.photo == file)
    #expect(take(&admission) == nil)
    #expect(take(&admission, now: .seconds(1), tried: [own])?.photo == own)
  }

  @Test func `a held photo that people look at goes first once the server is well`() throws {
    var admission = Admission(window: 100)
    add(&admission, 1)
    _ = fail(&admission)
    let viewer = FocusBoard.Viewer(ListID(1), user: 0)
    try admission.setFocus(viewer, [900], until: .seconds(60), now: .zero)
    #expect(take(&admission) == nil)
    reopen(&admission)
    #expect(take(&admission)?.photo == photo(1, 900))
    try admission.setFocus(viewer, [950], until: .seconds(60), now: .zero)
    #expect(take(&admission)?.photo == photo(1, 950))
  }

  @Test func `held photos go to a machine that reaches the server to which others are led`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    _ = fail(&admission, retry: .seconds(1))
    guard let probe = take(&admission, now: .seconds(1))?.photo else {
      Issue.record("no probe")
      return
    }
    _ = fail(&admission, probe, reset, now: .seconds(1))
    admission.ended(probe, .retry(after: .seconds(9999)), now: .seconds(1))
    #expect(take(&admission, now: .seconds(1)) == nil)
    let report = HostReport(age: .seconds(1), word: .answered)
    admission.grantSeats(
      [SeatGrant("b", seats: 1, report: report)], until: .seconds(30), now: .milliseconds(1500),
      jitter: 1)
    let waiting = admission.unreachedPhotos(within: .seconds(60), now: .milliseconds(1500))
    #expect(waiting == [ListID(1): 1000])
  }

  @Test func `a photo with another URL may let another class of its list go on`() {
    var admission = Admission(window: 100)
    let led = UInt32(1)...UInt32(Admission.Line.mostLed)
    let parts = [
      ListLines.Part(own: nil, last: led.upperBound, waiting: led.map { ($0, .seconds(1)) }),
      ListLines.Part(own: .background, first: led.upperBound + 1),
    ]
    admission.add(ListID(1), ListLines(.default, parts: parts), isPaused: false, now: .zero)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 600)
    for number in led {
      admission.hosts.learn(photo(1, number), from: "a", to: "b", .failed(busy), now: .zero)
    }
    _ = admission.hosts.note("b", LineKey(ListID(1)), .failed(busy), now: .zero, jitter: 1)
    func take(_ now: Duration) -> PhotoID? {
      admission.take(now: now, total: 200) { photo in
        Admission.Prospect(
          host: photo.number == 1 ? "c" : "a",
          own: led.contains(photo.number) ? nil : .background,
          isTried: led.contains(photo.number))
      }?.photo
    }
    #expect(take(.zero) == nil)
    #expect(take(.seconds(1)) == photo(1, 1))
    #expect(take(.seconds(1)) == photo(1, led.upperBound + 1))
  }

  @Test func `photos that a dead server has failed give up sooner once the list has no new ones`() {
    var admission = Admission(
      window: 100,
      hosts: HostWindows(HostLimits(patience: .seconds(1800)), triedPatience: .seconds(2)))
    add(&admission, 1)
    for _ in 0..<3 {
      guard let next = take(&admission, total: 3)?.photo else { break }
      _ = fail(&admission, next, reset)
      admission.ended(next, .retry(after: .seconds(1)), now: .zero)
    }
    #expect(take(&admission, total: 3) == nil, "it has no other photo")
    let all = Set((1...3).map { photo(1, $0) })
    for second in [1, 3] {
      let now = Duration.seconds(second)
      guard let probe = take(&admission, now: now, total: 3, tried: all) else { break }
      #expect(probe.lost == nil)
      _ = fail(&admission, probe.photo, reset, now: now)
      admission.ended(probe.photo, .retry(after: .seconds(9999)), now: now)
    }
    // Closed at 0, probed at 1 and at 3.
    let lost = take(&admission, now: .seconds(4), total: 3, tried: all)
    #expect(lost?.lost?.name == "b")
  }

  @Test func `photos that a dead server has failed give up sooner while no new ones are tried`() {
    var admission = Admission(
      window: 100,
      hosts: HostWindows(HostLimits(patience: .seconds(1800)), triedPatience: .seconds(2)))
    add(&admission, 1)
    _ = fail(&admission, retry: .seconds(1))
    let all = Set((1...1000).map { photo(1, $0) })
    for second in [1, 3] {
      let now = Duration.seconds(second)
      guard let probe = take(&admission, now: now, tried: all) else { break }
      #expect(probe.lost == nil)
      _ = fail(&admission, probe.photo, reset, now: now)
      admission.ended(probe.photo, .retry(after: .seconds(9999)), now: now)
    }
    let lost = take(&admission, now: .seconds(4), tried: all)
    #expect(lost?.lost?.name == "b")
  }

  @Test func `photos of a dead host do not wait because a photo of another list is led there`() {
    var admission = Admission(
      window: 100,
      hosts: HostWindows(HostLimits(patience: .seconds(1800)), triedPatience: .seconds(2)))
    admission.hosts.learn(photo(7, 1), from: "e", to: "a", .failed(reset), now: .zero)
    let tried = (UInt32(1)...3).map { (number: $0, due: Duration.zero) }
    admission.add(
      ListID(1), ListLines(.default, waiting: tried), isPaused: false, now: .zero)
    var lost: Admission.LostHost?
    for second in [0, 1, 3, 4] {
      let now = Duration.seconds(second)
      while let next = admission.take(
        now: now, total: 5000,
        prospect: { photo in
          Admission.Prospect(host: photo.number > 3 ? "c" : "a", isTried: photo.number <= 3)
        })
      {
        if next.photo.number > 3 { continue }
        lost = lost ?? next.lost
        _ = admission.answered(next.photo, .failed(reset), now: now, jitter: 1)
        admission.ended(
          next.photo, next.lost == nil ? .retry(after: .zero) : .failed, now: now)
      }
    }
    #expect(lost?.name == "a")
  }

  @Test func `a photo that is led has seats at both servers, and waits for one grant of them`() {
    var admission = Admission(window: 9, hosts: HostWindows(HostLimits(areShared: true)))
    add(&admission, 1)
    func grant() {
      let grants = admission.claimSeats(now: .zero).map { SeatGrant($0.host, seats: $0.need) }
      admission.grantSeats(grants, until: .seconds(9999), now: .zero, jitter: 0)
    }
    let own = photo(1, 1)
    #expect(take(&admission, total: 1) == nil)
    grant()
    #expect(take(&admission, total: 1)?.photo == own)
    _ = fail(&admission, own, reset)
    admission.ended(own, .retry(after: .zero), now: .zero)
    var grants = 0
    while take(&admission, total: 1) == nil, grants < 9 {
      grant()
      grants += 1
    }
    #expect(grants == 1 && server(beyond: admission, own) == "b")
  }

  @Test func `of photos that wait for a closed server one needs a seat at their host`() {
    var admission = Admission(window: 9, hosts: HostWindows(HostLimits(areShared: true)))
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 600)
    #expect(take(&admission, total: 5) == nil)
    _ = admission.claimSeats(now: .zero)
    admission.grantSeats(
      [SeatGrant("a", seats: 9)], until: .seconds(9999), now: .zero, jitter: 0)
    while let next = take(&admission, total: 5)?.photo {
      _ = fail(&admission, next, busy)
      admission.ended(next, .retry(after: .seconds(1)), now: .zero)
    }
    #expect(take(&admission, now: .seconds(1), total: 5) == nil)
    let claims = admission.claimSeats(now: .seconds(1))
    #expect(claims.map(\.host) == ["a", "b"] && claims.allSatisfy { $0.need == 1 })
  }

  @Test func `photos that wait for a closed server need one seat at their open host`() {
    var admission = Admission(window: 9, hosts: HostWindows(HostLimits(areShared: true)))
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 600)
    let led = (UInt32(1)...5).map { (number: $0, due: Duration.zero) }
    admission.add(ListID(1), ListLines(.default, waiting: led), isPaused: false, now: .zero)
    for one in led {
      admission.hosts.learn(photo(1, one.number), from: "a", to: "b", .failed(busy), now: .zero)
    }
    _ = admission.hosts.note("b", LineKey(ListID(1)), .failed(busy), now: .zero, jitter: 1)
    let tried = Set(led.map { photo(1, $0.number) })
    #expect(take(&admission, total: 6, tried: tried) == nil)
    #expect(admission.waits(of: ListID(1))?.hosts.map(\.host) == ["a"], "no seat at the host")
    let claims = admission.claimSeats(now: .zero)
    // One that probes the server, and a new one.
    #expect(claims.map(\.host) == ["a", "b"] && claims.map(\.need) == [2, 1])
  }

  @Test func `new photos wait for a host that redirects to its https while that wants to rest`()
    throws
  {
    let (plain, secure) = (
      try PhotoURL(parsing: "http://h/a").serverName,
      try PhotoURL(parsing: "https://h/a").serverName
    )
    var admission = Admission(window: 9)
    add(&admission, 1)
    func take(at second: Int64) -> PhotoID? {
      admission.take(now: .seconds(second), total: 9) { _ in Admission.Prospect(host: plain) }?
        .photo
    }
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 600)
    let first = try #require(take(at: 0))
    _ = fail(&admission, first, busy, at: secure)
    admission.ended(first, .retry(after: .seconds(600)), now: .zero)
    #expect(take(at: 1) == nil && take(at: 599) == nil)
    #expect(take(at: 600) != nil && take(at: 600) == nil, "one tests whether it is rested")
  }

  @Test func `a host that fails before its redirect says nothing about the server behind it`() {
    var admission = Admission(window: 9)
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    let own = photo(1, 1)
    #expect(take(&admission, total: 1)?.photo == own)
    _ = fail(&admission, own, busy)
    admission.ended(own, .retry(after: .seconds(60)), now: .zero)
    let before = admission.hosts.closure(of: "b")
    #expect(take(&admission, now: .seconds(60), total: 1)?.photo == own)
    #expect(server(beyond: admission, own) == "b")
    _ = fail(&admission, own, reset, at: "a", now: .seconds(60))
    admission.ended(own, .retry(after: .zero), now: .seconds(60))
    let after = admission.hosts.closure(of: "b")
    #expect(after?.gate == .seconds(61) && after?.attempts == before?.attempts)
    #expect(take(&admission, now: .seconds(61), total: 1)?.photo == own)
    #expect(server(beyond: admission, own) == nil, "its host has not led it there again")
  }

  @Test func `a refusal by the host does not reopen the server behind it`() {
    var admission = Admission(window: 9)
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    let gone = Failure(.final, code: "http.404", reason: "it is not there")
    let own = photo(1, 1)
    #expect(take(&admission, total: 1)?.photo == own)
    _ = fail(&admission, own, busy)
    admission.ended(own, .retry(after: .seconds(60)), now: .zero)
    #expect(take(&admission, now: .seconds(60), total: 1)?.photo == own)
    #expect(fail(&admission, own, gone, at: "a", now: .seconds(60))?.news == [])
    #expect(admission.hosts.closure(of: "b") != nil)
  }

  @Test func `photos that wait for the server behind their host leave a closed host alone`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    for _ in 0..<10 {
      guard let next = take(&admission, total: 10)?.photo else { break }
      _ = fail(&admission, next, reset)
      admission.ended(next, .retry(after: .seconds(1)), now: .zero)
    }
    guard let probe = take(&admission, now: .seconds(1), total: 10)?.photo else {
      Issue.record("no probe")
      return
    }
    #expect(take(&admission, now: .seconds(1), total: 10) == nil)
    let asked = fail(&admission, probe, busy, at: "a", now: .seconds(1))
    #expect(asked?.news.map(\.name) == ["a"] && asked?.wish == .granted(until: .seconds(61)))
    admission.ended(probe, .retry(after: .seconds(60)), now: .seconds(1))
    for second in [2, 3, 30, 60] {
      #expect(take(&admission, now: .seconds(second), total: 10) == nil, "\(second) s")
    }
    #expect(admission.nextDue == .seconds(61))
    let next = take(&admission, now: .seconds(61), total: 10)?.photo ?? probe
    #expect(take(&admission, now: .seconds(61), total: 10) == nil)
    let answer = admission.answered(next, by: "b", .answered, now: .seconds(61), jitter: 0)
    #expect(answer?.news.map(\.name) == ["a"])
    #expect(admission.hosts.closure(of: "b") == nil)
  }

  @Test func `a server that serves behind a redirect stays open, though some photos always fail`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let broken = Failure(.passing, code: "http.500", reason: "it is broken")
    var counts = (filtered: 0, failed: 0)
    while let next = take(&admission, total: 2000)?.photo {
      if next.number % 10 == 0 {
        _ = fail(&admission, next, broken)
        admission.ended(next, .retry(after: .seconds(9999)), now: .zero)
        counts.failed += 1
      } else {
        _ = admission.answered(next, by: "b", .answered, now: .zero, jitter: 0)
        admission.ended(next, .filtered, now: .zero)
        counts.filtered += 1
      }
    }
    #expect(counts.filtered == 1800 && counts.failed == 200)
    #expect(admission.hosts.closure(of: "b") == nil)
    admission.drop(ListID(1), now: .zero)
    #expect(admission.hosts.count == 0)
  }
}
