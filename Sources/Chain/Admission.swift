// SPDX-License-Identifier: Apache-2.0
// Which photo becomes a chain next. A plain value: no clock, no lock, no I/O. All photos outside the
// window are rows in the record; here a list costs a cursor and what it has in flight or waiting.
//
// Fairness: the most urgent class first, lists of one class in turn; of `window` slots given out one
// in eight goes to the least urgent class that waits, so that nobody starves.

package import Vocabulary

package struct Admission: Sendable {
  /// A list at work.
  struct Line: Sendable {
    let serviceClass: ServiceClass
    /// Photos up to here were looked at.
    var cursor: UInt32 = 0
    var isExhausted = false
    var isPaused = false
    var inFlight: Set<UInt32> = []
    /// Came back unfinished; goes before new ones.
    var returned: [UInt32] = []
    /// Waiting for another attempt.
    var waiting = DueQueue()

    var isDone: Bool {
      isExhausted && inFlight.isEmpty && returned.isEmpty && waiting.isEmpty
    }
  }

  private(set) var lines: [ListID: Line] = [:]
  /// The order within a class: whoever was served goes to the end.
  private var turns: [ListID] = []
  private var given = 0
  /// Lists that have nothing left to do; lists with photos that wait for another attempt. Kept, so that
  /// nothing is looked for among thousands of lists whenever a photo is done.
  private var settled: Set<ListID> = []
  private var expectant: Set<ListID> = []
  private(set) var inFlight = 0
  package var window: Int
  /// Nothing is admitted while this machine is in trouble or stopping.
  package var isHeld = false

  package init(window: Int) { self.window = window }

  // MARK: lists

  package mutating func add(
    _ list: ListID, _ serviceClass: ServiceClass, isPaused: Bool,
    waiting: [(number: UInt32, due: Duration)]
  ) {
    guard lines[list] == nil else { return }
    var line = Line(serviceClass: serviceClass)
    line.isPaused = isPaused
    for (number, due) in waiting { line.waiting.insert(number, due: due) }
    turns.append(list)
    put(line, list)
  }

  package mutating func pause(_ list: ListID) { lines[list]?.isPaused = true }
  package mutating func resume(_ list: ListID) { lines[list]?.isPaused = false }

  /// The list is given up or finished; what is in flight still comes back.
  package mutating func drop(_ list: ListID) {
    guard let line = lines.removeValue(forKey: list) else { return }
    settled.remove(list)
    expectant.remove(list)
    turns.removeAll { $0 == list }
    inFlight -= line.inFlight.count
  }

  package func isPaused(_ list: ListID) -> Bool { lines[list]?.isPaused ?? false }
  package func holds(_ photo: PhotoID) -> Bool {
    lines[photo.list]?.inFlight.contains(photo.number) ?? false
  }

  // MARK: photos

  /// Takes the next photo into the window, or says that there is none now.
  /// - Parameter after: the first unfinished photo behind a number, from the record.
  package mutating func next(
    now: Duration, after: (ListID, UInt32) -> UInt32?
  ) -> (photo: PhotoID, serviceClass: ServiceClass)? {
    guard !isHeld, inFlight < window else { return nil }
    let isForTheLeast = given % 8 == 7
    for serviceClass in isForTheLeast ? ServiceClass.allCases.reversed() : ServiceClass.allCases {
      for (place, list) in turns.enumerated() where lines[list]?.serviceClass == serviceClass {
        guard let number = take(from: list, now: now, after: after) else { continue }
        turns.append(turns.remove(at: place))
        given += 1
        inFlight += 1
        return (PhotoID(list: list, number: number), serviceClass)
      }
    }
    return nil
  }

  private mutating func take(
    from list: ListID, now: Duration, after: (ListID, UInt32) -> UInt32?
  ) -> UInt32? {
    guard var line = lines[list], !line.isPaused else { return nil }
    defer { put(line, list) }
    let number: UInt32
    if let due = line.waiting.take(now: now) {
      number = due
    } else if !line.returned.isEmpty {
      number = line.returned.removeFirst()
    } else if let fresh = fresh(in: list, &line, after: after) {
      number = fresh
    } else {
      return nil
    }
    line.inFlight.insert(number)
    return number
  }

  private func fresh(
    in list: ListID, _ line: inout Line, after: (ListID, UInt32) -> UInt32?
  ) -> UInt32? {
    while !line.isExhausted {
      guard let number = after(list, line.cursor) else {
        line.isExhausted = true
        return nil
      }
      line.cursor = number
      let isElsewhere =
        line.inFlight.contains(number) || line.returned.contains(number)
        || line.waiting.contains(number)
      if !isElsewhere { return number }
    }
    return nil
  }

  /// A chain has ended; its place in the window is free.
  package mutating func ended(_ photo: PhotoID, _ end: PhotoChain.End, now: Duration) {
    guard var line = lines[photo.list], line.inFlight.remove(photo.number) != nil else { return }
    inFlight -= 1
    switch end {
    case .filtered, .failed: break
    case .stopped, .machineTrouble: line.returned.append(photo.number)
    case .retry(let delay): line.waiting.insert(photo.number, due: now + delay)
    }
    put(line, photo.list)
  }

  private mutating func put(_ line: Line, _ list: ListID) {
    lines[list] = line
    if line.isDone { settled.insert(list) }
    if line.waiting.isEmpty { expectant.remove(list) } else { expectant.insert(list) }
  }

  /// Lists with nothing left to do, until they are dropped.
  package var doneLists: [ListID] { settled.sorted() }

  /// When the next waiting photo is due, paused lists left aside.
  package var nextDue: Duration? {
    expectant.compactMap { lines[$0] }.filter { !$0.isPaused }.compactMap(\.waiting.firstDue).min()
  }
}
