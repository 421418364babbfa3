// SPDX-License-Identifier: Apache-2.0
// Admission when hosts are slow, closed or full, as a value: no thread, no clock.

import Testing
import Vocabulary

@testable import Chain

@Suite struct HostAdmissionTests {
  /// The next photo; `host` gives the host of a photo.
  private func take(
    _ admission: inout Admission, now: Duration = .zero, total: UInt32 = 1000,
    tried: Set<PhotoID> = [], host: (PhotoID) -> String? = { _ in "a" },
    url: (PhotoID) -> Int? = { _ in nil }
  ) -> Admission.Admitted? {
    admission.take(now: now, total: total) { photo in
      Admission.Prospect(host: host(photo), url: url(photo), isTried: tried.contains(photo))
    }
  }

  private func add(_ admission: inout Admission, _ list: UInt64, _ c: ServiceClass = .default) {
    admission.add(ListID(list), ListLines(c), isPaused: false, now: .zero)
  }

  /// Fails these photos; returns the time of the next probe of their host.
  private func kill(
    _ admission: inout Admission, _ photos: [PhotoID], at now: Duration = .zero,
    lookingAhead: Bool = true
  ) -> Duration {
    for photo in photos {
      _ = admission.answered(photo, .failed(reset), now: now, jitter: 1)
      admission.ended(photo, .failed, now: now)
    }
    // The other photos now wait for the host.
    if lookingAhead { #expect(take(&admission, now: now) == nil) }
    return admission.nextDue ?? now
  }

  @Test func `a host gets at most its window of photos, and other hosts are not held up`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let hosts = ["a", "b"]
    let taken = (0..<10).compactMap { _ in
      take(&admission) { hosts[Int($0.number % 2)] }?.photo.number
    }
    #expect(taken == [1, 2, 3, 4])
    _ = admission.answered(photo(1, 1), .answered, now: .zero, jitter: 0)
    #expect(take(&admission) { hosts[Int($0.number % 2)] }?.photo == photo(1, 5))
    #expect(take(&admission) { hosts[Int($0.number % 2)] } == nil)
  }

  @Test func `a photo whose URL is already in transfer needs no place at the host`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    // The first ten have one URL; the host takes two transfers at once.
    let url: (PhotoID) -> Int = { $0.number <= 10 ? 7 : Int($0.number) }
    let taken = (0..<20).compactMap { _ in take(&admission, url: url)?.photo.number }
    #expect(taken == Array(1...11))
    for number in 1...10 as ClosedRange<UInt32> {
      _ = admission.answered(photo(1, number), .answered, now: .zero, jitter: 0)
      admission.ended(photo(1, number), .filtered, now: .zero)
    }
    // One of the ten held a place at the host, which is free now.
    #expect(take(&admission, url: url)?.photo == photo(1, 12))
    #expect(take(&admission, url: url) == nil)
  }

  @Test func `the number of photos that share a transfer is limited`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let taken = (0..<99).compactMap { _ in take(&admission, url: { _ in 7 })?.photo.number }
    // One photo leads the shared transfer, one more takes the second place at the host.
    #expect(taken.count == Admission.mostRiders + 2)
    admission.drop(ListID(1), now: .zero)
    add(&admission, 2)
    let again = (0..<99).compactMap { _ in take(&admission, url: { _ in 7 })?.photo.number }
    #expect(again.count == taken.count)
  }

  @Test func `a new list on another host starts at once beside a long list on a slow host`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    #expect(take(&admission)?.photo == photo(1, 1))
    #expect(take(&admission)?.photo == photo(1, 2))
    #expect(take(&admission) == nil)
    add(&admission, 2)
    for number: UInt32 in 1...2 {
      let next = take(&admission) { $0.list == ListID(2) ? "b" : "a" }
      #expect(next?.photo == photo(2, number))
    }
  }

  @Test func `photos that need no host overtake those that wait for one`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let first = (0..<2).compactMap { _ in take(&admission)?.photo }
    _ = kill(&admission, first, lookingAhead: false)
    #expect(take(&admission) { $0.number < 6 ? "a" : nil }?.photo == photo(1, 6))
    #expect(take(&admission) { $0.number == 7 ? HostWindows.here : "a" }?.photo == photo(1, 7))
  }

  @Test func `a list looks ahead up to a limit, and continues when its host does`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    _ = (0..<2).compactMap { _ in take(&admission, total: 5000) }
    #expect(take(&admission, total: 5000) == nil)
    let looks = admission.turns.looks
    for _ in 0..<100 { #expect(take(&admission, total: 5000) == nil) }
    #expect(admission.turns.looks == looks, "no useless look")
    #expect(admission.lines[LineKey(ListID(1))]?.forHost.count == Admission.Line.longestWait)
    _ = admission.answered(photo(1, 1), .answered, now: .zero, jitter: 0)
    #expect(take(&admission, total: 5000)?.photo == photo(1, 3), "first come, first served")
    #expect(take(&admission, total: 5000) == nil)
    #expect(admission.lines[LineKey(ListID(1))]?.forHost.count == Admission.Line.longestWait)
  }

  @Test func `a dead host has one alarm, and one photo at a time probes it`() {
    var admission = Admission(window: 100)
    for list: UInt64 in 1...3 { add(&admission, list) }
    let first = (0..<2).compactMap { _ in take(&admission)?.photo }
    #expect(take(&admission) == nil)
    let gate = kill(&admission, first)
    #expect(gate == .seconds(1))
    #expect(take(&admission, now: .milliseconds(999)) == nil)
    let probe = take(&admission, now: gate)
    #expect(probe != nil)
    #expect(take(&admission, now: gate) == nil && admission.nextDue == nil, "one at a time")
    let next = kill(&admission, [probe?.photo].compactMap(\.self), at: gate)
    #expect(next == gate + .seconds(2))
    let second = take(&admission, now: next)
    _ = admission.answered(second?.photo ?? photo(1, 1), .answered, now: next, jitter: 0)
    let herd = (0..<10).compactMap { _ in take(&admission, now: next) }
    #expect(herd.count == 2, "the window starts small")
  }

  @Test func `lists that wait for one host take turns, the urgent ones first`() {
    var admission = Admission(window: 100)
    for list: UInt64 in 1...3 { add(&admission, list) }
    add(&admission, 9, .userInitiated)
    var order: [UInt64] = []
    var running = (0..<2).compactMap { _ in take(&admission)?.photo }
    for _ in 0..<60 {
      guard let photo = running.first else { break }
      running.removeFirst()
      order.append(photo.list.number)
      // `unknown` leaves the window as it is.
      _ = admission.answered(photo, .unknown, now: .zero, jitter: 0)
      admission.ended(photo, .filtered, now: .zero)
      if photo.list == ListID(9), photo.number == 4 { admission.drop(ListID(9), now: .zero) }
      if let next = take(&admission) { running.append(next.photo) }
    }
    #expect(order.prefix(4) == [9, 9, 9, 9])
    let turns = order.reduce(into: [UInt64]()) { if $0.last != $1 { $0.append($1) } }
    #expect(turns.filter { $0 != 9 } == [1, 2, 3, 1], "\(order)")
  }

  @Test func `a paused list leaves its place at a host to others until it is resumed`() {
    var admission = Admission(window: 100)
    add(&admission, 1)
    let first = (0..<2).compactMap { _ in take(&admission)?.photo }
    #expect(take(&admission) == nil)
    add(&admission, 2)
    #expect(take(&admission) == nil)
    admission.pause(ListID(1), now: .zero)
    let gate = kill(&admission, first)
    #expect(take(&admission, now: gate)?.photo == photo(2, 1))
    _ = admission.answered(photo(2, 1), .failed(reset), now: gate, jitter: 1)
    admission.ended(photo(2, 1), .failed, now: gate)
    admission.drop(ListID(2), now: gate)
    #expect(admission.nextDue == nil, "no photo waits for the host")
    admission.resume(ListID(1), now: gate)
    let again = admission.nextDue
    #expect(again == gate + .seconds(2))
    #expect(take(&admission, now: again ?? .zero)?.photo == photo(1, 3))
  }

  @Test func `after its patience every photo of a host is given up, until a probe is due`() {
    var admission = Admission(
      window: 3,
      hosts: HostWindows(HostLimits(patience: .seconds(3)), triedPatience: .seconds(2)))
    add(&admission, 1)
    var now = kill(&admission, (0..<2).compactMap { _ in take(&admission)?.photo })
    for _ in 0..<2 {
      guard let probe = take(&admission, now: now) else { break }
      #expect(probe.lost == nil)
      now = kill(&admission, [probe.photo], at: now, lookingAhead: false)
    }
    // Closed at 0, probed at 1 and at 3: the patience is over, the next probe comes at 7.
    let late = Duration.seconds(4)
    var lost = 0
    for _ in 0..<50 {
      guard let next = take(&admission, now: late) else { break }
      #expect(next.lost?.name == "a" && next.lost?.closure.attempts == 4)
      lost += 1
      admission.ended(next.photo, .failed, now: late)
    }
    #expect(lost == 50)
    #expect(take(&admission, now: .seconds(7))?.lost == nil, "the probe")
    #expect(take(&admission, now: .seconds(7)) == nil, "the others wait for the probe")
  }

  @Test func `a user's photos do not fail because a host has failed the photos of another user`() {
    var admission = Admission(
      window: 9,
      hosts: HostWindows(HostLimits(patience: .seconds(3)), triedPatience: .seconds(2)))
    admission.add(ListID(1), ListLines(.default, owner: 1000), isPaused: false, now: .zero)
    var now = kill(&admission, (0..<2).compactMap { _ in take(&admission)?.photo })
    for _ in 0..<2 {
      guard let probe = take(&admission, now: now) else { break }
      now = kill(&admission, [probe.photo], at: now, lookingAhead: false)
    }
    admission.add(ListID(2), ListLines(.default, owner: 2000), isPaused: false, now: .seconds(4))
    var begun: [PhotoID] = []
    for _ in 0..<50 {
      guard let next = take(&admission, now: .seconds(4)) else { break }
      if next.lost == nil { begun.append(next.photo) }
      #expect((next.lost != nil) == (next.photo.list == ListID(1)))
      if next.lost != nil { admission.ended(next.photo, .failed, now: .seconds(4)) }
    }
    #expect(begun == [photo(2, 1), photo(2, 2)], "the host is open for the other user")
    _ = admission.answered(photo(2, 1), .answered, now: .seconds(7), jitter: 1)
    #expect(admission.hosts.closure(of: "a", for: 1000) != nil)
  }

  /// Fails a photo of the owner at the host `a`, or its probe; `isLost` tells whether the owner's photos give up.
  private struct Losing {
    var hosts: HostWindows

    /// A line of each user waits, so that the host forgets none.
    init(_ hosts: HostWindows) {
      self.hosts = hosts
      for owner in 1...3 as ClosedRange<UInt32> {
        let line = LineKey(ListID(UInt64(10 + owner)))
        self.hosts.join("a", line, .background, of: owner, now: .zero)
      }
    }

    mutating func fail(_ owner: UInt32, at second: Int64, isTried: Bool = false) {
      let now = Duration.seconds(second)
      let answer = hosts.ask("a", .default, of: owner, isTried: isTried, now: now)
      guard case .start(let isProbe) = answer else {
        Issue.record("\(second): \(answer)")
        return
      }
      _ = hosts.end(
        "a", LineKey(ListID(UInt64(owner))), of: owner, .failed(reset), isProbe: isProbe, now: now,
        jitter: 1)
    }

    func isLost(_ owner: UInt32, at second: Int64, isTried: Bool = false) -> Bool {
      var hosts = hosts
      let answer = hosts.ask(
        "a", .default, of: owner, isTried: isTried, hasFresh: isTried, now: .seconds(second))
      return if case .lost = answer { true } else { false }
    }
  }

  /// The URLs of one user may all fail where the URLs of others do not.
  @Test func `the patience of a user begins with the first failure of that user's own photos`() {
    var world = Losing(
      HostWindows(HostLimits(patience: .seconds(9)), triedPatience: .seconds(9)))
    for second: Int64 in [0, 0, 1, 3, 7] { world.fail(1, at: second) }
    #expect(!world.isLost(1, at: 8), "seven seconds")
    for second: Int64 in [15, 15, 16, 18, 22] { world.fail(2, at: second) }
    world.fail(1, at: 22)
    #expect((1...3).map { world.isLost($0, at: 23) } == [true, false, false])
    world.fail(2, at: 30)
    #expect((1...3).map { world.isLost($0, at: 31) } == [true, true, false])
  }

  @Test func `the untried photos of one user do not make tried photos of another give up sooner`() {
    var world = Losing(
      HostWindows(HostLimits(patience: .seconds(90)), triedPatience: .seconds(5)))
    for second: Int64 in [0, 0, 1, 3, 7] { world.fail(1, at: second) }
    for second: Int64 in [0, 0, 1, 3, 7] { world.fail(2, at: second, isTried: true) }
    #expect(world.isLost(1, at: 8, isTried: true) && !world.isLost(2, at: 8, isTried: true))
    world.fail(2, at: 15)
    #expect(world.isLost(2, at: 16, isTried: true))
  }

  @Test func `photos that were tried are given up sooner than untried ones`() {
    var admission = Admission(
      window: 9,
      hosts: HostWindows(HostLimits(patience: .seconds(1800)), triedPatience: .seconds(1)))
    admission.add(
      ListID(1), ListLines(.default, waiting: [(7, .seconds(2))]), isPaused: false, now: .zero)
    var now = kill(&admission, (0..<2).compactMap { _ in take(&admission)?.photo })
    let probe = take(&admission, now: now)
    now = kill(&admission, [probe?.photo].compactMap(\.self), at: now)
    let next = take(&admission, now: .seconds(2), tried: [photo(1, 7)])
    #expect(next?.photo == photo(1, 7) && next?.lost != nil)
    #expect(take(&admission, now: .seconds(2)) == nil)
  }

  @Test func `a request to be left alone costs photos no attempt, within the patience`() {
    var admission = Admission(
      window: 9, hosts: HostWindows(HostLimits(patience: .seconds(100)), triedPatience: .zero))
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    var now = Duration.zero
    var free = 0
    for _ in 0..<5 {
      guard let next = take(&admission, now: now, total: 1), next.lost == nil else { break }
      let reply = admission.answered(next.photo, .failed(busy), now: now, jitter: 0)
      if reply?.wish == .granted(until: now + .seconds(60)) { free += 1 }
      admission.ended(next.photo, .retry(after: .seconds(60)), now: now)
      #expect(admission.nextDue == now + .seconds(60))
      now += .seconds(60)
    }
    #expect(free == 2, "after 100 s an attempt counts")
  }

  @Test func `a photo that rides on the transfer of another user waits as the host asks`() {
    var admission = Admission(window: 9)
    for owner: UInt32 in 1...2 {
      admission.add(
        ListID(UInt64(owner)), ListLines(.default, owner: owner), isPaused: false, now: .zero)
    }
    let taken = (0..<2).compactMap { _ in take(&admission, total: 1, url: { _ in 7 })?.photo }
    #expect(Set(taken) == [photo(1, 1), photo(2, 1)])
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
    let wishes = taken.map { admission.answered($0, .failed(busy), now: .zero, jitter: 0)?.wish }
    #expect(wishes == [.granted(until: .seconds(60)), .granted(until: .seconds(60))])
    let users: [UInt32] = [1, 2]
    let closed = users.count { admission.hosts.closure(of: "a", for: $0) != nil }
    #expect(closed == 1, "for the user of the transfer")
  }

  @Test func `a wish beyond the patience is granted up to the patience, then refused`() {
    var admission = Admission(
      window: 9, hosts: HostWindows(HostLimits(patience: .seconds(10)), triedPatience: .zero))
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.503", reason: "busy", waitSeconds: 3600)
    var wishes: [Admission.WishAnswer?] = []
    for time in [Duration.zero, .seconds(10)] {
      guard let next = take(&admission, now: time, total: 1) else { break }
      wishes.append(admission.answered(next.photo, .failed(busy), now: time, jitter: 0)?.wish)
      admission.ended(next.photo, .retry(after: .seconds(10)), now: time)
    }
    #expect(wishes == [.granted(until: .seconds(10)), .refused])
  }

  @Test func `without patience a host is left alone for as long as it asks for`() {
    var admission = Admission(
      window: 9, hosts: HostWindows(HostLimits(patience: .zero), triedPatience: .zero))
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.503", reason: "busy", waitSeconds: 3600)
    let first = take(&admission)?.photo ?? photo(1, 1)
    #expect(admission.answered(first, .failed(busy), now: .zero, jitter: 0)?.wish == nil)
    #expect(admission.hosts.closure(of: "a")?.gate == .seconds(3600))
  }

  @Test func `a flush opens a closed host and ends the wait of photos for their retry`() {
    var admission = Admission(window: 9)
    admission.add(
      ListID(1), ListLines(.default, waiting: [(900, .seconds(900))]), isPaused: false, now: .zero)
    let gate = kill(&admission, (0..<2).compactMap { _ in take(&admission)?.photo })
    #expect(gate > .zero && take(&admission) == nil)
    #expect(admission.flush("b", now: .zero) == 0)
    #expect(take(&admission) == nil)
    #expect(admission.flush("a", now: .zero) == 1)
    #expect(take(&admission)?.photo == photo(1, 3))
    #expect(admission.flush(nil, now: .zero) == 1)
    #expect(take(&admission) { $0.number == 900 ? nil : "a" }?.photo == photo(1, 900))
  }

  @Test func `an alarm that is later than the next probe does not delay it`() {
    var admission = Admission(window: 9)
    add(&admission, 1)
    let busy = Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 1800)
    let first = take(&admission)?.photo ?? photo(1, 1)
    _ = take(&admission)
    _ = admission.answered(first, .failed(busy), now: .zero, jitter: 0)
    admission.ended(first, .retry(after: .seconds(1800)), now: .zero)
    #expect(take(&admission) == nil && admission.nextDue == .seconds(1800))
    _ = admission.flush("a", now: .seconds(5))
    let probe = take(&admission, now: .seconds(5))?.photo ?? photo(1, 1)
    _ = admission.answered(probe, .failed(reset), now: .seconds(5), jitter: 1)
    admission.ended(probe, .retry(after: .seconds(9999)), now: .seconds(5))
    #expect(admission.nextDue == .seconds(7))
  }

  @Test func `while downloads are suspended, only photos that need none are taken`() {
    var admission = Admission(window: 9)
    add(&admission, 1)
    admission.suspendDownloads(true, now: .zero)
    #expect(take(&admission) { $0.number == 5 ? nil : "a" }?.photo == photo(1, 5))
    #expect(take(&admission) == nil && admission.nextDue == nil)
    admission.suspendDownloads(false, now: .zero)
    #expect((0..<9).compactMap { _ in take(&admission)?.photo.number } == [1, 2])
  }

  @Test func `photos with their own class have their own lines, and all of them end`() {
    var admission = Admission(window: 100)
    let parts = [
      ListLines.Part(own: nil), ListLines.Part(own: .userInteractive, first: 90, last: 99),
      ListLines.Part(own: .background, first: 1, last: 80, waiting: [(7, .seconds(1))]),
    ]
    admission.add(ListID(1), ListLines(.utility, parts: parts), isPaused: false, now: .zero)
    func own(_ number: UInt32) -> ServiceClass? {
      if number >= 90 { return .userInteractive }
      // The parts of the list do not announce the classes of 85 and 87.
      return number == 85 ? .userInitiated : number % 10 == 7 ? .background : nil
    }
    var taken: [(UInt32, ServiceClass)] = []
    for _ in 0..<2000 {
      let over = Set(taken.map(\.0))
      switch admission.next(now: .seconds(1)) {
      case .seek(let list, let after):
        admission.sought(list, (after + 1..<100).first { !over.contains($0) })
      case .ask(let photo):
        admission.learn(photo, Admission.Prospect(own: own(photo.number)))
      case .give(let admitted):
        taken.append((admitted.photo.number, admitted.serviceClass))
        admission.ended(admitted.photo, .filtered, now: .seconds(1))
      case nil: break
      }
    }
    #expect(taken.map(\.0).sorted() == Array(1...99), "each of them once")
    for (number, serviceClass) in taken {
      let isUnknown = number == 85 || number == 87
      #expect(serviceClass == (isUnknown ? .utility : own(number) ?? .utility), "\(number)")
    }
    #expect(taken.prefix(12).count { $0.1 == .userInteractive } == 10, "the urgent ones first")
    #expect(admission.doneLists == [ListID(1)])
  }

  @Test func `a list with lines of several classes is paused, resumed and dropped as one`() {
    var admission = Admission(window: 4)
    let parts = [ListLines.Part(own: nil), ListLines.Part(own: .background, first: 2, last: 2)]
    admission.add(ListID(1), ListLines(.default, parts: parts), isPaused: true, now: .zero)
    #expect(take(&admission) == nil && admission.isPaused(ListID(1)))
    admission.resume(ListID(1), now: .zero)
    #expect(take(&admission) != nil && !admission.isPaused(ListID(1)))
    admission.pause(ListID(1), now: .zero)
    #expect(take(&admission) == nil && admission.doneLists.isEmpty)
    admission.drop(ListID(1), now: .zero)
    #expect(admission.inFlight == 0 && admission.lines.isEmpty)
  }

  @Test func `hosts without photos and without trouble are forgotten`() {
    var admission = Admission(window: 9)
    add(&admission, 1)
    for number in 0..<500 {
      guard let next = take(&admission, host: { "host\($0.number)" }) else { break }
      let outcome: HostWindow.Outcome = number % 2 == 0 ? .answered : .failed(reset)
      _ = admission.answered(next.photo, outcome, now: .zero, jitter: 1)
      admission.ended(next.photo, .filtered, now: .zero)
    }
    #expect(admission.hosts.count == 0)
  }
}
