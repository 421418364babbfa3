// SPDX-License-Identifier: Apache-2.0
// Connections to servers that many machines divide: what one of them says of its use, and when it asks.

import Testing
import Vocabulary

@testable import Chain

@Suite struct HostSeatsTests {
  private typealias Use = HostSeats.Use

  /// Seats at `x` until 30 s, with photos in flight.
  private func seats(_ count: Int, inFlight: Int = 0) -> HostSeats {
    var seats = HostSeats()
    _ = seats.claims([Use("x", inFlight: inFlight, waiting: 9)], now: .zero)
    seats.grant([SeatGrant("x", seats: count)], until: .seconds(30))
    return seats
  }

  @Test func `without an answer no photo starts, and seats end with their lease`() {
    #expect(HostSeats().limit("x", now: .zero) == 0)
    let seats = seats(6)
    #expect(seats.limit("y", now: .zero) == 0)
    #expect(seats.limit("x", now: .seconds(29)) == 6 && seats.limit("x", now: .seconds(30)) == 0)
  }

  @Test func `a claim names what may be used until its answer`() {
    var seats = seats(3, inFlight: 5)
    #expect(
      seats.claims([Use("x", inFlight: 5, waiting: 2)], now: .zero)
        == [SeatClaim("x", held: 5, need: 7)])
    #expect(
      seats.claims([Use("x", inFlight: 1, waiting: 0)], now: .zero)
        == [SeatClaim("x", held: 3, need: 1)])
    #expect(seats.limit("x", now: .zero) == 3, "its answer may be lost")
    #expect(
      seats.claims([Use("x", inFlight: 1, waiting: 0)], now: .seconds(30))
        == [SeatClaim("x", held: 1, need: 1)], "its lease is over")
  }

  @Test func `a server that is not used is given up before the ledger hears it`() {
    var seats = seats(6)
    #expect(seats.claims([Use("x", inFlight: 0, waiting: 0)], now: .zero).isEmpty)
    #expect(seats.limit("x", now: .zero) == 0)
  }

  @Test func `it asks at once for a new server, and when it has left what others wait for`() {
    func isNews(_ seats: HostSeats, _ name: String, _ inFlight: Int, _ isAwaited: Bool) -> Bool {
      var seats = seats
      seats.note(name, inFlight: inFlight, isAwaited: isAwaited, most: 6)
      return seats.takeNews()
    }
    #expect(isNews(seats(6), "y", 0, true), "it is new")
    #expect(!isNews(seats(6), "y", 0, false))
    #expect(!isNews(seats(6), "x", 2, true))
    #expect(!isNews(seats(6), "x", 0, false), "no other node uses it")
    #expect(isNews(seats(3), "x", 0, false), "other nodes use it")
    #expect(!isNews(seats(3, inFlight: 5), "x", 4, true), "one is to be left")
    #expect(isNews(seats(3, inFlight: 5), "x", 3, true))
    #expect(!isNews(seats(0), "x", 0, true), "the bell tells when there is one")
    var led = HostSeats()
    _ = led.claims([Use("x", inFlight: 0, waiting: 1, isForLed: true)], now: .zero)
    led.grant([SeatGrant("x", seats: 1)], until: .seconds(30))
    #expect(!isNews(led, "x", 0, false), "a photo that waits for another server needs it as well")
  }

  @Test func `more servers than a request may name take turns`() {
    var seats = HostSeats()
    let uses = (0..<HostSeats.mostHosts + 44).map { Use("host \($0)", inFlight: 0, waiting: 1) }
    let first = Set(seats.claims(uses, now: .zero).map(\.host))
    #expect(first.count == HostSeats.mostHosts && seats.takeNews(), "the others wait")
    let second = Set(seats.claims(uses, now: .zero).map(\.host))
    #expect(second.count == HostSeats.mostHosts && first.union(second).count == uses.count)
    // One with a photo in flight stays.
    let busy = uses.map { use in
      Use(use.name, inFlight: second.contains(use.name) ? 1 : 0, waiting: 1)
    }
    #expect(
      Set(seats.claims(busy, now: .zero).map(\.host)).isSuperset(of: second.subtracting(first)))
  }

  // MARK: hosts

  private let line = LineKey(ListID(1))

  @Test func `a photo waits for a seat, and is called when there is one`() {
    var hosts = HostWindows(HostLimits(most: 6, areShared: true))
    #expect(hosts.ask("x", .default, isTried: false, now: .zero) == .wait)
    hosts.join("x", line, .default, of: 0, now: .zero)
    #expect(hosts.takeSeatNews() && hosts.takeCalled().isEmpty)
    #expect(!hosts.lacksSeats("x"), "it is not known yet")
    #expect(hosts.claimSeats(["x": 3], now: .zero) == [SeatClaim("x", held: 0, need: 3)])
    hosts.grantSeats([SeatGrant("x", seats: 1)], until: .seconds(30), now: .zero, jitter: 0)
    #expect(hosts.takeCalled() == [line])
    #expect(
      hosts.answer("x", line, isTried: false, hasMore: true, now: .zero) == .start(isProbe: false))
    #expect(hosts.takeCalled().isEmpty && hosts.lacksSeats("x"))
    #expect(hosts.claimSeats(["x": 2], now: .zero) == [SeatClaim("x", held: 1, need: 3)])
    hosts.grantSeats([SeatGrant("x", seats: 2)], until: .seconds(30), now: .zero, jitter: 0)
    #expect(hosts.takeCalled() == [line])
  }

  @Test
  func `a machine with all the seats that it can use lacks none, and gives them up without photos`()
  {
    var hosts = HostWindows(HostLimits(most: 6, connections: 2, areShared: true))
    hosts.join("x", line, .default, of: 0, now: .zero)
    _ = hosts.claimSeats(["x": 3], now: .zero)
    hosts.grantSeats([SeatGrant("x", seats: 2)], until: .seconds(30), now: .zero, jitter: 0)
    for hasMore in [true, false] {
      #expect(
        hosts.answer("x", line, isTried: false, hasMore: hasMore, now: .zero)
          == .start(isProbe: false))
    }
    #expect(!hosts.lacksSeats("x"))
    _ = hosts.takeSeatNews()
    for _ in 1...2 { _ = hosts.end("x", line, .answered, isProbe: false, now: .zero, jitter: 0) }
    let isIdleNews = hosts.takeSeatNews()
    #expect(isIdleNews, "other machines may need them")
    hosts.limit(to: HostLimits(most: 6, connections: 3, areShared: true), now: .zero)
    let isLimitNews = hosts.takeSeatNews()
    #expect(isLimitNews, "it can use more")
  }

  @Test func `a called line does not start when its seat's lease is over`() {
    var hosts = HostWindows(HostLimits(most: 6, areShared: true))
    hosts.join("x", line, .default, of: 0, now: .zero)
    _ = hosts.claimSeats(["x": 1], now: .zero)
    hosts.grantSeats([SeatGrant("x", seats: 6)], until: .seconds(30), now: .zero, jitter: 0)
    #expect(hosts.takeCalled() == [line])
    #expect(hosts.answer("x", line, isTried: false, hasMore: false, now: .seconds(30)) == .wait)
  }

  @Test func `files here need no seat, and downloads that are suspended claim none`() {
    var hosts = HostWindows(HostLimits(most: 6, areShared: true))
    #expect(
      hosts.ask(HostWindows.here, .default, isTried: false, now: .zero) == .start(isProbe: false))
    hosts.join("x", line, .default, of: 0, now: .zero)
    hosts.suspend(true, now: .zero)
    #expect(hosts.claimSeats(["x": 3, HostWindows.here: 1], now: .zero).isEmpty)
  }

  @Test func `photos of a user for whom a host is closed claim one seat there`() {
    var admission = Admission(
      window: 20, hosts: HostWindows(HostLimits(most: 6, areShared: true)))
    for owner in 1...2 as ClosedRange<UInt32> {
      admission.add(
        ListID(UInt64(owner)), ListLines(.default, owner: owner), isPaused: false, now: .zero)
    }
    func take() -> PhotoID? {
      admission.take(now: .zero, total: 20) { Admission.Prospect(host: "x", url: Int($0.number)) }?
        .photo
    }
    #expect(take() == nil && admission.claimSeats(now: .zero).map(\.need) == [40])
    admission.grantSeats(
      [SeatGrant("x", seats: 6)], until: .seconds(30), now: .zero, jitter: 0)
    let taken = (0..<4).compactMap { _ in take() }
    for photo in taken where photo.list == ListID(1) {
      _ = admission.answered(photo, .failed(reset), now: .zero, jitter: 1)
      admission.ended(photo, .failed, now: .zero)
    }
    #expect(taken.count == 4 && admission.hosts.closure(of: "x", for: 1) != nil)
    #expect(admission.claimSeats(now: .zero).map(\.need) == [2 + 18 + 1])
  }

  // MARK: photos that wait

  @Test func `photos of a closed host count as waiting once another host has answered`() {
    let list = ListID(1)
    var admission = Admission(window: 9)
    admission.add(list, ListLines(.default), isPaused: false, now: .zero)
    func take() -> PhotoID? {
      admission.take(now: .zero, total: 20) {
        Admission.Prospect(host: "x", url: Int($0.number))
      }?.photo
    }
    for photo in [take(), take()].compactMap({ $0 }) {
      _ = admission.answered(photo, .failed(reset), now: .zero, jitter: 1)
      admission.ended(photo, .retry(after: .seconds(60)), now: .zero)
    }
    #expect(
      take() == nil && admission.waitingPhotos(slow: 0).counts == [list: 2], "two are tried again")
    #expect(admission.waitingPhotos(slow: 5).counts == [list: 7])
    _ = admission.hosts.ask("y", .default, isTried: false, now: .seconds(1))
    _ = admission.hosts.end("y", line, .answered, isProbe: false, now: .seconds(1), jitter: 1)
    #expect(admission.waitingPhotos(slow: 0).counts == [list: 20])
    #expect(admission.waitingPhotos(slow: 5).slow == [:], "the host is closed")
    admission.size = WindowSize(photos: 0, reserve: 0, kept: 0)
    #expect(admission.waitingPhotos(slow: 5).counts == [list: 20])
    _ = admission.flush("x", now: .seconds(2))
    admission.pause(list, now: .seconds(2))
    #expect(admission.waitingPhotos(slow: 5).counts == [:])
  }

  @Test func `photos that wait for a host that is well count only while the window has room`() {
    let list = ListID(1)
    var admission = Admission(window: 9)
    admission.add(list, ListLines(.default), isPaused: false, now: .zero)
    for _ in 0..<3 {
      _ = admission.take(now: .zero, total: 20) {
        Admission.Prospect(host: "x", url: Int($0.number))
      }
    }
    #expect(admission.waitingPhotos(slow: 100).counts == [list: 18])
    let few = admission.waitingPhotos(slow: 5)
    #expect(few.counts == [list: 5] && few.slow == [list: 5] && few.room == 7)
    admission.size = WindowSize(photos: 2, reserve: 0, kept: 0)
    #expect(admission.waitingPhotos(slow: 100) == WaitingPhotos(room: 0))
  }
}
