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

    /// Worth a look, whatever the time is.
    var isReady: Bool { !isPaused && (!isExhausted || !returned.isEmpty) }
  }

  private(set) var lines: [ListID: Line] = [:]
  /// Lists that may have a photo to give, by class; whoever was served goes to the end. A list with
  /// nothing to give leaves, so that thousands of them cost no look when a photo is done.
  private var turns = [[ListID]](repeating: [], count: ServiceClass.allCases.count)
  private var inTurn: Set<ListID> = []
  /// Lists that have nothing left to do; lists with photos that wait for another attempt.
  private var settled: Set<ListID> = []
  private var expectant: Set<ListID> = []
  /// No photo is due earlier than this.
  private var earliest: Duration?
  private var given = 0
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
    put(line, list)
  }

  package mutating func pause(_ list: ListID) { lines[list]?.isPaused = true }

  package mutating func resume(_ list: ListID) {
    guard var line = lines.removeValue(forKey: list) else { return }
    line.isPaused = false
    put(line, list)
  }

  /// The list is given up or finished; what is in flight still comes back.
  package mutating func drop(_ list: ListID) {
    guard let line = lines.removeValue(forKey: list) else { return }
    settled.remove(list)
    expectant.remove(list)
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
    awaken(now)
    let isForTheLeast = given % 8 == 7
    let classes = ServiceClass.allCases.indices
    for place in isForTheLeast ? Array(classes.reversed()) : Array(classes) {
      while let list = turns[place].first {
        turns[place].removeFirst()
        guard let number = take(from: list, now: now, after: after) else {
          inTurn.remove(list)
          continue
        }
        turns[place].append(list)
        given += 1
        inFlight += 1
        return (PhotoID(list: list, number: number), ServiceClass.allCases[place])
      }
    }
    return nil
  }

  /// Lists with a photo that is due take their turn again.
  private mutating func awaken(_ now: Duration) {
    guard let first = earliest, first <= now else { return }
    for list in expectant {
      guard let line = lines[list], !line.isPaused, let due = line.waiting.firstDue, due <= now
      else { continue }
      enter(list, line.serviceClass)
    }
    earliest = expectant.compactMap { lines[$0]?.waiting.firstDue }.filter { $0 > now }.min()
  }

  private mutating func enter(_ list: ListID, _ serviceClass: ServiceClass) {
    if inTurn.insert(list).inserted { turns[Int(serviceClass.rawValue)].append(list) }
  }

  /// The line is taken out while it changes: a second owner would copy all that waits in it.
  private mutating func take(
    from list: ListID, now: Duration, after: (ListID, UInt32) -> UInt32?
  ) -> UInt32? {
    guard lines[list]?.isPaused == false, var line = lines.removeValue(forKey: list) else {
      return nil
    }
    defer { put(line, list, entering: false) }
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
    guard holds(photo), var line = lines.removeValue(forKey: photo.list) else { return }
    line.inFlight.remove(photo.number)
    inFlight -= 1
    switch end {
    case .filtered, .failed: break
    case .stopped, .machineTrouble: line.returned.append(photo.number)
    case .retry(let delay): line.waiting.insert(photo.number, due: now + delay)
    }
    put(line, photo.list)
  }

  private mutating func put(_ line: Line, _ list: ListID, entering: Bool = true) {
    if line.isDone { settled.insert(list) } else { settled.remove(list) }
    if let due = line.waiting.firstDue {
      expectant.insert(list)
      earliest = min(earliest ?? due, due)
    } else {
      expectant.remove(list)
    }
    if entering, line.isReady { enter(list, line.serviceClass) }
    lines[list] = line
  }

  /// Lists with nothing left to do, until they are dropped.
  package var doneLists: [ListID] { settled.sorted() }

  /// When the next waiting photo is due, paused lists left aside. Nil while there is no room for it:
  /// whoever makes room looks again, and an alarm would ring for nothing, again and again.
  package var nextDue: Duration? {
    guard !isHeld, inFlight < window, earliest != nil else { return nil }
    return expectant.compactMap { lines[$0] }.filter { !$0.isPaused }
      .compactMap(\.waiting.firstDue).min()
  }
}
