// SPDX-License-Identifier: Apache-2.0
// One transfer for each URL, however many want it: who waits for which, and what is to be done for them.
// A flight belongs to nobody's task; it is given up when the last who waits has left. A value: the
// object around it performs the answers after unlocking. Every photo passes through here several times:
// its URL is looked up when somebody comes and when the last has gone, places do for the rest.
//
//   opening → flying → landed → closing → over
//      │        │                    ↑
//      └────────┴→ leaving ──────────┴→ over, or opening again for whoever has come since

import Vocabulary

struct FlightTable {
  /// All attempts at one URL, as long as anybody wants it. The place is another's afterwards.
  struct Course: Hashable {
    fileprivate let place: Int
    fileprivate let number: UInt64
  }

  /// One who waits.
  struct Seat: Hashable {
    let course: Course
    let number: UInt64
  }

  /// One attempt of a course.
  struct Attempt: Hashable {
    let course: Course
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
    let url: PhotoURL
    let course: UInt64
    /// Of the attempt.
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

    mutating func land(_ landing: Landing) -> (tell: Tidings, act: Act, isOver: Bool) {
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

  /// Nil where nobody flies now; those places are in `free`.
  private var flights: [Flight?] = []
  private var free: [Int] = []
  private var courses: [PhotoURL: Course] = [:]
  /// For those who do not wait yet and whose flight cannot tell them, by the numbers of their seats.
  private var mail: [UInt64: Turn] = [:]
  private var last: UInt64 = 0

  var isEmpty: Bool { courses.isEmpty && mail.isEmpty }
  func isFlying(_ url: PhotoURL) -> Bool { courses[url] != nil }

  private mutating func draw() -> UInt64 {
    last += 1
    return last
  }

  private mutating func begin(_ url: PhotoURL, _ passenger: Passenger) -> Course {
    let place = free.popLast() ?? flights.count
    if place == flights.count { flights.append(nil) }
    let course = Course(place: place, number: draw())
    flights[place] = Flight(
      url: url, course: course.number, number: draw(), passengers: [passenger])
    courses[url] = course
    return course
  }

  private mutating func end(_ course: Course) {
    guard let url = flights[course.place]?.url else { return }
    courses[url] = nil
    flights[course.place] = nil
    free.append(course.place)
  }

  private func isOver(_ course: Course) -> Bool { flights[course.place]?.course != course.number }

  // MARK: passengers

  /// With the turn that is known at once, if any.
  mutating func board(_ photo: PhotoID, _ url: PhotoURL, _ priority: ServiceClass)
    -> (seat: Seat, turn: Turn?, act: Act)
  {
    let passenger = Passenger(number: draw(), photo: photo, priority: priority)
    guard let course = courses[url] else {
      return (Seat(course: begin(url, passenger), number: passenger.number), .lead, .nothing)
    }
    let (turn, act) = flights[course.place]?.join(passenger) ?? (.failed(.cancelled), .nothing)
    return (Seat(course: course, number: passenger.number), turn, act)
  }

  /// What is so already; nil keeps the waiter.
  mutating func wait(_ seat: Seat, _ waiter: Waiter) -> Turn? {
    if !mail.isEmpty, let turn = mail.removeValue(forKey: seat.number) { return turn }
    if isOver(seat.course) { return .failed(.cancelled) }
    return flights[seat.course.place]?.wait(seat.number, waiter)
  }

  /// Cancelled, or done with what landed.
  mutating func leave(_ seat: Seat) -> (tell: Tidings, act: Act) {
    let mail = mail.isEmpty ? nil : mail.removeValue(forKey: seat.number)
    guard !isOver(seat.course),
      let left = flights[seat.course.place]?.leave(seat.number)
    else { return ([], .nothing) }
    if left.isOver { end(seat.course) }
    var tell: Tidings = left.waiter.map { [($0, .failed(.cancelled))] } ?? []
    // It was to lead and does not know yet.
    if case .lead = mail { tell += again(seat.course) }
    return (tell, left.act)
  }

  /// Whether nobody else wants what landed: the file itself may be taken, and nobody boards until
  /// `closed`.
  mutating func takeAlone(_ seat: Seat) -> Bool {
    !isOver(seat.course) && flights[seat.course.place]?.takeAlone(seat.number) == true
  }

  // MARK: flights

  /// What its leader needs to know.
  func attempt(of seat: Seat) -> (attempt: Attempt, priority: ServiceClass)? {
    guard !isOver(seat.course), let flight = flights[seat.course.place],
      case .opening = flight.phase
    else { return nil }
    return (Attempt(course: seat.course, number: flight.number), flight.priority ?? .default)
  }

  /// The network has been asked, with this priority. It may be over already.
  mutating func begun(
    _ attempt: Attempt, _ ticket: TransferTicket, _ priority: ServiceClass
  ) -> Act {
    guard isNow(attempt) else { return .nothing }
    return flights[attempt.course.place]?.begun(ticket, priority) ?? .nothing
  }

  /// Whom to tell what. A flight that nobody wanted and somebody wants now is led anew.
  mutating func over(_ attempt: Attempt, _ result: Result<Landing, Failure>)
    -> (tell: Tidings, act: Act)
  {
    guard isNow(attempt) else { return ([], .nothing) }
    let course = attempt.course
    switch result {
    case .failure(let failure):
      if failure.kind == .cancelled, case .leaving = flights[course.place]?.phase {
        return (again(course), .nothing)
      }
      let late = flights[course.place]?.passengers.filter { $0.waiter == nil } ?? []
      for passenger in late { mail[passenger.number] = .failed(failure) }
      let tidings = flights[course.place]?.tell(.failed(failure)) ?? []
      end(course)
      return (tidings, .nothing)
    case .success(let landing):
      let (tidings, act, isOver) = flights[course.place]?.land(landing) ?? ([], .nothing, true)
      if isOver { end(course) }
      return (tidings, act)
    }
  }

  /// The landed file's name is gone.
  mutating func closed(_ course: Course) -> Tidings {
    guard !isOver(course), case .closing = flights[course.place]?.phase else { return [] }
    return again(course)
  }

  /// Over, unless somebody has come meanwhile: one of those leads.
  private mutating func again(_ course: Course) -> Tidings {
    let number = draw()
    if isOver(course) { return [] }
    guard let (leader, waiter) = flights[course.place]?.again(number) else {
      end(course)
      return []
    }
    if let waiter { return [(waiter, .lead)] }
    mail[leader] = .lead
    return []
  }

  private func isNow(_ attempt: Attempt) -> Bool {
    !isOver(attempt.course) && flights[attempt.course.place]?.number == attempt.number
  }

  /// The photos that each transfer is for.
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
