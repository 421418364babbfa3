// SPDX-License-Identifier: Apache-2.0
// One transfer for each URL, however many want it: who waits for which, and what is to be done for them.
// A flight belongs to nobody's task; it is given up when the last who waits has left. A value: the
// object around it performs the answers after unlocking. Every photo passes through here several times:
// a URL's text is looked up when somebody comes and when the last has gone, numbers do for the rest.
//
//   opening → flying → landed → closing → over
//      │        │                    ↑
//      └────────┴→ leaving ──────────┴→ over, or opening again for whoever has come since

import Vocabulary

struct FlightTable {
  /// One who waits, and for which course: all attempts at one URL, as long as anybody wants it.
  struct Seat: Hashable {
    let course: UInt64
    let number: UInt64
  }

  /// One attempt of a course.
  struct Attempt: Hashable {
    let course: UInt64
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
    let number: UInt64
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
    let url: String
    var number: UInt64
    var phase = Phase.opening
    /// As they came. No more than download at once: few.
    var passengers: [Passenger]

    /// The network waits for the most urgent of all who wait for it.
    mutating func adjust() -> Act {
      guard case .flying(let ticket, let known) = phase, let priority, priority != known else {
        return .nothing
      }
      phase = .flying(ticket, priority)
      return .change(ticket, priority)
    }

    var priority: ServiceClass? {
      guard var most = passengers.first?.priority else { return nil }
      for passenger in passengers where passenger.priority.rawValue < most.rawValue {
        most = passenger.priority
      }
      return most
    }

    /// What landed already; nil where there is something to wait for.
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

    /// Nil for one who is not here; `isOver` when nothing is left of the flight.
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

    mutating func takeAlone(_ number: UInt64) -> Bool {
      guard case .landed = phase, passengers.count == 1, passengers[0].number == number else {
        return false
      }
      passengers = []
      phase = .closing
      return true
    }

    mutating func begun(_ ticket: TransferTicket, _ priority: ServiceClass) -> Act {
      guard case .opening = phase else { return .nothing }
      if passengers.isEmpty {
        phase = .leaving
        return .cancel(ticket)
      }
      phase = .flying(ticket, priority)
      return adjust()
    }

    /// For somebody who has come meanwhile: nil where there is nobody, the waiter if they wait already.
    mutating func again(_ number: UInt64) -> (leader: UInt64, waiter: Waiter?)? {
      guard let leader = passengers.first else { return nil }
      (self.number, phase) = (number, .opening)
      return (leader.number, passengers[0].waiter.take())
    }

    /// All who wait; they do no more.
    mutating func tell(_ turn: Turn) -> Tidings {
      var tidings: Tidings = []
      for place in passengers.indices {
        if let waiter = passengers[place].waiter.take() { tidings.append((waiter, turn)) }
      }
      return tidings
    }

    private func place(of number: UInt64) -> Int? {
      passengers.firstIndex { $0.number == number }
    }
  }

  private typealias Flights = [UInt64: Flight]

  private var flights: Flights = [:]
  private var courses: [String: UInt64] = [:]
  /// For those who do not wait yet and whose flight cannot tell them, by the numbers of their seats.
  private var mail: [UInt64: Turn] = [:]
  private var last: UInt64 = 0

  var isEmpty: Bool { flights.isEmpty && mail.isEmpty }
  func isFlying(_ url: String) -> Bool { courses[url] != nil }

  private mutating func draw() -> UInt64 {
    last += 1
    return last
  }

  private mutating func end(_ place: Flights.Index) {
    courses[flights.remove(at: place).value.url] = nil
  }

  // MARK: passengers

  /// With the turn that is known at once, if any.
  mutating func board(_ photo: PhotoID, _ url: String, _ priority: ServiceClass)
    -> (seat: Seat, turn: Turn?, act: Act)
  {
    let passenger = Passenger(number: draw(), photo: photo, priority: priority)
    if let course = courses[url], let place = flights.index(forKey: course) {
      let (turn, act) = flights.values[place].join(passenger)
      return (Seat(course: course, number: passenger.number), turn, act)
    }
    let course = draw()
    courses[url] = course
    flights[course] = Flight(url: url, number: draw(), passengers: [passenger])
    return (Seat(course: course, number: passenger.number), .lead, .nothing)
  }

  /// What is so already; nil keeps the waiter.
  mutating func wait(_ seat: Seat, _ waiter: Waiter) -> Turn? {
    if let turn = mail.removeValue(forKey: seat.number) { return turn }
    guard let place = flights.index(forKey: seat.course) else { return .failed(.cancelled) }
    return flights.values[place].wait(seat.number, waiter)
  }

  /// Cancelled, or done with what landed.
  mutating func leave(_ seat: Seat) -> (tell: Tidings, act: Act) {
    let mail = mail.removeValue(forKey: seat.number)
    guard let place = flights.index(forKey: seat.course),
      let left = flights.values[place].leave(seat.number)
    else { return ([], .nothing) }
    if left.isOver { end(place) }
    var tell: Tidings = left.waiter.map { [($0, .failed(.cancelled))] } ?? []
    // It was to lead and does not know yet.
    if case .lead = mail { tell += again(seat.course) }
    return (tell, left.act)
  }

  /// Whether nobody else wants what landed: the file itself may be taken, and nobody boards until
  /// `closed`.
  mutating func takeAlone(_ seat: Seat) -> Bool {
    guard let place = flights.index(forKey: seat.course) else { return false }
    return flights.values[place].takeAlone(seat.number)
  }

  // MARK: flights

  /// What its leader needs to know.
  func attempt(of seat: Seat) -> (attempt: Attempt, priority: ServiceClass)? {
    guard let flight = flights[seat.course], case .opening = flight.phase else { return nil }
    return (Attempt(course: seat.course, number: flight.number), flight.priority ?? .default)
  }

  /// The network has been asked, with this priority. It may be over already.
  mutating func begun(
    _ attempt: Attempt, _ ticket: TransferTicket, _ priority: ServiceClass
  ) -> Act {
    guard let place = place(of: attempt) else { return .nothing }
    return flights.values[place].begun(ticket, priority)
  }

  /// Whom to tell what. A flight that nobody wanted and somebody wants now is led anew.
  mutating func over(_ attempt: Attempt, _ result: Result<Landing, Failure>)
    -> (tell: Tidings, act: Act)
  {
    guard let place = place(of: attempt) else { return ([], .nothing) }
    switch result {
    case .failure(let failure):
      if failure.kind == .cancelled, case .leaving = flights.values[place].phase {
        return (again(attempt.course), .nothing)
      }
      let late = flights.values[place].passengers.filter { $0.waiter == nil }
      for passenger in late { mail[passenger.number] = .failed(failure) }
      let tidings = flights.values[place].tell(.failed(failure))
      end(place)
      return (tidings, .nothing)
    case .success(let landing):
      if flights.values[place].passengers.isEmpty {
        guard landing.isNamed else {
          end(place)
          return ([], .nothing)
        }
        flights.values[place].phase = .closing
        return ([], .close)
      }
      flights.values[place].phase = .landed(landing)
      return (flights.values[place].tell(.landed(landing)), .nothing)
    }
  }

  /// The landed file's name is gone.
  mutating func closed(_ course: UInt64) -> Tidings {
    guard case .closing = flights[course]?.phase else { return [] }
    return again(course)
  }

  /// Over, unless somebody has come meanwhile: one of those leads.
  private mutating func again(_ course: UInt64) -> Tidings {
    guard let place = flights.index(forKey: course) else { return [] }
    guard let (leader, waiter) = flights.values[place].again(draw()) else {
      end(place)
      return []
    }
    if let waiter { return [(waiter, .lead)] }
    mail[leader] = .lead
    return []
  }

  private func place(of attempt: Attempt) -> Flights.Index? {
    guard let place = flights.index(forKey: attempt.course),
      flights.values[place].number == attempt.number
    else { return nil }
    return place
  }

  /// The photos that each transfer is for.
  func photos() -> [TransferTicket: [PhotoID]] {
    var photos: [TransferTicket: [PhotoID]] = [:]
    for flight in flights.values {
      guard case .flying(let ticket, _) = flight.phase else { continue }
      photos[ticket] = flight.passengers.map(\.photo).sorted {
        ($0.list, $0.number) < ($1.list, $1.number)
      }
    }
    return photos
  }
}
