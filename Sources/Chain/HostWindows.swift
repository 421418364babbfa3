// SPDX-License-Identifier: Apache-2.0
// All hosts with photos now, the lines that wait at each, and their order. A host without photos and without
// trouble is forgotten. A plain value: after each call its owner takes out the called lines.
//
// Lines wait at a host in queues by class, in turn by owner, and the lines of an owner in turns of several photos.
// The host calls as many lines as it has room for; a called line is out of its queue. It starts a photo or returns to
// the head of the queue, so that no room stays unused and no call is wasted.

package import Vocabulary

package struct HostWindows: Sendable {
  package enum Answer: Equatable, Sendable {
    case start(isProbe: Bool)
    case wait
    /// The host has been closed for too long: the photo gives up.
    case lost(HostWindow.Closure)
  }

  /// The host of local files, which is never in trouble.
  package static let here = ""
  /// The limit of lists that are remembered for each closed host.
  static let mostFailed = 64
  /// The limit of hosts that are remembered for their trouble alone.
  private static let longestMemory = 4096

  private var hosts: [String: Host] = [:]
  /// The hosts that have called each line.
  private var calls: [LineKey: [String]] = [:]
  private var gates = DueQueue<String>()
  private var newlyCalled: [LineKey] = []
  /// The hosts that have called a line while others wait: only there may a call be passed on. There may be thousands of
  /// calls, and hardly one has an heir.
  private var crowded: Set<String> = []
  var detours = Detours()
  private(set) var limits: HostLimits
  /// How long tried photos wait for a closed host.
  private let triedPatience: Duration
  /// Nil for a machine that works alone.
  private var seats: HostSeats?
  /// Of any host.
  private var lastAnswer: Duration?
  /// No photo starts to any host.
  package private(set) var isSuspended = false
  /// The hosts behind the proxy, and whether no photo starts to them.
  private(set) var route = ProxyRoute()
  private(set) var isProxyShut = false

  package init(_ limits: HostLimits = HostLimits(), triedPatience: Duration = .seconds(120)) {
    self.limits = limits
    seats = limits.areShared ? HostSeats() : nil
    self.triedPatience = triedPatience
  }

  package var count: Int { hosts.count }

  /// Takes out the lines called since the last time.
  package mutating func takeCalled() -> [LineKey] {
    defer { newlyCalled = [] }
    return newlyCalled
  }

  /// The host whose call a line has to answer next.
  package func call(for key: LineKey) -> String? { calls[key]?.first }

  // MARK: photos

  /// True if a photo that has not waited yet may go to the host. `hasFresh`: untried photos of its line wait
  /// there. `isHopeful`: others may be led there.
  package mutating func ask(
    _ name: String, _ serviceClass: ServiceClass, of owner: UInt32 = 0, isTried: Bool,
    hasFresh: Bool = false, isHopeful: Bool = false, now: Duration
  ) -> Answer {
    if isShut(name) { return .wait }
    guard name != Self.here else { return .start(isProbe: false) }
    var host = known(name, now)
    if let closure = lost(
      host, owner, isTried: isTried, hasFresh: hasFresh || isHopeful, now: now)
    {
      return .lost(closure)
    }
    guard room(name, host.window, now) > 0, !host.isAwaited(ahead: serviceClass) else {
      return .wait
    }
    let isProbe = host.window.start(tried: isTried, fresh: !isTried)
    hosts[name] = host
    return .start(isProbe: isProbe)
  }

  /// The answer of a called line: it has tried photos for the host, untried ones, or both. `isHopeful`: untried ones may
  /// be led there. `hasMore`: more than one.
  package mutating func answer(
    _ name: String, _ key: LineKey, isTried: Bool, hasFresh: Bool = false,
    isHopeful: Bool = false, hasMore: Bool, now: Duration
  ) -> Answer {
    guard var host = hosts.removeValue(forKey: name), let share = host.called[key] else {
      return .wait
    }
    let isShut = isShut(name)
    if !isShut,
      let closure = lost(
        host, share.owner, isTried: isTried, hasFresh: hasFresh || isHopeful, now: now)
    {
      if !hasMore {
        unlist(key, name, &host)
        host[share.serviceClass].remove(key, of: share.owner)
      }
      put(host, name, now)
      return .lost(closure)
    }
    unlist(key, name, &host)
    guard !isShut, name == Self.here || room(name, host.window, now) > 0 else {
      host[share.serviceClass].insertFirst(key, of: share.owner)
      setGate(&host, name, now)
      keep(host, name)
      return .wait
    }
    let isProbe =
      name == Self.here
      ? false : host.window.start(tried: isTried, fresh: hasFresh || !isTried)
    if hasMore {
      host[share.serviceClass].gave(key, of: share.owner, now: now)
    } else {
      host[share.serviceClass].remove(key, of: share.owner)
    }
    put(host, name, now)
    return .start(isProbe: isProbe)
  }

  /// A line has a photo that waits for the host.
  package mutating func join(
    _ name: String, _ key: LineKey, _ serviceClass: ServiceClass, of owner: UInt32, now: Duration
  ) {
    var host = known(name, now)
    hosts[name] = nil
    if !host.holds(key) { host[serviceClass].append(key, of: owner) }
    put(host, name, now)
  }

  /// Lines of owners without room pass their calls on to lines that have room and wait at the same host. They go first
  /// there when they have room. Returns whether any did.
  mutating func passCalls(now: Duration, unless hasRoom: (OwnerSeats.Share) -> Bool) -> Bool {
    var isPassed = false
    let names = crowded.filter { name in
      hosts[name].map { $0.mayPass(unless: hasRoom) && room(name, $0.window, now) > 0 } ?? false
    }
    for name in names.sorted() {
      guard var host = hosts.removeValue(forKey: name) else { continue }
      for (key, share) in host.sortedCalls where !hasRoom(share) {
        guard let next = host.call(of: hasRoom) else { break }
        unlist(key, name, &host)
        host[share.serviceClass].insertFirst(key, of: share.owner)
        note(next, isCalledBy: name)
        isPassed = true
      }
      keep(host, name)
    }
    return isPassed
  }

  /// The line no longer waits at the host.
  package mutating func leave(_ name: String, _ key: LineKey, now: Duration) {
    guard var host = hosts.removeValue(forKey: name) else { return }
    unlist(key, name, &host)
    for place in host.queues.indices { host.queues[place].remove(key) }
    put(host, name, now)
  }

  /// Notes the outcome of a photo of the line at the host.
  package mutating func end(
    _ name: String, _ key: LineKey, of owner: UInt32 = 0, _ outcome: HostWindow.Outcome,
    isProbe: Bool, now: Duration, jitter: Double
  ) -> HostWindow.News? {
    guard name != Self.here, var host = hosts.removeValue(forKey: name) else { return nil }
    let isFresh = isProbe && host.window.closure?.isFreshProbe == true
    return judge(&host, name, key, owner, outcome, isFresh: isFresh, now) { window, most, wish in
      window.end(
        outcome, isProbe: isProbe, now: now, most: most, wish: wish, jitter: jitter)
    }
  }

  /// Notes the outcome of a photo of the line at a server to which its host led it without a place.
  package mutating func note(
    _ name: String, _ key: LineKey, of owner: UInt32 = 0, _ outcome: HostWindow.Outcome,
    now: Duration, jitter: Double
  ) -> HostWindow.News? {
    // There is nothing that an answer could mend.
    if outcome == .answered, hosts[name] == nil { return nil }
    var host = known(name, now)
    hosts[name] = nil
    return judge(&host, name, key, owner, outcome, isFresh: false, now) { window, most, wish in
      window.note(outcome, now: now, most: most, wish: wish, jitter: jitter)
    }
  }

  private mutating func judge(
    _ host: inout Host, _ name: String, _ key: LineKey, _ owner: UInt32,
    _ outcome: HostWindow.Outcome, isFresh: Bool, _ now: Duration,
    _ end: (inout HostWindow, _ most: Int, _ wish: Duration) -> HostWindow.News?
  ) -> HostWindow.News? {
    let wasClosed = host.window.closure != nil
    let news = end(&host.window, limits.most, longestWish)
    if outcome.isAnswer { lastAnswer = now }
    host.judge(key, outcome)
    if host.window.closure == nil {
      (host.failed, host.losers) = ([], [:])
    } else if case .failed = outcome {
      host.lost(key.list, of: owner, isFresh: isFresh, now: now)
    }
    // It needs other seats, and others want to know.
    if news != nil || (wasClosed && host.window.closure == nil) { seats?.tell() }
    put(host, name, now)
    return news
  }

  // MARK: servers behind hosts

  /// Where a photo asks for its place. One that is led to another server needs room there and at its host, which goes
  /// first: without an answer of the host no photo reaches the other server.
  func door(of photo: PhotoID, at host: String, now: Duration) -> String {
    guard let detour = detours[photo] else { return host }
    let isOnlyFull = hasRoom(host, now: now) && !hasRoom(detour.server, now: now)
    return isOnlyFull ? detour.server : host
  }

  /// The photo's transfer from the host ended at the server.
  mutating func learn(
    _ photo: PhotoID, from host: String, to server: String, _ outcome: HostWindow.Outcome,
    now: Duration
  ) {
    switch outcome {
    case .failed where server != host:
      let detour = Detours.Detour(host: host, server: server)
      if detours[photo] == detour { return }
      forgetDetour(of: photo, now: now)
      detours.note(photo, detour)
    case .answered, .led, .failed: forgetDetour(of: photo, now: now)
    case .unreached, .unknown: break
    }
  }

  mutating func forgetDetour(of photo: PhotoID, now: Duration) {
    guard let server = detours[photo]?.server else { return }
    detours.forget(photo)
    if !detours.lead(to: server), let host = hosts.removeValue(forKey: server) {
      put(host, server, now)
    }
  }

  func hasRoom(_ name: String, now: Duration) -> Bool {
    !isShut(name) && room(name, known(name, now).window, now) > 0
  }

  /// A photo that has just got its place at one of two hosts takes one at the other; true if it is a probe there.
  mutating func start(_ name: String, now: Duration) -> Bool {
    var host = known(name, now)
    let isProbe = host.window.start(tried: true, fresh: false)
    hosts[name] = host
    return isProbe
  }

  // MARK: time and people

  /// Calls the lines of hosts whose gate has opened.
  package mutating func awaken(now: Duration) {
    while let name = gates.take(now: now) {
      guard var host = hosts.removeValue(forKey: name) else { continue }
      host.alarm = nil
      // Those that were called to give up wait for their turn to probe, behind the owners who wait already.
      for (key, share) in host.sortedCalls {
        unlist(key, name, &host)
        host[share.serviceClass].append(key, of: share.owner)
      }
      put(host, name, now)
    }
  }

  /// The earliest gate of a closed host with waiting lines.
  package var nextGate: Duration? { isSuspended ? nil : gates.firstDue }

  /// Allows a probe at once of one closed host, or of all; of hosts that asked to be left alone only with
  /// `wishes`. Returns the number of closed hosts.
  package mutating func flush(_ name: String?, wishes: Bool = true, now: Duration) -> Int {
    let closed = hosts.filter {
      $0.value.window.closure != nil && (name == nil || name == $0.key)
    }.keys
    for name in closed {
      guard var host = hosts.removeValue(forKey: name) else { continue }
      host.window.flush(now: now, wishes: wishes)
      put(host, name, now)
    }
    return closed.count
  }

  package mutating func suspend(_ isOn: Bool, now: Duration) {
    isSuspended = isOn
    callAll(now)
  }

  mutating func shutProxy(_ isOn: Bool, now: Duration) {
    isProxyShut = isOn
    callAll(now)
  }

  mutating func route(by route: ProxyRoute, now: Duration) {
    self.route = route
    callAll(now)
  }

  /// No photo starts to the host, whatever its state.
  func isShut(_ name: String) -> Bool { isSuspended || (isProxyShut && isProxied(name)) }

  func isProxied(_ name: String) -> Bool { name != Self.here && route.leads(toServer: name) }

  package mutating func limit(to limits: HostLimits, now: Duration) {
    if limits.useful != self.limits.useful { seats?.tell() }
    self.limits = limits
    callAll(now)
  }

  // MARK: seats

  private func room(_ name: String, _ window: HostWindow, _ now: Duration) -> Int {
    window.room(now: now, most: limits.most, seats: seats?.limit(name, now: now))
  }

  /// - Parameters:
  ///   - waiting: The photos that wait for each host.
  ///   - led: The photos that wait for another one, and need room at both.
  package mutating func claimSeats(
    _ waiting: [String: Int], led: [String: Int] = [:], now: Duration
  ) -> [SeatClaim] {
    let needs = waiting.merging(led) { $0 + $1 }
    let names = Set(needs.keys).union(hosts.keys).subtracting([Self.here])
    let uses = names.sorted().map { name in
      let window = hosts[name]?.window
      let photos = isShut(name) ? 0 : needs[name] ?? 0
      return HostSeats.Use(
        name, inFlight: window?.inFlight ?? 0,
        // Of a closed host other machines may have the seats.
        waiting: window?.closure == nil ? photos : min(1, photos), isForLed: led[name] != nil,
        word: hosts[name]?.window.word(now: now) ?? .none, growth: window?.growth)
    }
    return seats?.claims(uses, now: now) ?? []
  }

  package mutating func grantSeats(
    _ granted: [SeatGrant], until deadline: Duration, now: Duration, jitter: Double
  ) {
    seats?.grant(granted, until: deadline)
    for grant in granted {
      hosts[grant.host]?.window.hear(grant.report, now: now, jitter: jitter)
    }
    callAll(now)
  }

  /// The host is closed, and another one has answered since: this machine is not cut off.
  func isDead(_ name: String) -> Bool {
    guard let closure = hosts[name]?.window.closure, let lastAnswer else { return false }
    return lastAnswer >= closure.since
  }

  package func hasUnreached(within limit: Duration, now: Duration) -> Bool {
    hosts.values.contains { $0.window.isUnreached(within: limit, now: now) }
  }

  /// This machine alone does not reach the host, as far as it knows; see `HostWindow`.
  package func isUnreached(_ name: String, within limit: Duration, now: Duration) -> Bool {
    hosts[name]?.window.isUnreached(within: limit, now: now) ?? false
  }

  /// Takes out whether seats should be asked for at once.
  package mutating func takeSeatNews() -> Bool { seats?.takeNews() ?? false }

  /// Other machines have the seats that photos wait for.
  func lacksSeats(_ name: String) -> Bool {
    guard let seats, let window = hosts[name]?.window, window.closure == nil else { return false }
    return seats.areElsewhere(name, inFlight: window.inFlight, useful: limits.useful)
  }

  private mutating func callAll(_ now: Duration) {
    for name in Array(hosts.keys) {
      if let host = hosts.removeValue(forKey: name) { put(host, name, now) }
    }
  }

  package func closure(of name: String) -> HostWindow.Closure? { hosts[name]?.window.closure }

  /// The lists whose photos have failed there since it is closed, some of very many.
  func failed(at name: String) -> Set<ListID> { hosts[name]?.failed ?? [] }

  /// Closed hosts with waiting lines or a shut gate, sorted by name.
  package func closed(now: Duration) -> [(name: String, closure: HostWindow.Closure)] {
    hosts.compactMap { name, host in
      guard let closure = host.window.closure, host.isAwaited || closure.next > now else {
        return nil
      }
      return (name, closure)
    }.sorted { $0.name < $1.name }
  }

  // MARK: inside

  /// Photos do not wait longer than their patience, whatever their host asks for. Without patience none waits
  /// at all, and the host may ask for any wait.
  var longestWish: Duration {
    limits.patience == .zero
      ? HostWindow.longestWish : min(limits.patience, HostWindow.longestWish)
  }

  /// Old trouble says nothing about a host now.
  private func known(_ name: String, _ now: Duration) -> Host {
    guard let host = hosts[name], host.isAwaited || !isForgettable(host, name, now) else {
      return Host()
    }
    return host
  }

  /// Nothing is worth remembering, nor telling to other machines.
  private func isForgettable(_ host: Host, _ name: String, _ now: Duration) -> Bool {
    host.window.isForgettable(now: now) && !detours.lead(to: name)
      && (seats == nil || !host.window.hasFinding)
  }

  /// For owners with a photo that failed since the host closed. Tried photos give up sooner, but not while untried ones
  /// could show that the host is well.
  private func lost(
    _ host: Host, _ owner: UInt32, isTried: Bool, hasFresh: Bool, now: Duration
  ) -> HostWindow.Closure? {
    guard let loser = host.losers[owner] else { return nil }
    let isSooner = isTried && (loser.hasFailedFresh || !hasFresh)
    let time = isSooner ? min(triedPatience, limits.patience) : limits.patience
    return host.window.isLost(after: time, since: loser.since, now: now)
      ? host.window.closure : nil
  }

  private mutating func unlist(_ key: LineKey, _ name: String, _ host: inout Host) {
    guard host.called.removeValue(forKey: key) != nil else { return }
    calls[key]?.removeAll { $0 == name }
    if calls[key]?.isEmpty == true { calls[key] = nil }
  }

  private mutating func note(_ key: LineKey, isCalledBy name: String) {
    calls[key, default: []].append(name)
    newlyCalled.append(key)
  }

  /// Calls as many lines as there is room for, and keeps the host as long as there is anything to remember.
  private mutating func put(_ host: Host, _ name: String, _ now: Duration) {
    var host = host
    if !isShut(name) {
      let room = name == Self.here ? Int.max : room(name, host.window, now)
      while host.called.count < room, let key = host.call() { note(key, isCalledBy: name) }
      // A photo that gives up needs no room.
      let losers = host.losers.keys.filter { owner in
        lost(host, owner, isTried: true, hasFresh: false, now: now) != nil
      }
      if !losers.isEmpty {
        let owners = Set(losers)
        while let key = host.call(of: { owners.contains($0.owner) }) {
          note(key, isCalledBy: name)
        }
      }
    }
    setGate(&host, name, now)
    let isIdle =
      isForgettable(host, name, now)
      || (hosts.count >= Self.longestMemory && host.window.inFlight == 0
        && !detours.lead(to: name))
    keep(host.isAwaited || !isIdle ? host : nil, name)
    if name != Self.here {
      seats?.note(
        name, inFlight: host.window.inFlight, isAwaited: host.isAwaited, most: limits.most)
    }
  }

  /// After each change of its calls and queues.
  private mutating func keep(_ host: Host?, _ name: String) {
    hosts[name] = host
    if host?.isCrowded == true { crowded.insert(name) } else { crowded.remove(name) }
  }

  /// One alarm per host: `DueQueue` would ignore a second one.
  private mutating func setGate(_ host: inout Host, _ name: String, _ now: Duration) {
    let gate = host.window.closure.flatMap { $0.next > now ? $0.next : nil }
    guard gate != host.alarm, host.isAwaited || gate == nil else { return }
    gates.remove(name)
    host.alarm = gate
    if let gate { gates.insert(name, due: gate) }
  }
}
