// SPDX-License-Identifier: Apache-2.0
// Viewers, owners, lists and one origin around an admission, in simulated time. Viewers name photos, renew,
// look elsewhere and leave at any time; lists are paused and change their class. The origin counts the bytes
// that it sends: some of its answers can be continued, others cannot.

import Support
import Vocabulary

@testable import Chain

struct FocusWorld {
  private struct Trip {
    let photo: PhotoID
    let host: String
    let begin: Duration
    let end: Duration
    /// Bytes that came before this trip.
    let offset: Int
    let isResumable: Bool

    var order: UInt64 { photo.list.number << 32 | UInt64(photo.number) }
  }

  private struct Shelf {
    var received = 0
    var sent = 0
    var isDone = false
  }

  private static let size = 1000

  var admission: Admission
  private(set) var now = Duration.zero
  private(set) var violations: [String] = []
  private(set) var moved = 0
  private(set) var given = 0
  private var random: SplitMix
  private var shelves: [ListID: [Shelf]] = [:]
  private var trips: [PhotoID: Trip] = [:]
  private var leases: [FocusBoard.Viewer: (photos: Set<UInt32>, until: Duration)] = [:]
  private var paused: Set<ListID> = []
  private let window: Int
  private let reserve: Int
  private let most: Int

  /// The rest, for a failure.
  var story: String {
    let lines = admission.lines.filter { !$0.value.isDone }.map { key, line in
      "\(key) still \(line.isStill) flight \(line.inFlight.keys.sorted()) back \(line.returned) "
        + "hosts \(line.forHost.count) exhausted \(line.isExhausted) call \(admission.hosts.call(for: key) as Any)"
    }
    return "\(now) trips \(trips.keys) window \(window) flight \(admission.inFlight) \(lines)"
  }

  var left: Int { shelves.values.reduce(0) { $0 + $1.count { !$0.isDone } } }

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    window = Int.random(in: 2...20, using: &random)
    most = Int.random(in: 1...6, using: &random)
    reserve = Int.random(in: 0...4, using: &random)
    admission = Admission(
      window: window, reserve: reserve, kept: Int.random(in: 0...window / 4, using: &random),
      hosts: HostWindows(HostLimits(most: most)))
    for number in 1...UInt64(Int.random(in: 1...6, using: &random)) {
      let list = ListID(number)
      let serviceClass = ServiceClass.allCases.randomElement(using: &random) ?? .default
      shelves[list] = [Shelf](repeating: Shelf(), count: Int.random(in: 1...200, using: &random))
      admission.add(
        list, ListLines(serviceClass, owner: UInt32.random(in: 1...3, using: &random)),
        isPaused: false, now: .zero)
    }
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func run() {
    for event in 0..<200_000 where violations.isEmpty {
      if event % 3 == 0, left > 0 { meddle() }
      pump()
      makeRoom()
      check()
      for list in admission.doneLists { drop(list) }
      let dues = [trips.values.map(\.end).min(), admission.nextDue, admission.focus.nextEnd]
      guard let next = dues.compactMap({ $0 }).min() else {
        if paused.isEmpty { return }
        for list in paused.sorted() { pause(list, false) }
        continue
      }
      // Also between two events, so that photos wait for their patience.
      now = min(max(now, next), now + .milliseconds(Int64.random(in: 1...400, using: &random)))
      land()
    }
  }

  private mutating func drop(_ list: ListID) {
    admission.drop(list, now: now)
    leases = leases.filter { $0.key.list != list }
  }

  private mutating func pump() {
    while true {
      switch admission.next(now: now) {
      case nil: return
      case .seek(let list, let after):
        let rest = shelves[list, default: []].indices.dropFirst(Int(after))
        admission.sought(
          list, rest.first { shelves[list]?[$0].isDone == false }.map { UInt32($0 + 1) })
      case .ask(let photo): admission.learn(photo, prospect(photo))
      case .give(let admitted): depart(admitted.photo)
      }
    }
  }

  private func prospect(_ photo: PhotoID) -> Admission.Prospect {
    let shelf = shelf(photo)
    return Admission.Prospect(
      host: shelf == nil ? nil : host(of: photo), isDone: shelf?.isDone ?? true)
  }

  private func host(of photo: PhotoID) -> String { photo.number % 3 == 0 ? "other" : "origin" }

  private func shelf(_ photo: PhotoID) -> Shelf? {
    let place = Int(photo.number) - 1
    guard let all = shelves[photo.list], all.indices.contains(place) else { return nil }
    return all[place]
  }

  private mutating func depart(_ photo: PhotoID) {
    given += 1
    if trips[photo] != nil { violations.append("\(photo) is on the way twice") }
    if shelf(photo)?.isDone != false { violations.append("\(photo) is given again") }
    let time = Duration.milliseconds(Int64.random(in: 5...3000, using: &random))
    trips[photo] = Trip(
      photo: photo, host: host(of: photo), begin: now, end: now + time,
      offset: shelf(photo)?.received ?? 0, isResumable: !chance(3))
  }

  /// The bytes that the origin has sent by now.
  private func sent(_ trip: Trip) -> Int {
    let part = max(0, min(1, (now - trip.begin) / (trip.end - trip.begin)))
    return Int(Double(Self.size - trip.offset) * part)
  }

  private mutating func makeRoom() {
    admission.focus.expire(now)
    leases = leases.filter { $0.value.until > now }
    let movables = trips.values.sorted { $0.order < $1.order }.map { trip in
      Admission.Movable(
        trip.photo, admitted: trip.begin, trip.isResumable ? .transfers : .settled)
    }
    for photo in admission.makeRoom(movables, now: now) {
      guard let trip = trips.removeValue(forKey: photo) else {
        violations.append("\(photo) makes room, and has none")
        continue
      }
      moved += 1
      let bytes = sent(trip)
      shelves[photo.list]?[Int(photo.number) - 1].sent += bytes
      if trip.isResumable { shelves[photo.list]?[Int(photo.number) - 1].received += bytes }
      admission.ended(photo, .stopped, now: now)
    }
  }

  private mutating func land() {
    for trip in trips.values.filter({ $0.end <= now }).sorted(by: { $0.order < $1.order }) {
      trips[trip.photo] = nil
      let place = Int(trip.photo.number) - 1
      shelves[trip.photo.list]?[place].sent += Self.size - trip.offset
      shelves[trip.photo.list]?[place].isDone = true
      let sent = shelf(trip.photo)?.sent ?? 0
      if sent != Self.size { violations.append("\(trip.photo): the origin sent \(sent) bytes") }
      _ = admission.answered(trip.photo, .answered, now: now, jitter: 0)
      admission.ended(trip.photo, .filtered, now: now)
    }
  }

  private mutating func meddle() {
    guard let list = shelves.keys.sorted().randomElement(using: &random),
      shelves[list]?.contains(where: { !$0.isDone }) == true
    else { return }
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4: look(list)
    case 5:
      if let viewer = leases.keys.min(by: { ($0.list, $0.name) < ($1.list, $1.name) }) {
        leases[viewer] = nil
        if !admission.endFocus(viewer) { violations.append("\(viewer) had no lease") }
      }
    case 6:
      admission.setClass(
        ServiceClass.allCases.randomElement(using: &random) ?? .default, of: list, now: now)
    case 7 where chance(3): pause(list, true)
    default: pause(list, false)
    }
  }

  private mutating func look(_ list: ListID) {
    let first = UInt32.random(in: 1...UInt32(shelves[list]?.count ?? 1), using: &random)
    let photos = Array(first...(first + UInt32.random(in: 0...20, using: &random)))
    let name = OutsideText(checked: "\(Int.random(in: 0..<20, using: &random))")
    let viewer = FocusBoard.Viewer(list, user: 1, name: name)
    let until = now + .milliseconds(Int64.random(in: 1...20_000, using: &random))
    do throws(Failure) {
      try admission.setFocus(viewer, photos, until: until, now: now)
      leases[viewer] = (Set(photos), until)
    } catch {
      let own = leases.keys.count { $0.list == list }
      if own < FocusBoard.mostOfList { violations.append("\(viewer) is refused: \(error)") }
    }
  }

  private mutating func pause(_ list: ListID, _ isOn: Bool) {
    if isOn { paused.insert(list) } else { paused.remove(list) }
    if isOn { admission.pause(list, now: now) } else { admission.resume(list, now: now) }
  }

  private mutating func check() {
    if trips.count > window + reserve {
      violations.append("\(trips.count) photos in a window of \(window) and \(reserve)")
    }
    for (host, count) in Dictionary(grouping: trips.values, by: \.host).mapValues(\.count)
    where count > most {
      violations.append("\(count) transfers at \(host), which takes \(most)")
    }
    if let (list, shelf) = shelves.sorted(by: { $0.key < $1.key }).randomElement(using: &random) {
      let photo = PhotoID(
        list: list, number: UInt32.random(in: 1...UInt32(shelf.count), using: &random))
      let isWanted = leases.contains {
        $0.key.list == list && $0.value.photos.contains(photo.number)
      }
      if admission.focus.isFocused(photo) != isWanted {
        violations.append("\(photo) is \(isWanted ? "not " : "")in the focus")
      }
    }
  }
}
