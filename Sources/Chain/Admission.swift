// SPDX-License-Identifier: Apache-2.0
// Which photo becomes a chain next. A plain value: no clock, no lock, no I/O; where it has to know of
// which server or class a photo is, it asks. All photos outside the window are rows in the record; here
// a list costs a cursor, what it has in flight or waiting, and a bounded number that wait for a server.
//
// Fairness: the most urgent class first, lines of one class in turn; of `window` slots given out one
// in eight goes to the least urgent class that waits, so that nobody starves. At each server it is the
// same (`HostWindows`): a slow or dead one holds its own photos up and no others.

package import Vocabulary

package struct Admission: Sendable {
  package enum Step: Equatable, Sendable {
    /// Say of the photo what `learn` wants, and ask again.
    case ask(PhotoID)
    case give(Admitted)
  }

  package struct Admitted: Equatable, Sendable {
    package let photo: PhotoID
    package let serviceClass: ServiceClass
    /// Its server has been closed for too long: it is given up without an attempt.
    package let lost: LostHost?
  }

  package struct LostHost: Equatable, Sendable {
    package let name: String
    package let closure: HostWindow.Closure
  }

  /// What is to be done for a photo that came back from its server.
  package struct Reply: Equatable, Sendable {
    package var news: HostNews?
    /// The server asked to be left alone until then; the attempt does not count.
    package var gate: Duration?
  }

  package struct HostNews: Equatable, Sendable {
    package let name: String
    package let news: HostWindow.News
  }

  /// So many photos that turn out to be of another line are passed before others have their turn.
  private static let longestSearch = 64
  /// So many photos wait for the transfers of others.
  package static let mostCompanions = 32

  var lines: [LineKey: Line] = [:]
  var keys: [ListID: [LineKey]] = [:]
  var hosts: HostWindows
  /// Lines that may have a photo to give, by class; whoever was served goes to the end. A line with
  /// nothing to give leaves, so that thousands of them cost no look when a photo is done.
  private var turns = [[LineKey]](repeating: [], count: ServiceClass.allCases.count)
  private var inTurn: Set<LineKey> = []
  /// Lists that have nothing left to do; lines with photos that wait for another attempt.
  private var settled: Set<ListID> = []
  var expectant: Set<LineKey> = []
  /// No photo is due earlier than this.
  var earliest: Duration?
  private var asking: LineKey?
  /// URLs that photos with a place at their server are on the way for, probes left aside, and how many
  /// such photos.
  var flying: [Int: Int] = [:]
  var companions = 0
  var passed = 0
  private var given = 0
  private(set) var inFlight = 0
  /// How often a line was looked at: for whoever wants to know that none is for nothing.
  private(set) var looks = 0
  package var window: Int
  /// Nothing is admitted while this machine is in trouble or stopping.
  package var isHeld = false

  package init(window: Int, hosts: HostWindows = HostWindows()) {
    self.window = window
    self.hosts = hosts
  }

  // MARK: lists

  package mutating func add(_ list: ListID, _ lineup: Lineup, isPaused: Bool, now: Duration) {
    guard keys[list] == nil else { return }
    keys[list] = lineup.parts.map { LineKey(list, own: $0.own) }
    for part in lineup.parts {
      var line = Line(part.own ?? lineup.serviceClass, first: part.first, last: part.last)
      line.isPaused = isPaused
      for (number, due) in part.waiting { line.waiting.insert(number, due: due) }
      put(line, LineKey(list, own: part.own))
    }
  }

  package mutating func pause(_ list: ListID, now: Duration) {
    for key in keys[list] ?? [] {
      guard var line = lines.removeValue(forKey: key) else { continue }
      line.isPaused = true
      for host in line.aside.hosts { hosts.leave(host, key, now: now) }
      put(line, key)
    }
    enterRung()
  }

  package mutating func resume(_ list: ListID, now: Duration) {
    for key in keys[list] ?? [] {
      guard var line = lines.removeValue(forKey: key) else { continue }
      line.isPaused = false
      for host in line.aside.hosts { hosts.join(host, key, line.serviceClass, now: now) }
      put(line, key)
    }
    enterRung()
  }

  /// The list is given up or finished; what is in flight still comes back, but not here.
  package mutating func drop(_ list: ListID, now: Duration) {
    settled.remove(list)
    for key in keys.removeValue(forKey: list) ?? [] {
      guard let line = lines.removeValue(forKey: key) else { continue }
      expectant.remove(key)
      inFlight -= line.inFlight.count
      for host in line.aside.hosts { hosts.leave(host, key, now: now) }
      for seat in line.inFlight.values { _ = leave(seat, .unknown, now: now, jitter: 0) }
      if asking == key { asking = nil }
    }
    enterRung()
  }

  package func isPaused(_ list: ListID) -> Bool {
    keys[list]?.contains { lines[$0]?.isPaused == true } ?? false
  }

  package func holds(_ photo: PhotoID) -> Bool { key(of: photo) != nil }

  private func key(of photo: PhotoID) -> LineKey? {
    keys[photo.list]?.first { lines[$0]?.inFlight[photo.number] != nil }
  }

  // MARK: photos

  /// Takes the next photo into the window, asks what has to be known of one, or says that there is none
  /// now.
  /// - Parameter after: the first unfinished photo behind a number, from the record.
  package mutating func next(now: Duration, after: (ListID, UInt32) -> UInt32?) -> Step? {
    guard !isHeld, inFlight < window else { return nil }
    awaken(now)
    let isForTheLeast = given % 8 == 7
    let classes = ServiceClass.allCases.indices
    for place in isForTheLeast ? Array(classes.reversed()) : Array(classes) {
      while let key = turns[place].first {
        looks += 1
        switch look(at: key, now: now, after: after) {
        case .ask(let number):
          yieldLongSearch(place)
          asking = key
          return .ask(PhotoID(list: key.list, number: number))
        case .give(let number, let lost):
          turns[place].removeFirst()
          turns[place].append(key)
          enterRung()
          given += 1
          inFlight += 1
          return .give(
            Admitted(
              photo: PhotoID(list: key.list, number: number),
              serviceClass: ServiceClass.allCases[place], lost: lost))
        case .again: enterRung()
        case .nothing:
          turns[place].removeFirst()
          inTurn.remove(key)
          // Rung for while it was looked at.
          enterRung()
        }
      }
    }
    return nil
  }

  /// What was asked for.
  package mutating func learn(_ photo: PhotoID, _ prospect: Prospect) {
    guard let key = asking, key.list == photo.list,
      lines[key]?.candidate?.number == photo.number
    else { return }
    asking = nil
    lines[key]?.candidate?.prospect = prospect
  }

  /// A line that finds nothing but photos of others lets the rest of its class go on.
  private mutating func yieldLongSearch(_ place: Int) {
    guard passed >= Self.longestSearch else { return }
    passed = 0
    turns[place].append(turns[place].removeFirst())
  }

  /// Lines with a photo that is due, or whose server may be asked again, take their turn.
  private mutating func awaken(_ now: Duration) {
    hosts.awaken(now: now)
    enterRung()
    guard let first = earliest, first <= now else { return }
    for key in expectant {
      guard let line = lines[key], !line.isPaused, let due = line.waiting.firstDue, due <= now
      else { continue }
      enter(key, line.serviceClass)
    }
    earliest = expectant.compactMap { lines[$0]?.waiting.firstDue }.filter { $0 > now }.min()
  }

  private mutating func enter(_ key: LineKey, _ serviceClass: ServiceClass) {
    if inTurn.insert(key).inserted { turns[Int(serviceClass.rawValue)].append(key) }
  }

  mutating func enterRung() {
    for key in hosts.takeRung() {
      if let line = lines[key] { enter(key, line.serviceClass) }
    }
  }

  // MARK: what becomes of photos

  /// It is known what the photo's server answers; its place there is free. Nil where it has none.
  package mutating func answered(
    _ photo: PhotoID, _ outcome: HostWindow.Outcome, now: Duration, jitter: Double
  ) -> Reply? {
    guard let key = key(of: photo), let seat = lines[key]?.inFlight[photo.number],
      let host = seat.host, var line = lines.removeValue(forKey: key)
    else { return nil }
    line.inFlight[photo.number] = Seat()
    var reply = Reply()
    reply.news = leave(seat, outcome, now: now, jitter: jitter)
    if case .failed(let failure) = outcome, failure.waitSeconds != nil,
      let gate = hosts.closure(of: host)?.gate
    {
      // One that its server never wants, while it answers others, does not wait for ever.
      let since = line.patient[photo.number] ?? now
      line.patient[photo.number] = since
      if now - since < hosts.patience { reply.gate = gate }
    }
    put(line, key)
    enterRung()
    return reply
  }

  private mutating func leave(
    _ seat: Seat, _ outcome: HostWindow.Outcome, now: Duration, jitter: Double
  ) -> HostNews? {
    if seat.isCompanion {
      companions -= 1
      return nil
    }
    if let url = seat.url {
      let left = (flying[url] ?? 1) - 1
      flying[url] = left > 0 ? left : nil
    }
    guard let host = seat.host else { return nil }
    return hosts.end(host, outcome, isProbe: seat.isProbe, now: now, jitter: jitter)
      .map { HostNews(name: host, news: $0) }
  }

  /// A chain has ended; its place in the window is free.
  package mutating func ended(_ photo: PhotoID, _ end: PhotoChain.End, now: Duration) {
    guard let key = key(of: photo), var line = lines.removeValue(forKey: key) else { return }
    if let seat = line.inFlight.removeValue(forKey: photo.number) {
      _ = leave(seat, .unknown, now: now, jitter: 0)
    }
    inFlight -= 1
    switch end {
    case .filtered, .failed: line.patient[photo.number] = nil
    case .stopped, .machineTrouble: line.returned.append(photo.number)
    case .retry(let delay): line.waiting.insert(photo.number, due: now + delay)
    }
    put(line, key)
    enterRung()
  }

  mutating func put(_ line: Line, _ key: LineKey, entering: Bool = true) {
    if let due = line.waiting.firstDue {
      expectant.insert(key)
      earliest = min(earliest ?? due, due)
    } else {
      expectant.remove(key)
    }
    if entering, line.isReady || (!line.isPaused && hosts.call(for: key) != nil) {
      enter(key, line.serviceClass)
    }
    lines[key] = line
    let isDone = line.isDone && keys[key.list]?.allSatisfy { lines[$0]?.isDone ?? false } == true
    if isDone { settled.insert(key.list) } else { settled.remove(key.list) }
  }

  // MARK: ends

  /// Lists with nothing left to do, until they are dropped.
  package var doneLists: [ListID] { settled.sorted() }

  /// When the next waiting photo is due or the next server may be asked, paused lists left aside. Nil
  /// while there is no room: whoever makes room looks again, and an alarm would ring for nothing, again
  /// and again.
  package var nextDue: Duration? {
    guard !isHeld, inFlight < window else { return nil }
    guard earliest != nil else { return hosts.nextGate }
    let due = expectant.compactMap { lines[$0] }.filter { !$0.isPaused }
      .compactMap(\.waiting.firstDue).min()
    return [due, hosts.nextGate].compactMap { $0 }.min()
  }
}
