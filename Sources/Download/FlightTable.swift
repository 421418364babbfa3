// SPDX-License-Identifier: Apache-2.0
// One flight (transfer) for each URL, shared by all photos that want it, which are its passengers. No task
// owns a flight; it is cancelled when its last passenger leaves. A value: its owner gives the answers after
// unlocking. For speed, the URL is looked up only when a photo boards and when a flight ends; all other
// events use array places.
//
//   opening → flying → landed → closing → over
//      │        │                    ↑
//      └────────┴→ leaving ──────────┴→ over, or opening again for passengers that boarded since

import Linux
import Vocabulary

struct FlightTable {
  /// All attempts at one URL, as long as a photo wants it. Its place is reused later.
  struct URLFlight: Hashable {
    fileprivate let place: Int
    fileprivate let number: UInt64
  }

  /// One passenger's place in a flight.
  struct Boarding: Hashable {
    let flight: URLFlight
    let number: UInt64
  }

  /// One attempt of a flight.
  struct Attempt: Hashable {
    let flight: URLFlight
    let number: UInt64
  }

  enum Turn {
    /// Open the file, start the transfer, call `begun` or `over`, then wait again.
    case lead
    case landed(Landing)
    case failed(Failure)
  }

  enum Act: Equatable {
    case nothing
    case cancel(TransferTicket)
    case change(TransferTicket, TransferDemand)
    /// No passenger needs the landed file's name: remove it, then call `closed`.
    case close
  }

  typealias Waiter = Reply<Turn>
  typealias Answers = [(waiter: Waiter, turn: Turn)]

  private struct Passenger {
    let number: UInt64
    let photo: PhotoID
    let owner: UInt32
    let priority: ServiceClass
    var waiter: Waiter?
  }

  private enum Phase {
    /// A passenger opens the file. → flying, leaving, landed, closing, over
    case opening
    /// → landed, leaving, over
    case flying(TransferTicket, TransferDemand)
    /// The transfer was cancelled without passengers; new ones may have boarded. → landed, closing, over,
    /// opening
    case leaving
    /// → closing, or over when the landing has no name on the shelf
    case landed(Landing)
    /// The landed file's name is being removed. → over, opening
    case closing
  }

  private struct Flight {
    let url: PhotoURL
    let number: UInt64
    var attempt: UInt64
    var phase = Phase.opening
    /// In order of arrival. They are few: at most the photos that download at once.
    var passengers: [Passenger]

    /// The transfer has the priority of its most urgent passenger, and the turns of the owners of all.
    mutating func adjust() -> Act {
      guard case .flying(let ticket, let known) = phase, let priority else { return .nothing }
      let demand = TransferDemand(priority, of: Set(passengers.map(\.owner)))
      if demand == known { return .nothing }
      phase = .flying(ticket, demand)
      return .change(ticket, demand)
    }

    var priority: ServiceClass? {
      guard var most = passengers.first?.priority else { return nil }
      for passenger in passengers where passenger.priority.rawValue < most.rawValue {
        most = passenger.priority
      }
      return most
    }

    /// Returns the landing if the flight has landed.
    mutating func join(_ passenger: Passenger) -> (Turn?, Act) {
      passengers.append(passenger)
      if case .landed(let landing) = phase { return (.landed(landing), .nothing) }
      return (nil, adjust())
    }

    mutating func wait(_ number: UInt64, _ waiter: Waiter) -> Turn? {
      guard let place = place(of: number) else { return .failed(.cancelled) }
      if case .landed(let landing) = phase { return .landed(landing) }
      passengers[place].waiter = waiter
      return nil
    }

    /// Nil for an unknown passenger; `isOver` when the flight can be removed.
    mutating func leave(_ number: UInt64) -> (waiter: Waiter?, act: Act, isOver: Bool)? {
      guard let place = place(of: number) else { return nil }
      let waiter = passengers.remove(at: place).waiter
      switch phase {
      case .flying(let ticket, _) where passengers.isEmpty:
        phase = .leaving
        return (waiter, .cancel(ticket), false)
      case .flying: return (waiter, adjust(), false)
      case .landed(let landing) where passengers.isEmpty:
        guard landing.isNamed else { return (waiter, .nothing, true) }
        phase = .closing
        return (waiter, .close, false)
      case .opening, .leaving, .landed, .closing: return (waiter, .nothing, false)
      }
    }

    mutating func land(_ landing: Landing) -> (tell: Answers, act: Act, isOver: Bool) {
      guard passengers.isEmpty else {
        phase = .landed(landing)
        return (tell(.landed(landing)), .nothing, false)
      }
      guard landing.isNamed else { return ([], .nothing, true) }
      phase = .closing
      return ([], .close, false)
    }

    mutating func takeAlone(_ number: UInt64) -> Bool {
      guard case .landed = phase, passengers.count == 1, passengers[0].number == number else {
        return false
      }
      passengers = []
      phase = .closing
      return true
    }

    mutating func begun(_ ticket: TransferTicket, _ demand: TransferDemand) -> Act {
      guard case .opening = phase else { return .nothing }
      if passengers.isEmpty {
        phase = .leaving
        return .cancel(ticket)
      }
      phase = .flying(ticket, demand)
      return adjust()
    }

    /// The first passenger leads another attempt. Nil without passengers; includes its waiter if it waits.
    mutating func again(_ attempt: UInt64) -> (leader: UInt64, waiter: Waiter?)? {
      guard let leader = passengers.first else { return nil }
      (self.attempt, phase) = (attempt, .opening)
      return (leader.number, passengers[0].waiter.take())
    }

    /// Takes the waiters of all waiting passengers.
    mutating func tell(_ turn: Turn) -> Answers {
      var answers: Answers = []
      for place in passengers.indices {
        if let waiter = passengers[place].waiter.take() { answers.append((waiter, turn)) }
      }
      return answers
    }

    private func place(of number: UInt64) -> Int? {
      passengers.firstIndex { $0.number == number }
    }
  }

  /// Nil at the places in `free`.
  private var flights: [Flight?] = []
  private var free: [Int] = []
  private var urls: [PhotoURL: URLFlight] = [:]
  /// Turns for passengers that did not wait yet when the flight had news, by boarding number.
  private var undelivered: [UInt64: Turn] = [:]
  private var last: UInt64 = 0

  var isEmpty: Bool { urls.isEmpty && undelivered.isEmpty }
  func isFlying(_ url: PhotoURL) -> Bool { urls[url] != nil }

  private mutating func draw() -> UInt64 {
    last += 1
    return last
  }

  private mutating func begin(_ url: PhotoURL, _ passenger: Passenger) -> URLFlight {
    let place = free.popLast() ?? flights.count
    if place == flights.count { flights.append(nil) }
    let flight = URLFlight(place: place, number: draw())
    flights[place] = Flight(
      url: url, number: flight.number, attempt: draw(), passengers: [passenger])
    urls[url] = flight
    return flight
  }

  private mutating func end(_ flight: URLFlight) {
    guard let url = flights[flight.place]?.url else { return }
    urls[url] = nil
    flights[flight.place] = nil
    free.append(flight.place)
  }

  private func isOver(_ flight: URLFlight) -> Bool {
    flights[flight.place]?.number != flight.number
  }

  // MARK: passengers

  /// Adds a passenger, and returns its turn if that is already known.
  mutating func board(
    _ photo: PhotoID, of owner: UInt32 = 0, _ url: PhotoURL, _ priority: ServiceClass
  ) -> (boarding: Boarding, turn: Turn?, act: Act) {
    let passenger = Passenger(number: draw(), photo: photo, owner: owner, priority: priority)
    guard let flight = urls[url] else {
      return (Boarding(flight: begin(url, passenger), number: passenger.number), .lead, .nothing)
    }
    let (turn, act) = flights[flight.place]?.join(passenger) ?? (.failed(.cancelled), .nothing)
    return (Boarding(flight: flight, number: passenger.number), turn, act)
  }

  /// Returns the turn if it is already known; otherwise keeps the waiter and returns nil.
  mutating func wait(_ boarding: Boarding, _ waiter: Waiter) -> Turn? {
    if let turn = takeUndelivered(boarding) { return turn }
    if isOver(boarding.flight) { return .failed(.cancelled) }
    return flights[boarding.flight.place]?.wait(boarding.number, waiter)
  }

  private mutating func takeUndelivered(_ boarding: Boarding) -> Turn? {
    undelivered.isEmpty ? nil : undelivered.removeValue(forKey: boarding.number)
  }

  /// Removes a passenger that was cancelled or has used the landing.
  mutating func leave(_ boarding: Boarding) -> (tell: Answers, act: Act) {
    let turn = takeUndelivered(boarding)
    guard !isOver(boarding.flight),
      let left = flights[boarding.flight.place]?.leave(boarding.number)
    else { return ([], .nothing) }
    if left.isOver { end(boarding.flight) }
    var tell: Answers = left.waiter.map { [($0, .failed(.cancelled))] } ?? []
    // The passenger was chosen to lead, but did not learn it. Another passenger leads.
    if case .lead = turn { tell += again(boarding.flight) }
    return (tell, left.act)
  }

  /// True for the only passenger: it may take the landed file itself. Photos that board before `closed` wait
  /// for another attempt.
  mutating func takeAlone(_ boarding: Boarding) -> Bool {
    !isOver(boarding.flight) && flights[boarding.flight.place]?.takeAlone(boarding.number) == true
  }

  // MARK: flights

  /// The attempt that this passenger leads.
  func attempt(of boarding: Boarding) -> (attempt: Attempt, priority: ServiceClass)? {
    guard !isOver(boarding.flight), let flight = flights[boarding.flight.place],
      case .opening = flight.phase
    else { return nil }
    return (Attempt(flight: boarding.flight, number: flight.attempt), flight.priority ?? .default)
  }

  /// The transfer was started with this priority, for this owner. It may already be over.
  mutating func begun(
    _ attempt: Attempt, _ ticket: TransferTicket, _ priority: ServiceClass, of owner: UInt32 = 0
  ) -> Act {
    guard isNow(attempt) else { return .nothing }
    let demand = TransferDemand(priority, of: [owner])
    return flights[attempt.flight.place]?.begun(ticket, demand) ?? .nothing
  }

  /// Ends an attempt and returns the answers for its passengers. A flight that was cancelled and has new
  /// passengers starts another attempt.
  mutating func over(_ attempt: Attempt, _ result: Result<Landing, Failure>)
    -> (tell: Answers, act: Act)
  {
    guard isNow(attempt) else { return ([], .nothing) }
    let flight = attempt.flight
    switch result {
    case .failure(let failure):
      if failure.kind == .cancelled, case .leaving = flights[flight.place]?.phase {
        return (again(flight), .nothing)
      }
      let late = flights[flight.place]?.passengers.filter { $0.waiter == nil } ?? []
      for passenger in late { undelivered[passenger.number] = .failed(failure) }
      let answers = flights[flight.place]?.tell(.failed(failure)) ?? []
      end(flight)
      return (answers, .nothing)
    case .success(let landing):
      let (answers, act, isOver) = flights[flight.place]?.land(landing) ?? ([], .nothing, true)
      if isOver { end(flight) }
      return (answers, act)
    }
  }

  /// The landed file's name is gone.
  mutating func closed(_ flight: URLFlight) -> Answers {
    guard !isOver(flight), case .closing = flights[flight.place]?.phase else { return [] }
    return again(flight)
  }

  /// Ends the flight, unless passengers boarded meanwhile: the first passenger leads another attempt.
  private mutating func again(_ flight: URLFlight) -> Answers {
    let number = draw()
    if isOver(flight) { return [] }
    guard let (leader, waiter) = flights[flight.place]?.again(number) else {
      end(flight)
      return []
    }
    if let waiter { return [(waiter, .lead)] }
    undelivered[leader] = .lead
    return []
  }

  private func isNow(_ attempt: Attempt) -> Bool {
    !isOver(attempt.flight) && flights[attempt.flight.place]?.attempt == attempt.number
  }

  /// The photos of each transfer.
  func photos() -> [TransferTicket: [PhotoID]] {
    var photos: [TransferTicket: [PhotoID]] = [:]
    for flight in flights {
      guard let flight, case .flying(let ticket, _) = flight.phase else { continue }
      photos[ticket] = flight.passengers.map(\.photo).sorted {
        ($0.list, $0.number) < ($1.list, $1.number)
      }
    }
    return photos
  }
}
