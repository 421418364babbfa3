// SPDX-License-Identifier: Apache-2.0
// The connections to servers that this machine may have, where many machines divide them: a seat is one connection. A
// plain value. Without an answer for a server no photo starts to it. This machine may use a seat until the next
// answer, or until the time of the last answer is over.

package import Vocabulary

package struct HostSeats: Sendable {
  /// How much a server is used.
  package struct Use: Equatable, Sendable {
    package let name: String
    package let inFlight: Int
    /// Photos that wait for it, or for another server and need a place at this one as well.
    package let waiting: Int
    /// Some wait for another server.
    package let isForLed: Bool
    package let word: HostWord
    /// The most photos in flight until the answer; nil if the seats decide.
    package let growth: Int?

    package init(
      _ name: String, inFlight: Int, waiting: Int, isForLed: Bool = false, word: HostWord = .none,
      growth: Int? = nil
    ) {
      self.name = name
      self.inFlight = inFlight
      self.waiting = waiting
      self.isForLed = isForLed
      self.word = word
      self.growth = growth
    }

    var need: Int { inFlight + waiting }
    var isIdle: Bool { need == 0 && word == .none }
  }

  private struct Seat {
    /// The seats that the last answer granted.
    var told = 0
    /// The seats that the last request claimed.
    var held: Int
    /// Photos that wait for another server need it as well.
    let isForLed: Bool
  }

  /// The most servers that are named at once. The others take turns.
  package static let mostHosts = 256

  private var seats: [String: Seat] = [:]
  /// The order in which servers came into use.
  private var order: [String: UInt64] = [:]
  private var lastOrder: UInt64 = 0
  /// From this time on, other machines may have the seats.
  private var deadline = Duration.zero
  /// The next claims differ from the last ones so much that they should not wait.
  private var isNews = false

  package init() {}

  /// How many photos may be in flight to a server.
  package func limit(_ name: String, now: Duration) -> Int {
    now < deadline ? seats[name]?.told ?? 0 : 0
  }

  /// Other machines have seats that are needed here.
  /// - Parameter useful: the seats that this machine can use.
  package func areElsewhere(_ name: String, inFlight: Int, useful: Int) -> Bool {
    seats[name].map { $0.told < useful && $0.told <= inFlight } ?? false
  }

  /// Takes out whether seats should be asked for at once.
  package mutating func takeNews() -> Bool {
    defer { isNews = false }
    return isNews
  }

  /// The state of a server has changed, or this machine can use more or fewer seats.
  package mutating func tell() { isNews = true }

  /// Notes a change at a server.
  /// - Parameter most: the limit of photos in flight to one server from all machines.
  package mutating func note(_ name: String, inFlight: Int, isAwaited: Bool, most: Int) {
    let isUsed = isAwaited || inFlight > 0
    guard let seat = seats[name] else {
      if isUsed { isNews = true }
      return
    }
    // Others use the server: they wait for what is left.
    let isLeft = seat.told < seat.held && inFlight <= seat.told
    if isLeft || (!isUsed && !seat.isForLed && seat.told < most) { isNews = true }
  }

  /// The use from now on, until the answer; by name. Servers that are not named are given up.
  package mutating func claims(_ uses: [Use], now: Duration) -> [SeatClaim] {
    let uses = uses.filter { !$0.isIdle }.sorted { $0.name < $1.name }
    for use in uses where order[use.name] == nil { arrive(use.name) }
    let used = Set(uses.map(\.name))
    order = order.filter { used.contains($0.key) }
    // A server with photos in flight has been named, and stays.
    let named = uses.sorted { rank($0) < rank($1) }.prefix(Self.mostHosts)
      .sorted { $0.name < $1.name }
    if named.count < uses.count {
      isNews = true
      for use in named where use.inFlight == 0 { arrive(use.name) }
    }
    let known = seats
    seats = [:]
    return named.map { use in
      // A server without photos is given up at once, like a server that is not named.
      let isOurs = now < deadline && use.need > 0
      let told = isOurs ? known[use.name]?.told ?? 0 : 0
      let held = max(use.inFlight, min(told, use.growth ?? told))
      seats[use.name] = Seat(told: min(told, held), held: held, isForLed: use.isForLed)
      return SeatClaim(use.name, held: held, need: use.need, word: use.word)
    }
  }

  private func rank(_ use: Use) -> (Int, UInt64) {
    (use.inFlight > 0 ? 0 : 1, order[use.name] ?? 0)
  }

  private mutating func arrive(_ name: String) {
    lastOrder += 1
    order[name] = lastOrder
  }

  /// The answer to the last claims.
  package mutating func grant(_ granted: [SeatGrant], until deadline: Duration) {
    self.deadline = deadline
    let told = Dictionary(granted.map { ($0.host, $0.seats) }) { $1 }
    for name in seats.keys { seats[name]?.told = told[name] ?? 0 }
  }
}
