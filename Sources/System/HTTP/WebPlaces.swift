// SPDX-License-Identifier: Apache-2.0
// Which connections of the web server may stay. Any user of the machine can connect, so connections whose caller is
// not known share one half of the places, and a new connection ends the oldest one. The other half is for callers
// that a request named; each caller has at most an eighth of it. The time limit is for a request as a whole, not for
// each byte. A value; the caller passes the times, and ends the connections that are returned.

package struct WebPlaces: Sendable {
  package struct Rules: Sendable {
    /// Connections whose caller is not known.
    package var strangers = 64
    /// Connections of callers that are known.
    package var known = 64
    package var ofOneCaller: Int { max(1, known / 8) }
    /// The time limit from the connection until its first request is complete, and for the body of each request.
    package var request = Duration.seconds(10)
    /// The time limit from an answer until the next request is complete.
    package var rest = Duration.seconds(60)
    /// The time limit for an answer to a caller that is not known.
    package var answer = Duration.seconds(60)
    /// How long a request waits while all connections of its caller are busy. A browser that has scrolled on leaves
    /// connections whose answers are still being made.
    package var turn = Duration.seconds(10)

    package init() {}
  }

  package enum Verdict: Equatable, Sendable {
    case served
    /// The connection has a place, and this other connection ends to make room.
    case servedInsteadOf(Int32)
    /// There is no free place. The caller asks again at the end of an answer or of a connection.
    case crowded
    /// The connection is being ended.
    case gone
  }

  private struct Place {
    /// The order in which they came.
    let number: UInt64
    var caller: UInt32?
    /// The time when the connection ends.
    var due: Duration?
    /// True if no request is in progress. From the head of a request until its answer, no other connection can end
    /// this one.
    var isWaiting = true
  }

  private let rules: Rules
  /// The connections by their sockets, without connections that are being ended.
  private var places: [Int32: Place] = [:]
  private var last: UInt64 = 0

  package init(_ rules: Rules) { self.rules = rules }

  /// The time of the next `late`; nil for none.
  package var nextDue: Duration? { places.values.compactMap(\.due).min() }

  // MARK: events

  /// A connection has begun. Returns the one that ends for it.
  package mutating func came(_ socket: Int32, at now: Duration) -> Int32? {
    let strangers = places.filter { $0.value.caller == nil }
    let oldest = strangers.count >= rules.strangers ? Self.oldest(strangers) : nil
    if let oldest { places[oldest] = nil }
    last += 1
    places[socket] = Place(number: last, due: now + rules.request)
    return oldest
  }

  /// The head of a request is complete. While the caller has no place, the connection stays among those whose caller is
  /// not known.
  package mutating func asked(
    _ socket: Int32, by caller: UInt32?, at now: Duration
  ) -> Verdict {
    guard var place = places[socket] else { return .gone }
    defer { places[socket] = place }
    place.due = now + rules.request
    guard let caller, caller != place.caller else {
      place.isWaiting = false
      return .served
    }
    let others = places.filter { $0.key != socket && $0.value.caller != nil }
    let own = others.filter { $0.value.caller == caller }
    let hasShare = own.count >= rules.ofOneCaller
    var victim: Int32?
    if hasShare || others.count >= rules.known {
      victim = Self.oldest(
        hasShare ? own.filter { $0.value.isWaiting } : Self.most(of: others, butFor: own.count))
      guard victim != nil else {
        place.due = nil
        return .crowded
      }
    }
    if let victim { places[victim] = nil }
    (place.caller, place.isWaiting) = (caller, false)
    return victim.map { .servedInsteadOf($0) } ?? .served
  }

  /// The request is complete.
  package mutating func began(_ socket: Int32, at now: Duration) {
    guard let place = places[socket] else { return }
    places[socket]?.due = place.caller == nil ? now + rules.answer : nil
  }

  package mutating func answered(_ socket: Int32, at now: Duration) {
    places[socket]?.isWaiting = true
    places[socket]?.due = now + rules.rest
  }

  package mutating func left(_ socket: Int32) { places[socket] = nil }

  /// The connections whose time is over.
  package mutating func late(at now: Duration) -> [Int32] {
    let late = places.filter { $0.value.due.map { $0 <= now } ?? false }.map(\.key)
    for socket in late { places[socket] = nil }
    return late
  }

  // MARK: choices

  private static func oldest(_ places: [Int32: Place]) -> Int32? {
    places.min { $0.value.number < $1.value.number }?.key
  }

  /// The waiting connections of the caller with most connections, if those are more than one above `count`.
  private static func most(of places: [Int32: Place], butFor count: Int) -> [Int32: Place] {
    let callers = Dictionary(grouping: places) { $0.value.caller }
      .filter { $0.value.count > count + 1 && $0.value.contains { $0.value.isWaiting } }
    let most = callers.max { ($0.value.count, $1.key ?? 0) < ($1.value.count, $0.key ?? 0) }
    return places.filter { $0.value.isWaiting && $0.value.caller == most?.key && most != nil }
  }
}
