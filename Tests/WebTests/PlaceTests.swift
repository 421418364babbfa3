// SPDX-License-Identifier: Apache-2.0
// The places of the web server as a value: callers that are not known have half of them, and each known one an eighth of
// the rest.

import HTTP
import Testing
import Vocabulary

/// Its calls can stand in an expectation.
private final class HeldPlaces {
  private var places: WebPlaces

  init(_ rules: WebPlaces.Rules) { places = WebPlaces(rules) }

  var nextDue: Duration? { places.nextDue }
  func came(_ socket: Int32, at now: Duration) -> Int32? { places.came(socket, at: now) }
  func asked(_ socket: Int32, by caller: UInt32?, at now: Duration) -> WebPlaces.Verdict {
    places.asked(socket, by: caller, at: now)
  }
  func began(_ socket: Int32, at now: Duration) { places.began(socket, at: now) }
  func answered(_ socket: Int32, at now: Duration) { places.answered(socket, at: now) }
  func left(_ socket: Int32) { places.left(socket) }
  func late(at now: Duration) -> [Int32] { places.late(at: now) }
}

@Suite struct PlaceTests {
  private static let rules = {
    var rules = WebPlaces.Rules()
    (rules.strangers, rules.known) = (4, 16)
    return rules
  }()

  private func room() -> HeldPlaces { HeldPlaces(Self.rules) }

  @Test func `half of the places are for callers that are known, an eighth of them for each`() {
    let usual = WebPlaces.Rules()
    #expect(usual.strangers <= usual.known && usual.ofOneCaller * 8 <= usual.known)
    #expect(Self.rules.ofOneCaller == 2)
  }

  @Test func `of those that are not known, a new one ends the oldest`() {
    let places = room()
    #expect((1...4).allSatisfy { places.came($0, at: .zero) == nil })
    #expect(places.came(5, at: .zero) == 1)
    #expect(places.asked(2, by: 1000, at: .zero) == .served, "it is known now")
    #expect(places.came(6, at: .zero) == nil)
    #expect(places.came(7, at: .zero) == 3)
    places.left(4)
    #expect(places.came(8, at: .zero) == nil)
  }

  @Test func `a caller beyond the own places loses the oldest connection that waits`() {
    let places = room()
    for socket in 1...3 as ClosedRange<Int32> { _ = places.came(socket, at: .zero) }
    #expect(places.asked(1, by: 1000, at: .zero) == .served)
    #expect(places.asked(2, by: 1000, at: .zero) == .served)
    places.began(1, at: .zero)
    places.began(2, at: .zero)
    places.answered(2, at: .zero)
    #expect(
      places.asked(3, by: 1000, at: .zero) == .servedInsteadOf(2), "the first is being served")
    places.began(3, at: .zero)
    _ = places.came(4, at: .zero)
    #expect(places.asked(4, by: 1000, at: .zero) == .crowded)
    #expect(places.late(at: .seconds(3600)) == [], "it waits for its turn")
    #expect(places.asked(9, by: 1000, at: .zero) == .gone)
    #expect(places.asked(4, by: 1001, at: .zero) == .served)
    places.answered(1, at: .zero)
    _ = places.came(5, at: .zero)
    #expect(places.asked(5, by: 1000, at: .zero) == .servedInsteadOf(1))
    #expect(places.asked(5, by: 1000, at: .zero) == .served, "its next request")
    #expect(places.asked(5, by: nil, at: .zero) == .served, "a style has no view")
  }

  @Test func `a request that has got a place keeps it until its answer`() {
    let places = room()
    for socket in 1...4 as ClosedRange<Int32> { _ = places.came(socket, at: .zero) }
    for socket in 1...2 as ClosedRange<Int32> {
      _ = places.asked(socket, by: 1000, at: .zero)
      places.began(socket, at: .zero)
    }
    #expect(places.asked(3, by: 1000, at: .zero) == .crowded)
    #expect(places.asked(4, by: 1000, at: .zero) == .crowded)
    places.left(1)
    // Both hear of it; the second asks before the first has begun.
    #expect(places.asked(3, by: 1000, at: .zero) == .served)
    #expect(places.asked(4, by: 1000, at: .zero) == .crowded)
    places.answered(2, at: .zero)
    #expect(places.asked(2, by: 1000, at: .zero) == .served, "its next request")
    #expect(places.asked(4, by: 1000, at: .zero) == .crowded)
    places.began(3, at: .zero)
    places.answered(3, at: .zero)
    #expect(places.asked(4, by: 1000, at: .zero) == .servedInsteadOf(3))
  }

  @Test func `seven callers who take all that they get leave an eighth`() {
    let places = room()
    var socket: Int32 = 0
    func take(_ caller: UInt32) -> Bool {
      socket += 1
      _ = places.came(socket, at: .zero)
      let isServed = places.asked(socket, by: caller, at: .zero) == .served
      if isServed { places.began(socket, at: .zero) } else { places.left(socket) }
      return isServed
    }
    for caller in 1...7 as ClosedRange<UInt32> {
      #expect((0..<10).filter { _ in take(caller) }.count == 2)
    }
    #expect(take(8) && take(8) && !take(8))
    #expect(!take(9), "eight have taken all")
  }

  @Test func `when all places are taken, the caller with most of them makes room`() {
    var rules = Self.rules
    rules.known = 24
    let places = HeldPlaces(rules)
    var socket: Int32 = 0
    for caller in 1...24 as ClosedRange<UInt32> {
      socket += 1
      _ = places.came(socket, at: .zero)
      // Two callers have three each.
      _ = places.asked(socket, by: caller > 20 ? 1 + caller % 2 : caller, at: .zero)
      places.answered(socket, at: .zero)
    }
    _ = places.came(100, at: .zero)
    #expect(places.asked(100, by: 99, at: .zero) == .servedInsteadOf(1))
    _ = places.came(101, at: .zero)
    #expect(places.asked(101, by: 98, at: .zero) == .servedInsteadOf(2))
  }

  @Test func `a request has a time as a whole, and a connection one until the next`() {
    let rules = Self.rules
    let places = room()
    _ = places.came(1, at: .seconds(1))
    #expect(places.nextDue == .seconds(1) + rules.request)
    // Bytes that come change nothing.
    #expect(places.late(at: .seconds(1) + rules.request) == [1])
    #expect(places.nextDue == nil && places.late(at: .seconds(1000)).isEmpty)
    _ = places.came(2, at: .zero)
    _ = places.asked(2, by: 1000, at: .seconds(2))
    #expect(places.nextDue == .seconds(2) + rules.request, "its body has a time")
    places.began(2, at: .seconds(3))
    #expect(places.nextDue == nil, "a stream may last")
    places.answered(2, at: .seconds(50))
    #expect(places.nextDue == .seconds(50) + rules.rest)
    _ = places.came(3, at: .seconds(50))
    _ = places.asked(3, by: nil, at: .seconds(50))
    places.began(3, at: .seconds(50))
    #expect(places.late(at: .seconds(50) + rules.answer).sorted() == [2, 3])
  }
}
