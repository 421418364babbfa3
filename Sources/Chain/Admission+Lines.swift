// SPDX-License-Identifier: Apache-2.0
// One look at one line, or at the focus of its owner. The look gives a photo, asks for the facts about a photo, or
// lets a photo wait for its host.

package import Vocabulary

extension Admission {
  enum Look {
    case seek(after: UInt32)
    case ask(UInt32)
    case give(UInt32, LostHost?)
    /// The line has changed: look again.
    case again
    case nothing
  }

  /// The line is taken out while it changes: a second owner would copy all of its queues.
  mutating func look(at key: LineKey, now: Duration) -> Look {
    guard lines[key]?.isStill == false, var line = lines.removeValue(forKey: key) else {
      return .nothing
    }
    defer { put(line, key, entering: false) }
    if let candidate = line.candidate {
      guard let prospect = candidate.prospect else { return .ask(candidate.number) }
      line.candidate = nil
      return place(candidate, prospect, key, &line, now)
    }
    if let host = hosts.call(for: key) { return answer(host, key, &line, now) }
    if let due = line.waiting.take(now: now) {
      line.candidate = Candidate(number: due, isFresh: false)
    } else if !line.returned.isEmpty {
      line.candidate = Candidate(
        number: line.returned.removeFirst(), isFresh: false, isReturned: true)
    } else if let number = takeHeld(key.list, &line) {
      line.candidate = Candidate(number: number, isFresh: false)
    } else if line.canLookAhead {
      return .seek(after: line.cursor)
    }
    return line.candidate.map { .ask($0.number) } ?? .nothing
  }

  /// Takes a held photo whose host now leads fewer photos to closed servers. A photo that people look at goes first.
  private mutating func takeHeld(_ list: ListID, _ line: inout Line) -> UInt32? {
    if line.held.isEmpty || hosts.detours.count(of: list) >= Line.mostWaiting { return nil }
    var free: [String] = []
    for host in line.held.names
    where line.forHost.freshCount(host) < Line.mostAtHand && !isAstray(list, at: host) {
      free.append(host)
      // Without a photo that people look at, the first one goes.
      if focus.isEmpty, line.held.hasPhotos(of: host) { break }
    }
    var number = line.held.first(of: free) { _ in true }
    if !focus.isEmpty, number != nil,
      let focused = line.held.first(
        of: free, where: { focus.isFocused(PhotoID(list: list, number: $0)) })
    {
      number = focused
      focus.again(PhotoID(list: list, number: focused))
    }
    if let number {
      line.held.remove(number)
    } else {
      for host in free { line.turnBack(to: host) }
    }
    return number
  }

  /// True if the host leads many photos to closed servers, or to servers that fail: further photos would be led there
  /// as well.
  private func isAstray(_ list: ListID, at host: String) -> Bool {
    if hosts.detours.count(of: list) >= Line.mostWaiting { return true }
    let led = hosts.detours.count(of: list, from: host)
    if led < Line.mostLed { return false }
    if led >= Line.longestWait { return true }
    let owner = owner(of: list)
    var strays = 0
    for (server, photos) in hosts.detours.servers(of: list, from: host)
    where hosts.closure(of: server, for: owner) != nil {
      strays += photos
      if strays >= Line.mostLed { return true }
    }
    return false
  }

  mutating func place(
    _ candidate: Candidate, _ prospect: Prospect, _ key: LineKey, _ line: inout Line,
    _ now: Duration
  ) -> Look {
    let number = candidate.number
    let photo = PhotoID(list: key.list, number: number)
    // A photo may end, or its list be recorded as over, after it was found or has come back.
    if let detour = hosts.detours[photo], prospect.isDone || detour.host != prospect.host {
      hosts.forgetDetour(of: photo, now: now)
      // Another line of the list may have waited until the host led one photo less.
      enterReady(key.list)
    }
    if prospect.isDone || (candidate.isFresh && !isOf(key, number, prospect.own)) {
      turns.pass()
      return .again
    }
    turns.found()
    guard let host = prospect.host else {
      line.inFlight[number] = Place()
      return .give(number, nil)
    }
    if !hosts.isShut(host), riders.mayRide(prospect.url) {
      riders.ride()
      line.inFlight[number] = Place(host: host, isRider: true)
      return .give(number, nil)
    }
    let isNew = !prospect.isTried && host != HostWindows.here && hosts.detours[photo] == nil
    if isNew, isAstray(key.list, at: host) {
      line.hold(number, host: host, isFresh: candidate.isFresh)
      return .again
    }
    line.passes = 0
    let door = hosts.door(of: photo, at: host, for: owner(of: key.list), now: now)
    // A photo of the same line that already waits at the host goes first, unless this photo gives up.
    let answer = hosts.ask(
      door, line.serviceClass, of: owner(of: key.list), isTried: prospect.isTried,
      hasFresh: line.forHost.hasFresh(door), isHopeful: isHopeful(key.list, line, at: door),
      now: now)
    switch answer {
    case .start(let isProbe):
      line.inFlight[number] = place(photo, at: door, isProbe, prospect.url, now)
      return .give(number, nil)
    case .lost(let closure):
      line.inFlight[number] = Place()
      return .give(number, LostHost(name: door, closure: closure))
    case .wait:
      line.forHost.add(
        number, host: door, url: prospect.url, isTried: prospect.isTried,
        isLed: hosts.detours[photo] != nil, isFirst: candidate.isReturned)
      hosts.join(door, key, line.serviceClass, of: owner(of: key.list), now: now)
      return .again
    }
  }

  /// True if a photo that the cursor found belongs to this line. Photos of a class without a line go with the
  /// list's class, even if the catalog's spans are wrong.
  func isOf(_ key: LineKey, _ number: UInt32, _ own: ServiceClass?) -> Bool {
    guard let all = keys[key.list], all.count > 1 else { return true }
    if all.contains(where: { lines[$0]?.holds(number) == true }) { return false }
    if own == key.own { return true }
    return key.own == nil && lines[LineKey(key.list, own: own)]?.reaches(number) != true
  }

  /// The places of a photo that one of its hosts has let in. No photo rides on a probe: a probe often fails, and would
  /// take its riders down with it.
  private mutating func place(
    _ photo: PhotoID, at door: String, _ isProbe: Bool, _ url: Int?, _ now: Duration
  ) -> Place {
    var place = Place(host: door, isProbe: isProbe)
    if let detour = hosts.detours[photo], let other = detour.other(than: door) {
      let isOther = hosts.start(other, of: owner(of: photo.list), now: now)
      let isOwn = door == detour.host
      place.host = detour.host
      place.isProbe = isOwn ? isProbe : isOther
      place.beyond = Place.Beyond(server: detour.server, isProbe: isOwn ? isOther : isProbe)
    }
    if let url, !place.isProbe, place.beyond?.isProbe != true {
      riders.fly(url)
      place.url = url
    }
    return place
  }

  /// The end of the wait for which a server asks. A rider uses the transfer of another photo, perhaps of another
  /// owner: that transfer may close the server for the other owner alone.
  func gate(
    of server: String, for owner: UInt32, _ place: Place, asking seconds: UInt32, _ now: Duration
  ) -> Duration? {
    let gate = hosts.closure(of: server, for: owner)?.gate
    guard place.isRider else { return gate }
    let wish = min(.seconds(Int64(max(seconds, 1))), hosts.longestWish)
    return max(gate ?? .zero, now + wish)
  }

  /// New photos of the line may show that the server behind redirects of its list is well, so that the others do not give
  /// up sooner.
  private func isHopeful(_ list: ListID, _ line: Line, at server: String) -> Bool {
    let leaders = hosts.detours.leaders(of: list, to: server)
    if line.isExhausted, leaders.count > line.held.names.count {
      return line.held.names.contains { leaders.contains($0) && !isAstray(list, at: $0) }
    }
    let fresh = leaders.lazy.filter { line.hasNew(from: $0) }
    return fresh.contains { !isAstray(list, at: $0) }
  }

  /// A photo that its host leads to another server needs room at both. If the photo waits where there is room, and
  /// the other one has no room, the photo waits at the other one instead.
  private mutating func move(
    from host: String, _ key: LineKey, _ line: inout Line, _ now: Duration
  ) {
    if host != HostWindows.here, isAstray(key.list, at: host) {
      for number in line.forHost.takeNew(at: host) { line.held.add(number, host: host) }
    }
    let led = line.forHost.led(at: host)
    let owner = owner(of: key.list)
    if led.isEmpty || !hosts.hasRoom(host, for: owner, now: now) { return }
    for number in led {
      let photo = PhotoID(list: key.list, number: number)
      guard let other = hosts.detours[photo]?.other(than: host),
        !hosts.hasRoom(other, for: owner, now: now),
        let (entry, isTried) = line.forHost.take(number: number)
      else { continue }
      line.forHost.add(number, host: other, url: entry.url, isTried: isTried, isLed: true)
      hosts.join(other, key, line.serviceClass, of: owner, now: now)
      focus.moved(photo, of: owner, to: other)
    }
  }

  private mutating func answer(
    _ host: String, _ key: LineKey, _ line: inout Line, _ now: Duration
  ) -> Look {
    move(from: host, key, &line, now)
    guard line.forHost.has(host) else {
      hosts.leave(host, key, now: now)
      return .again
    }
    let answer = hosts.answer(
      host, key, isTried: line.forHost.hasTried(host), hasFresh: line.forHost.hasFresh(host),
      isHopeful: isHopeful(key.list, line, at: host), hasMore: line.forHost.count(host) > 1,
      now: now)
    switch answer {
    case .wait: return .again
    case .start(let isProbe):
      let closure = hosts.closure(of: host, for: owner(of: key.list))
      let isFresh = isProbe && closure?.isFreshProbe == true
      guard let (number, url) = line.forHost.take(host, isFresh: isFresh) else { return .again }
      let photo = PhotoID(list: key.list, number: number)
      line.inFlight[number] = place(photo, at: host, isProbe, url, now)
      return .give(number, nil)
    case .lost(let closure):
      guard let (number, _) = line.forHost.take(host) else { return .again }
      line.inFlight[number] = Place()
      return .give(number, LostHost(name: host, closure: closure))
    }
  }

  // MARK: the focus

  /// A focused photo of the line's owner uses the line's turn, or the call of a host to it.
  mutating func focused(at turn: LineTurns.Turn, _ now: Duration) -> Step? {
    let key = turn.key
    guard let owner = owners[key.list], lines[key]?.isStill == false else { return nil }
    if let host = hosts.call(for: key) {
      return called(by: host, turn, of: owner, now)
    }
    return focused(of: owner, turn: turn, now: now)
  }

  /// - Parameter turn: nil if the photo takes the place of one that has made room for it.
  mutating func focused(of owner: UInt32, turn: LineTurns.Turn?, now: Duration) -> Step? {
    while let candidate = focus.next(owner, unless: isStill) {
      let photo = candidate.photo
      let all = keys[photo.list] ?? []
      let home = all.first { lines[$0]?.holds(photo.number) == true }
      if let home, let host = lines[home]?.forHost.host(of: photo.number) {
        focus.waits(photo, of: owner, at: host, now: now)
        focus.looked(owner)
        continue
      }
      // The photo is in progress, or it waits for another attempt, or until fewer photos are led to closed servers.
      if let home, !isFree(photo, in: home) {
        focus.looked(owner)
        continue
      }
      guard let prospect = candidate.prospect else {
        asking = nil
        return .ask(photo)
      }
      focus.looked(owner)
      if prospect.isDone { continue }
      let own = LineKey(photo.list, own: prospect.own)
      let key = home ?? (lines[own]?.reaches(photo.number) == true ? own : LineKey(photo.list))
      guard var line = lines.removeValue(forKey: key) else { continue }
      line.returned.removeAll { $0 == photo.number }
      line.held.remove(photo.number)
      for other in all where lines[other]?.candidate?.number == photo.number {
        lines[other]?.candidate = nil
      }
      if line.candidate?.number == photo.number { line.candidate = nil }
      let look = self.place(
        Candidate(number: photo.number, isFresh: false), prospect, key, &line, now)
      put(line, key)
      guard case .give(_, let lost) = look else {
        if let host = lines[key]?.forHost.host(of: photo.number) {
          focus.waits(photo, of: owner, at: host, now: now)
        }
        enterCalled()
        continue
      }
      if turn == nil { focus.paid(owner, all: false) }
      return give(photo, turn, lost, now)
    }
    return nil
  }

  /// The host has called the line. A focused photo of the line's owner that waits at the host goes instead of a photo
  /// of the line.
  private mutating func called(
    by host: String, _ turn: LineTurns.Turn, of owner: UInt32, _ now: Duration
  ) -> Step? {
    let key = turn.key
    for waiting in focus.atHosts[owner] ?? [] where waiting.host == host {
      let photo = waiting.photo
      if isStill(photo.list) { continue }
      let other = hosts.detours[photo]?.other(than: host)
      if let other, !hosts.hasRoom(other, for: owner, now: now) { continue }
      let home = keys[photo.list]?.first { lines[$0]?.forHost.host(of: photo.number) == host }
      guard let home, let (entry, isTried) = lines[home]?.forHost.take(number: photo.number) else {
        focus.left(photo, of: owner)
        continue
      }
      let hasHope = lines[home].map { isHopeful(photo.list, $0, at: host) } ?? false
      let answer = hosts.answer(
        host, key, isTried: isTried, hasFresh: !isTried, isHopeful: hasHope,
        hasMore: lines[key]?.forHost.has(host) == true, now: now)
      let seat: Place
      var lost: LostHost?
      switch answer {
      case .wait:
        lines[home]?.forHost.add(
          photo.number, host: host, url: entry.url, isTried: isTried, isLed: other != nil)
        return nil
      case .start(let isProbe): seat = self.place(photo, at: host, isProbe, entry.url, now)
      case .lost(let closure):
        seat = Place()
        lost = LostHost(name: host, closure: closure)
      }
      focus.left(photo, of: owner)
      lines[home]?.inFlight[photo.number] = seat
      // A host must not call a line that has no photo for it, and may be dropped.
      if lines[home]?.forHost.has(host) == false { hosts.leave(host, home, now: now) }
      return give(photo, turn, lost, now)
    }
    return nil
  }

  /// It waits for its turn alone.
  private func isFree(_ photo: PhotoID, in home: LineKey) -> Bool {
    guard let line = lines[home] else { return false }
    if line.returned.contains(photo.number) { return true }
    return line.held.host(of: photo.number).map { !isAstray(photo.list, at: $0) } ?? false
  }

  private func isStill(_ list: ListID) -> Bool {
    keys[list]?.first.flatMap { lines[$0]?.isStill } ?? true
  }

  // MARK: making room

  package enum MovableState: Equatable, Sendable {
    /// It waits in the queue of a stage.
    case waits
    /// Its transfer waits for a connection, and may get one at any moment.
    case needsConnection
    /// Another transfer could continue this one, and the rest takes longer than a new request.
    case transfers
    /// To cancel it would lose bytes, or gain nothing.
    case settled
  }

  /// A photo with a chain that has not begun to filter.
  package struct Movable: Equatable, Sendable {
    package let photo: PhotoID
    package let admitted: Duration
    package let state: MovableState

    package init(_ photo: PhotoID, admitted: Duration, _ state: MovableState) {
      self.photo = photo
      self.admitted = admitted
      self.state = state
    }
  }

  /// Chooses the photos whose chains are cancelled, for focused photos of the same owner that have waited for
  /// their patience: those without a transfer first, then the least urgent, and each photo once. A photo that an
  /// earlier lease has raised, and whose transfer still runs, is included when no lease has it any more.
  package mutating func makeRoom(_ chains: [Movable], now: Duration) -> [PhotoID] {
    var rest = chains.filter { movable in
      movable.state != .settled && !focus.isFocused(movable.photo)
        && (focus.heirs[movable.photo] ?? .itself) == .itself
        && !focus.displaced.contains(movable.photo) && holds(movable.photo)
    }.map { (movable: $0, rank: rank($0)) }
    rest.sort { ($0.rank, $1.movable.admitted) < ($1.rank, $0.movable.admitted) }
    var chosen: [PhotoID] = []
    func take(
      _ owner: UInt32, for heir: FocusBoard.Heir, since: Duration, _ fits: (Movable) -> Bool
    ) -> Bool {
      let isPatient = since + FocusBoard.patience > now
      let place = rest.firstIndex { movable, _ in
        owners[movable.photo.list] == owner && fits(movable)
          && (movable.state != .transfers || !isPatient)
      }
      guard let place else { return false }
      let photo = rest.remove(at: place).movable.photo
      focus.displace(photo, for: heir)
      chosen.append(photo)
      return true
    }
    for (owner, waiting) in focus.atHosts.sorted(by: { $0.key < $1.key }) {
      // The next photo has waited for less time: nothing makes room for it either.
      var full: Set<String> = []
      for one in waiting where !full.contains(one.host) {
        // It may have got its place meanwhile.
        guard waits(one) else {
          focus.left(one.photo, of: owner)
          continue
        }
        guard hosts.closure(of: one.host, for: owner) == nil, !hosts.isShut(one.host),
          !isStill(one.photo.list), !focus.heirs.values.contains(.host(one.photo)),
          hosts.detours[one.photo] == nil
        else { continue }
        let isFound = take(owner, for: .host(one.photo), since: one.since) {
          isSeated($0.photo, at: one.host)
        }
        if !isFound { full.insert(one.host) }
      }
    }
    for queue in focus.queues where !isStill(queue.list) && isFull(for: queue.owner) {
      let coming = focus.heirs.count { $0.value == .window && owners[$0.key.list] == queue.owner }
      for _ in 0..<max(0, queue.photos - coming) {
        let isFound = take(queue.owner, for: .window, since: queue.since) { _ in true }
        if !isFound { break }
      }
    }
    let late = chains.filter { $0.state == .needsConnection && focus.isFocused($0.photo) }
    var coming = focus.heirs.values.count { $0 == .none }
    for one in late {
      if coming > 0 {
        coming -= 1
      } else if let owner = owners[one.photo.list] {
        _ = take(owner, for: .none, since: one.admitted) { $0.state == .transfers }
      }
    }
    return chosen
  }

  private func waits(_ one: FocusBoard.Waiting) -> Bool {
    keys[one.photo.list]?.contains {
      lines[$0]?.forHost.host(of: one.photo.number) == one.host
    } ?? false
  }

  /// The order in which photos make room.
  private func rank(_ movable: Movable) -> Int {
    let serviceClass = serviceClass(of: movable.photo) ?? .userInteractive
    return (movable.state == .transfers ? 8 : 0) - Int(serviceClass.rawValue)
  }

  private func isSeated(_ photo: PhotoID, at host: String) -> Bool {
    guard let place = key(of: photo).flatMap({ lines[$0]?.inFlight[photo.number] }) else {
      return false
    }
    return place.host == host && !place.isRider && !place.isProbe && place.beyond == nil
  }

  /// The photo gets the place of another one at their host, and in the window.
  mutating func inherit(_ photo: PhotoID, _ place: Place?, _ now: Duration) -> Bool {
    guard let place, place.beyond == nil, hosts.detours[photo] == nil, let host = place.host,
      !isHeld, !hosts.isShut(host), let owner = owners[photo.list],
      hosts.closure(of: host, for: owner) == nil, !isStill(photo.list),
      let home = keys[photo.list]?.first(where: {
        lines[$0]?.forHost.host(of: photo.number) == host
      }),
      let (entry, _) = lines[home]?.forHost.take(number: photo.number)
    else { return false }
    let seat = self.place(photo, at: host, false, entry.url, now)
    lines[home]?.inFlight[photo.number] = seat
    if lines[home]?.forHost.has(host) == false { hosts.leave(host, home, now: now) }
    riders.leave(place)
    focus.left(photo, of: owner)
    focus.grant(photo)
    occupy(photo, .userInteractive)
    return true
  }
}
