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

    var priority: ServiceClass? {
      passengers.map(\.priority).min { $0.rawValue < $1.rawValue }
    }

    func place(of number: UInt64) -> Int? { passengers.firstIndex { $0.number == number } }
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
    guard let course = courses[url], let place = flights.index(forKey: course) else {
      let course = draw()
      courses[url] = course
      flights[course] = Flight(url: url, number: draw(), passengers: [passenger])
      return (Seat(course: course, number: passenger.number), .lead, .nothing)
    }
    let seat = Seat(course: course, number: passenger.number)
    flights.values[place].passengers.append(passenger)
    if case .landed(let landing) = flights.values[place].phase {
      return (seat, .landed(landing), .nothing)
    }
    return (seat, nil, Self.adjust(&flights.values[place]))
  }

  /// What is so already; nil keeps the waiter.
  mutating func wait(_ seat: Seat, _ waiter: Waiter) -> Turn? {
    if let turn = mail.removeValue(forKey: seat.number) { return turn }
    guard let place = flights.index(forKey: seat.course),
      let passenger = flights.values[place].place(of: seat.number)
    else { return .failed(.cancelled) }
    if case .landed(let landing) = flights.values[place].phase { return .landed(landing) }
    flights.values[place].passengers[passenger].waiter = waiter
    return nil
  }

  /// Cancelled, or done with what landed.
  mutating func leave(_ seat: Seat) -> (tell: Tidings, act: Act) {
    let mail = mail.removeValue(forKey: seat.number)
    guard let place = flights.index(forKey: seat.course),
      let passenger = flights.values[place].place(of: seat.number)
    else { return ([], .nothing) }
    let waiter = flights.values[place].passengers.remove(at: passenger).waiter
    var tell: Tidings = waiter.map { [($0, .failed(.cancelled))] } ?? []
    var act = Act.nothing
    let isEmpty = flights.values[place].passengers.isEmpty
    switch flights.values[place].phase {
    case .flying(let ticket, _) where isEmpty:
      flights.values[place].phase = .leaving
      act = .cancel(ticket)
    case .flying: act = Self.adjust(&flights.values[place])
    case .landed(let landing) where isEmpty:
      guard landing.isNamed else {
        end(place)
        return (tell, .nothing)
      }
      flights.values[place].phase = .closing
      act = .close
    case .opening, .leaving, .landed, .closing: break
    }
    // It was to lead and does not know yet.
    if case .lead = mail { tell += again(seat.course) }
    return (tell, act)
  }

  /// Whether nobody else wants what landed: the file itself may be taken, and nobody boards until
  /// `closed`.
  mutating func takeAlone(_ seat: Seat) -> Bool {
    guard let place = flights.index(forKey: seat.course),
      case .landed = flights.values[place].phase, flights.values[place].passengers.count == 1,
      flights.values[place].passengers[0].number == seat.number
    else { return false }
    flights.values[place].passengers = []
    flights.values[place].phase = .closing
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
  func attempt(of seat: Seat) -> (attempt: Attempt, priority: ServiceClass)? {
    guard let flight = flights[seat.course], case .opening = flight.phase else { return nil }
    return (Attempt(course: seat.course, number: flight.number), flight.priority ?? .default)
  }

  /// The network has been asked, with this priority. It may be over already.
  mutating func begun(
    _ attempt: Attempt, _ ticket: TransferTicket, _ priority: ServiceClass
  ) -> Act {
    guard let place = flights.index(forKey: attempt.course),
      flights.values[place].number == attempt.number,
      case .opening = flights.values[place].phase
    else { return .nothing }
    if flights.values[place].passengers.isEmpty {
      flights.values[place].phase = .leaving
      return .cancel(ticket)
    }
    flights.values[place].phase = .flying(ticket, priority)
    return Self.adjust(&flights.values[place])
  }

  /// Whom to tell what. A flight that nobody wanted and somebody wants now is led anew.
  mutating func over(_ attempt: Attempt, _ result: Result<Landing, Failure>)
    -> (tell: Tidings, act: Act)
  {
    guard let place = flights.index(forKey: attempt.course),
      flights.values[place].number == attempt.number
    else { return ([], .nothing) }
    switch result {
    case .failure(let failure):
      if failure.kind == .cancelled, case .leaving = flights.values[place].phase {
        return (again(attempt.course), .nothing)
      }
      for passenger in flights.values[place].passengers where passenger.waiter == nil {
        mail[passenger.number] = .failed(failure)
      }
      let tidings = tell(place, .failed(failure))
      end(place)
      return (tidings, .nothing)
    case .success(let landing):
      if flights.values[place].passengers.isEmpty {
        if landing.isNamed {
          flights.values[place].phase = .closing
          return ([], .close)
        }
        end(place)
        return ([], .nothing)
      }
      flights.values[place].phase = .landed(landing)
      return (tell(place, .landed(landing)), .nothing)
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
    guard let leader = flights.values[place].passengers.first else {
      end(place)
      return []
    }
    flights.values[place].number = draw()
    flights.values[place].phase = .opening
    flights.values[place].passengers[0].waiter = nil
    if let waiter = leader.waiter { return [(waiter, .lead)] }
    mail[leader.number] = .lead
    return []
  }

  /// All who wait; they do no more.
  private mutating func tell(_ place: Flights.Index, _ turn: Turn) -> Tidings {
    var tidings: Tidings = []
    for passenger in flights.values[place].passengers.indices {
      guard let waiter = flights.values[place].passengers[passenger].waiter.take() else { continue }
      tidings.append((waiter, turn))
    }
    return tidings
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
