// SPDX-License-Identifier: Apache-2.0
// One transfer for each URL, however many want it: who waits for which, and what is to be done for them.
// A flight belongs to nobody's task; it is given up when the last who waits has left. A value: the
// object around it performs the answers after unlocking.
//
//   opening → flying → landed → closing → over
//      │        │                    ↑
//      └────────┴→ leaving ──────────┴→ over, or opening again for whoever has come since

import Vocabulary

struct FlightTable {
  /// One who waits.
  struct Seat: Hashable {
    let url: String
    let number: UInt64
  }

  enum Turn {
    /// Open the file, ask the network, say `begun` or `over`; then wait on.
    case lead
    case landed(Landing)
    case failed(Failure)
  }

  enum Act: Equatable {
    case nothing
    case cancel(TransferTicket)
    case change(TransferTicket, ServiceClass)
    /// The landed file's own name is needed no more: remove it, then say `closed`.
    case close
  }

  typealias Waiter = CheckedContinuation<Turn, Never>
  typealias Tidings = [(waiter: Waiter, turn: Turn)]

  private struct Passenger {
    let photo: PhotoID
    let priority: ServiceClass
    var waiter: Waiter?
  }

  private enum Phase {
    /// A passenger opens the file. → flying, landed, over
    case opening
    /// → landed, leaving, over
    case flying(TransferTicket, ServiceClass)
    /// Nobody wants it; the network was told. → over, opening
    case leaving
    /// → closing, or over where it has no name
    case landed(Landing)
    /// The landed file's name goes. → over, opening
    case closing
  }

  private struct Flight {
    let number: UInt64
    var phase = Phase.opening
    var passengers: [UInt64: Passenger] = [:]

    var priority: ServiceClass? {
      passengers.values.map(\.priority).min { $0.rawValue < $1.rawValue }
    }
  }

  private var flights: [String: Flight] = [:]
  /// For those who do not wait yet, by their seats.
  private var mail: [UInt64: Turn] = [:]
  private var last: UInt64 = 0

  var isEmpty: Bool { flights.isEmpty && mail.isEmpty }
  func isFlying(_ url: String) -> Bool { flights[url] != nil }

  private mutating func draw() -> UInt64 {
    last += 1
    return last
  }

  // MARK: passengers

  mutating func board(_ photo: PhotoID, _ url: String, _ priority: ServiceClass) -> (Seat, Act) {
    let seat = Seat(url: url, number: draw())
    let passenger = Passenger(photo: photo, priority: priority)
    guard var flight = flights[url] else {
      mail[seat.number] = .lead
      flights[url] = Flight(number: draw(), passengers: [seat.number: passenger])
      return (seat, .nothing)
    }
    if case .landed(let landing) = flight.phase { mail[seat.number] = .landed(landing) }
    flight.passengers[seat.number] = passenger
    let act = Self.adjust(&flight)
    flights[url] = flight
    return (seat, act)
  }

  /// What is so already; nil keeps the waiter.
  mutating func wait(_ seat: Seat, _ waiter: Waiter) -> Turn? {
    if let turn = mail.removeValue(forKey: seat.number) { return turn }
    guard flights[seat.url]?.passengers[seat.number] != nil else { return .failed(.cancelled) }
    flights[seat.url]?.passengers[seat.number]?.waiter = waiter
    return nil
  }

  /// Cancelled, or done with what landed.
  mutating func leave(_ seat: Seat) -> (tell: Tidings, act: Act) {
    let mail = mail.removeValue(forKey: seat.number)
    guard var flight = flights[seat.url],
      let passenger = flight.passengers.removeValue(forKey: seat.number)
    else { return ([], .nothing) }
    var tell: Tidings = passenger.waiter.map { [($0, .failed(.cancelled))] } ?? []
    var act = Act.nothing
    switch flight.phase {
    case .flying(let ticket, _) where flight.passengers.isEmpty:
      flight.phase = .leaving
      act = .cancel(ticket)
    case .flying: act = Self.adjust(&flight)
    case .landed(let landing) where flight.passengers.isEmpty:
      guard landing.isNamed else {
        flights[seat.url] = nil
        return (tell, .nothing)
      }
      flight.phase = .closing
      act = .close
    case .opening, .leaving, .landed, .closing: break
    }
    flights[seat.url] = flight
    // It was to lead and does not know yet.
    if case .lead = mail { tell += again(seat.url) }
    return (tell, act)
  }

  /// Whether nobody else wants what landed: the file itself may be taken, and nobody boards until
  /// `closed`.
  mutating func takeAlone(_ seat: Seat) -> Bool {
    guard var flight = flights[seat.url], case .landed = flight.phase,
      flight.passengers.count == 1, flight.passengers.removeValue(forKey: seat.number) != nil
    else { return false }
    flight.phase = .closing
    flights[seat.url] = flight
    return true
  }

  /// The network waits for the most urgent of all who wait for it.
  private static func adjust(_ flight: inout Flight) -> Act {
    guard case .flying(let ticket, let known) = flight.phase, let priority = flight.priority,
      priority != known
    else { return .nothing }
    flight.phase = .flying(ticket, priority)
    return .change(ticket, priority)
  }

  // MARK: flights

  /// What its leader needs to know.
  func flight(of seat: Seat) -> (number: UInt64, priority: ServiceClass)? {
    guard let flight = flights[seat.url], case .opening = flight.phase else { return nil }
    return (flight.number, flight.priority ?? .default)
  }

  /// The network has been asked, with this priority. It may be over already.
  mutating func begun(
    _ url: String, _ number: UInt64, _ ticket: TransferTicket, _ priority: ServiceClass
  ) -> Act {
    guard var flight = flights[url], flight.number == number, case .opening = flight.phase else {
      return .nothing
    }
    defer { flights[url] = flight }
    if flight.passengers.isEmpty {
      flight.phase = .leaving
      return .cancel(ticket)
    }
    flight.phase = .flying(ticket, priority)
    return Self.adjust(&flight)
  }

  /// Whom to tell what. A flight that nobody wanted and somebody wants now is led anew.
  mutating func over(_ url: String, _ number: UInt64, _ result: Result<Landing, Failure>)
    -> (tell: Tidings, act: Act)
  {
    guard var flight = flights[url], flight.number == number else { return ([], .nothing) }
    switch result {
    case .failure(let failure):
      if failure.kind == .cancelled, case .leaving = flight.phase { return (again(url), .nothing) }
      flights[url] = nil
      return (tell(&flight, .failed(failure)), .nothing)
    case .success(let landing):
      if flight.passengers.isEmpty, !landing.isNamed {
        flights[url] = nil
        return ([], .nothing)
      }
      flight.phase = flight.passengers.isEmpty ? .closing : .landed(landing)
      let tidings = tell(&flight, .landed(landing))
      flights[url] = flight
      return (tidings, flight.passengers.isEmpty ? .close : .nothing)
    }
  }

  /// The landed file's name is gone.
  mutating func closed(_ url: String) -> Tidings {
    guard let flight = flights[url], case .closing = flight.phase else { return [] }
    return again(url)
  }

  /// Over, unless somebody has come meanwhile: one of those leads.
  private mutating func again(_ url: String) -> Tidings {
    guard let old = flights[url], let leader = old.passengers.keys.min() else {
      flights[url] = nil
      return []
    }
    var flight = Flight(number: draw(), passengers: old.passengers)
    let waiter = flight.passengers[leader]?.waiter
    flight.passengers[leader]?.waiter = nil
    flights[url] = flight
    if let waiter { return [(waiter, .lead)] }
    mail[leader] = .lead
    return []
  }

  private mutating func tell(_ flight: inout Flight, _ turn: Turn) -> Tidings {
    var tidings: Tidings = []
    for (number, passenger) in flight.passengers {
      if let waiter = passenger.waiter {
        tidings.append((waiter, turn))
        flight.passengers[number]?.waiter = nil
      } else {
        mail[number] = turn
      }
    }
    return tidings
  }

  /// The photos that each transfer is for.
  func photos() -> [TransferTicket: [PhotoID]] {
    var photos: [TransferTicket: [PhotoID]] = [:]
    for flight in flights.values {
      guard case .flying(let ticket, _) = flight.phase else { continue }
      photos[ticket] = flight.passengers.values.map(\.photo).sorted {
        ($0.list, $0.number) < ($1.list, $1.number)
      }
    }
    return photos
  }
}
