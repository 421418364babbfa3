// SPDX-License-Identifier: Apache-2.0
// Decides which photo becomes a chain next. A plain value: no clock, no lock, no I/O; it asks for the facts
// about photos and lists. All photos outside the window are rows in the record; here a list costs a cursor,
// its photos in flight or waiting for another attempt, and a bounded number that wait for a host.
//
// Fairness: `LineTurns` between owners and their lines; `HostWindows` at each host, so that a slow or dead one delays
// only its own photos; `Setback` for a list, so that its own trouble delays only that list. A window may be full of
// less urgent photos that wait long for the filter, so it has a reserve for more urgent photos, and `WindowRoom`
// keeps places for owners with few photos in the window.

import Queues
package import Vocabulary

package struct Admission: Sendable {
  package enum Step: Equatable, Sendable {
    /// Call `sought` with the first unfinished photo after this one.
    case seek(ListID, after: UInt32)
    /// Call `learn` with the facts about the photo.
    case ask(PhotoID)
    case give(Admitted)
  }

  package struct Admitted: Equatable, Sendable {
    package let photo: PhotoID
    package let serviceClass: ServiceClass
    /// Its host has been closed for too long: the photo gives up without an attempt.
    package let lost: LostHost?
  }

  package struct LostHost: Equatable, Sendable {
    package let name: String
    package let closure: HostWindow.Closure
  }

  /// The consequence of a host's answer for a photo.
  package struct Answer: Equatable, Sendable {
    package var news: [HostNews] = []
    package var wish: WishAnswer?
  }

  /// The answer to a host's wish to be left alone; none if the photo has waited for its patience already.
  package enum WishAnswer: Equatable, Sendable {
    /// The photo waits, and the attempt does not count.
    case granted(until: Duration)
    /// The photo has waited as long as its patience lasts, and the host asks for more than that at once.
    case refused
  }

  package struct HostNews: Equatable, Sendable {
    package let name: String
    package let news: HostWindow.News
  }

  var lines: [LineKey: Line] = [:]
  var keys: [ListID: [LineKey]] = [:]
  var owners: [ListID: UInt32] = [:]
  var hosts: HostWindows
  var turns = LineTurns()
  var seats = OwnerSeats()
  var riders = Riders()
  var setbacks = Setbacks()
  var expectant = Expectant()
  package var focus = FocusBoard()
  /// Lists without unfinished photos.
  private var settled: Set<ListID> = []
  /// The line that waits for `sought` or `learn`.
  var asking: LineKey?
  package var size: WindowSize
  /// Nothing is admitted while this machine is in trouble or stopping.
  package var isHeld = false

  package init(
    window: Int, reserve: Int = 0, kept: Int = 0, hosts: HostWindows = HostWindows()
  ) {
    size = WindowSize(photos: window, reserve: reserve, kept: kept)
    self.hosts = hosts
  }

  // MARK: lists

  package mutating func add(_ list: ListID, _ own: ListLines, isPaused: Bool, now: Duration) {
    guard keys[list] == nil else { return }
    keys[list] = own.parts.map { LineKey(list, own: $0.own) }
    owners[list] = own.owner
    for part in own.parts {
      var line = Line(part.own ?? own.serviceClass, first: part.first, last: part.last)
      line.isPaused = isPaused
      for (number, due) in part.waiting { line.waiting.insert(number, due: due) }
      put(line, LineKey(list, own: part.own))
    }
  }

  package mutating func pause(_ list: ListID, now: Duration) {
    change(list, now) { $0.isPaused = true }
  }

  package mutating func resume(_ list: ListID, now: Duration) {
    change(list, now) { $0.isPaused = false }
  }

  /// While one photo tests the list, the others wait, and hosts do not call them.
  mutating func block(_ list: ListID, _ isBlocked: Bool, _ now: Duration) {
    change(list, now) { $0.isBlocked = isBlocked }
  }

  /// A paused or blocked line leaves the queues of hosts, and joins them again afterwards.
  private mutating func change(_ list: ListID, _ now: Duration, _ act: (inout Line) -> Void) {
    for key in keys[list] ?? [] {
      guard var line = lines.removeValue(forKey: key) else { continue }
      let wasStill = line.isStill
      act(&line)
      if line.isStill != wasStill {
        for host in line.forHost.hosts {
          if line.isStill {
            hosts.leave(host, key, now: now)
          } else {
            hosts.join(host, key, line.serviceClass, of: owner(of: list), now: now)
          }
        }
      }
      put(line, key)
    }
    enterCalled()
  }

  /// The list is given up or finished. Its photos in flight still end, but no longer count here.
  package mutating func drop(_ list: ListID, now: Duration) {
    settled.remove(list)
    setbacks.forget(list)
    for number in hosts.detours.photos(of: list) {
      hosts.forgetDetour(of: PhotoID(list: list, number: number), now: now)
    }
    focus.drop(list)
    for key in keys.removeValue(forKey: list) ?? [] {
      guard let line = lines.removeValue(forKey: key) else { continue }
      expectant.leave(key)
      for number in line.inFlight.keys { vacate(PhotoID(list: list, number: number)) }
      for host in line.forHost.hosts { hosts.leave(host, key, now: now) }
      for place in line.inFlight.values { _ = leave(place, of: key, .unknown, now: now, jitter: 0) }
      if asking == key { asking = nil }
      turns.remove(key, line.serviceClass, of: owner(of: list))
    }
    owners[list] = nil
    enterCalled()
  }

  package func isPaused(_ list: ListID) -> Bool {
    keys[list]?.contains { lines[$0]?.isPaused == true } ?? false
  }

  /// Photos in the window.
  var inFlight: Int { seats.count }
  var window: Int { size.photos }

  func owner(of list: ListID) -> UInt32 { owners[list] ?? 0 }

  package func holds(_ photo: PhotoID) -> Bool { key(of: photo) != nil }

  func key(of photo: PhotoID) -> LineKey? {
    keys[photo.list]?.first { lines[$0]?.inFlight[photo.number] != nil }
  }

  // MARK: photos

  /// Takes the next photo into the window, or asks for a fact first. Nil if no photo may begin now.
  package mutating func next(now: Duration) -> Step? {
    guard !isHeld else { return nil }
    if let photo = focus.takeGranted() {
      return .give(Admitted(photo: photo, serviceClass: .userInteractive, lost: nil))
    }
    guard inFlight < window + size.reserve else { return nil }
    awaken(now)
    repeat {
      if let step = pick(now) { return step }
    } while passCalls(now)
    return nil
  }

  /// Nil if no line has a photo to give for which there is room.
  private mutating func pick(_ now: Duration) -> Step? {
    // Focused photos get the places of others in a full window.
    let hasFocus = inFlight < window && !focus.isEmpty
    while hasFocus, let owner = focus.debtor {
      if let step = focused(of: owner, turn: nil, now: now) { return step }
      focus.paid(owner, all: true)
    }
    var entries: Int
    repeat {
      entries = turns.entries
      for serviceClass in turns.order {
        if let step = pick(serviceClass, hasFocus: hasFocus, now) { return step }
      }
      // During the look at a line, a host may have called another line, whose class was looked at before.
    } while turns.entries != entries
    return nil
  }

  /// Takes the next photo of the lines of one class, or asks for a fact first.
  private mutating func pick(
    _ serviceClass: ServiceClass, hasFocus: Bool, _ now: Duration
  ) -> Step? {
    let room = room(serviceClass)
    while let turn = turns.first(serviceClass, seats, room) {
      let key = turn.key
      let isFirst = hasFocus && owners[key.list].map(focus.goesFirst) == true
      if isFirst, let step = focused(at: turn, now) { return step }
      switch look(at: key, now: now) {
      case .seek(let number):
        turns.yieldLongSearch(turn)
        asking = key
        return .seek(key.list, after: number)
      case .ask(let number):
        turns.yieldLongSearch(turn)
        asking = key
        return .ask(PhotoID(list: key.list, number: number))
      case .give(let number, let lost):
        return give(PhotoID(list: key.list, number: number), turn, lost, now)
      case .again: enterCalled()
      case .nothing:
        // No other photo needs the turn that was kept for them.
        if hasFocus, !isFirst, let step = focused(at: turn, now) { return step }
        turns.leave(turn)
        // A host may have called the line during the look.
        enterCalled()
      }
    }
    return nil
  }

  func room(_ serviceClass: ServiceClass) -> WindowRoom { WindowRoom(size, seats, serviceClass) }

  /// A photo of the owner has no place in the window, or only one of the reserve.
  func isFull(for owner: UInt32) -> Bool {
    !room(.background).isFor(ownerWith: seats.count(of: owner))
  }

  /// If a host has called a line whose owner has no room in the window, the call passes to a line of another owner.
  /// Returns true if a call was passed on.
  private mutating func passCalls(_ now: Duration) -> Bool {
    // There is no other owner who could get a call.
    guard size.kept > 0, let one = owners.values.first,
      owners.values.contains(where: { $0 != one })
    else { return false }
    let rooms = ServiceClass.allCases.map { room($0) }
    let isPassed = hosts.passCalls(now: now) { [seats] share in
      rooms[Int(share.serviceClass.rawValue)].isFor(ownerWith: seats.count(of: share.owner))
    }
    enterCalled()
    return isPassed
  }

  /// `turn`: the one that it uses.
  mutating func give(
    _ photo: PhotoID, _ turn: LineTurns.Turn?, _ lost: LostHost?, _ now: Duration
  ) -> Step {
    if let turn { turns.gave(turn, now: now) }
    let isFocused = focus.isFocused(photo)
    let own = turn?.share.serviceClass ?? .userInteractive
    occupy(photo, own)
    if !focus.isEmpty, let owner = owners[photo.list] { focus.gave(owner) }
    if setbacks[photo.list]?.phase == .trying { block(photo.list, true, now) }
    enterCalled()
    return .give(
      Admitted(photo: photo, serviceClass: isFocused ? .userInteractive : own, lost: lost))
  }

  /// The photo has a place in the window, at the cost of its owner.
  mutating func occupy(_ photo: PhotoID, _ serviceClass: ServiceClass) {
    let share = OwnerSeats.Share(owner: owner(of: photo.list), serviceClass: serviceClass)
    seats.take(photo, share)
  }

  private mutating func vacate(_ photo: PhotoID) { seats.leave(photo) }

  mutating func enter(_ key: LineKey, _ serviceClass: ServiceClass) {
    if let owner = owners[key.list] { turns.enter(key, serviceClass, of: owner) }
  }

  /// Answers `seek` with the first unfinished photo after the cursor, nil if there is none.
  package mutating func sought(_ list: ListID, _ number: UInt32?) {
    guard let key = asking, key.list == list, var line = lines.removeValue(forKey: key) else {
      return
    }
    asking = nil
    if let number, number <= line.last {
      line.cursor = number
      if !line.holds(number) { line.candidate = Candidate(number: number, isFresh: true) }
    } else {
      line.isExhausted = true
    }
    put(line, key)
  }

  /// Answers `ask`.
  package mutating func learn(_ photo: PhotoID, _ prospect: Prospect) {
    if asking == nil, focus.learn(photo, prospect) { return }
    guard let key = asking, key.list == photo.list,
      lines[key]?.candidate?.number == photo.number
    else { return }
    asking = nil
    lines[key]?.candidate?.prospect = prospect
  }

  /// Gives a turn to lines with a due photo, lists whose block has ended, and lines that a host calls.
  private mutating func awaken(_ now: Duration) {
    hosts.awaken(now: now)
    enterCalled()
    for list in setbacks.unblock(now: now) { block(list, false, now) }
    guard let first = expectant.earliest, first <= now else { return }
    for key in expectant.keys {
      guard let line = lines[key], !line.isStill, let due = line.waiting.firstDue, due <= now
      else { continue }
      enter(key, line.serviceClass)
    }
    expectant.next(
      expectant.keys.compactMap { lines[$0]?.waiting.firstDue }.filter { $0 > now }.min())
  }

  mutating func enterFocused(_ list: ListID) {
    for key in keys[list] ?? [] {
      if let line = lines[key], !line.isStill { enter(key, line.serviceClass) }
    }
  }

  mutating func enterReady(_ list: ListID) {
    for key in keys[list] ?? [] {
      if let line = lines[key], line.isReady { enter(key, line.serviceClass) }
    }
  }

  mutating func enterCalled() {
    for key in hosts.takeCalled() {
      if let line = lines[key] { enter(key, line.serviceClass) }
    }
  }

  /// Call with the photo that `next` gave, before its chain begins, because the photo may have waited for its host
  /// since its facts were read. Returns the standing of the photo if the photo may begin.
  package mutating func begin(
    _ photo: PhotoID, _ standing: PhotoStanding?, now: Duration
  ) -> PhotoStanding? {
    if standing == nil { ended(photo, .failed, now: now) }
    return standing
  }

  // MARK: outcomes

  /// The photo's transfer is over, and its places at hosts are free. Nil if it has none.
  /// - Parameter server: The last server that it reached, to which the outcome belongs; nil for the one of its URL.
  package mutating func answered(
    _ photo: PhotoID, by server: String? = nil, _ outcome: HostWindow.Outcome, now: Duration,
    jitter: Double
  ) -> Answer? {
    guard let key = key(of: photo), let place = lines[key]?.inFlight[photo.number],
      let host = place.host, var line = lines.removeValue(forKey: key)
    else { return nil }
    line.inFlight[photo.number] = Place()
    let server = server ?? host
    hosts.learn(photo, from: host, to: server, outcome, now: now)
    var answer = Answer()
    let owner = owner(of: key.list)
    let wasClosed = hosts.closure(of: server, for: owner) != nil
    answer.news = leave(place, of: key, outcome, by: server, now: now, jitter: jitter)
    if case .failed(let failure) = outcome, let seconds = failure.waitSeconds,
      let gate = gate(of: server, for: owner, place, asking: seconds, now)
    {
      // A photo that its host always puts off, while it serves others, must not wait forever.
      let since = line.patient[photo.number] ?? now
      line.patient[photo.number] = since
      if now - since < hosts.limits.patience {
        answer.wish = .granted(until: gate)
      } else if hosts.limits.patience > .zero, .seconds(Int64(seconds)) > hosts.limits.patience {
        answer.wish = .refused
      }
    }
    put(line, key)
    // Lists whose photos are held may go on.
    if wasClosed, hosts.closure(of: server, for: owner) == nil {
      for list in hosts.detours.known { enterReady(list) }
    }
    enterCalled()
    return answer
  }

  /// Ends the photo's places. Each host learns only the outcome of its own server: of the last one, where the
  /// transfer ended, and of the host that led it there.
  mutating func leave(
    _ place: Place, of key: LineKey, _ outcome: HostWindow.Outcome, by server: String? = nil,
    now: Duration, jitter: Double
  ) -> [HostNews] {
    riders.leave(place)
    // A rider's transfer is another photo's.
    guard !place.isRider, let host = place.host else { return [] }
    let last = server ?? host
    let owner = owner(of: key.list)
    let own = last == host ? outcome : outcome.ofLeader
    var news = [
      (
        host,
        hosts.end(
          host, key, of: owner, own, isProbe: place.isProbe, now: now, jitter: jitter)
      )
    ]
    if let beyond = place.beyond {
      let its = last == beyond.server ? outcome : outcome.ofOther
      news.append(
        (
          beyond.server,
          hosts.end(
            beyond.server, key, of: owner, its, isProbe: beyond.isProbe, now: now, jitter: jitter)
        ))
    }
    if last != host, last != place.beyond?.server {
      news.append((last, hosts.note(last, key, of: owner, outcome, now: now, jitter: jitter)))
    }
    return news.compactMap { name, news in news.map { HostNews(name: name, news: $0) } }
  }

  /// A chain has ended; its place in the window is free.
  package mutating func ended(_ photo: PhotoID, _ end: PhotoEnd, now: Duration) {
    guard let key = key(of: photo) else { return }
    let isLed = hosts.detours.count(of: photo.list) > 0
    let heir = focus.ended(photo, isDone: end == .filtered || end == .failed)
    var isHanded = false
    if case .host(let next) = heir {
      isHanded = inherit(next, lines[key]?.inFlight[photo.number], now)
    }
    guard var line = lines.removeValue(forKey: key) else { return }
    if heir == .itself, end == .stopped, !line.isStill {
      put(line, key)
      return focus.grant(photo)
    }
    vacate(photo)
    if let place = line.inFlight.removeValue(forKey: photo.number), !isHanded {
      _ = leave(place, of: key, .unknown, now: now, jitter: 0)
    }
    if heir == .window, let owner = owners[photo.list] { focus.owe(owner) }
    var isPassed = false
    switch end {
    case .filtered, .failed:
      line.patient[photo.number] = nil
      hosts.forgetDetour(of: photo, now: now)
      isPassed = setbacks.passed(photo)
    case .stopped, .machineTrouble:
      line.returned.append(photo.number)
      focus.again(photo)
    case .retry(let wait, let failed):
      let delay = expectant.isFlushed(since: failed) ? .zero : wait
      line.waiting.insert(photo.number, due: now + delay)
      isPassed = setbacks.passed(photo)
    case .listTrouble(let failure):
      let wait = setbacks.met(photo, failure, now: now)
      line.waiting.insert(photo.number, due: now + wait)
    }
    put(line, key)
    if let setback = setbacks[photo.list] {
      block(photo.list, setback.isBlocked, now)
    } else if isPassed {
      block(photo.list, false, now)
    }
    // Any line of the list may wait until fewer photos are led to closed servers.
    if isLed { enterReady(photo.list) }
    enterCalled()
  }

  mutating func put(_ line: Line, _ key: LineKey, entering: Bool = true) {
    expectant.note(key, due: line.waiting.firstDue)
    let isFocused = !focus.isEmpty && !line.isStill && focus.waits(key.list)
    if entering, line.isReady || isFocused || (!line.isStill && hosts.call(for: key) != nil) {
      enter(key, line.serviceClass)
    }
    lines[key] = line
    let isDone = line.isDone && keys[key.list]?.allSatisfy { lines[$0]?.isDone ?? false } == true
    if isDone { settled.insert(key.list) } else { settled.remove(key.list) }
  }

  // MARK: ends

  /// Lists without unfinished photos, until they are dropped.
  package var doneLists: [ListID] { settled.isEmpty ? [] : settled.sorted() }

  /// When the next waiting photo, blocked list or host gate is due; paused lists do not count. Owners for whom the
  /// window is full do not count either, because the next photo that ends causes a look.
  package var nextDue: Duration? {
    guard !isHeld, inFlight < window + size.reserve else { return nil }
    let rooms = ServiceClass.allCases.map { room($0) }
    let photos = (expectant.earliest == nil ? [] : expectant.keys).compactMap { key -> Duration? in
      guard let line = lines[key], !line.isStill,
        rooms[Int(line.serviceClass.rawValue)].isFor(
          ownerWith: seats.count(of: owner(of: key.list)))
      else { return nil }
      return line.waiting.firstDue
    }
    let photo = photos.min()
    return [photo, hosts.nextGate, setbacks.nextDue].compactMap { $0 }.min()
  }
}
