// SPDX-License-Identifier: Apache-2.0
// All hosts with photos now, the lines that wait at each, and their order. A host without photos and without
// trouble is forgotten. A plain value: after each call its owner takes out the called lines.
//
// Lines wait at a host in queues by class, in turn by owner, and the lines of an owner in turns of several photos. The
// lines of owners without a photo in flight there go first. The host calls as many lines as it has room for. A called
// line starts a photo or returns to the head of its queue, so that no room stays unused and no call is wasted.

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
  /// The limit of lists that are remembered for each owner of a closed host.
  static let mostFailed = 64

  var hosts: [String: Host] = [:]
  /// The hosts that have called each line.
  private var calls: [LineKey: [String]] = [:]
  private var gates = DueQueue<String>()
  private var newlyCalled: [LineKey] = []
  /// The hosts that have called a line while others wait: only there may a call be passed on. There may be thousands
  /// of calls, but hardly any call can be passed on.
  private var crowded: Set<String> = []
  private var memory = HostMemory()
  var detours = Detours()
  private(set) var limits: HostLimits
  /// How long tried photos wait for a closed host.
  private let triedPatience: Duration
  /// Nil for a machine that works alone.
  var seats: HostSeats?
  /// Of any host.
  private(set) var lastAnswer: Duration?
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
    let places = places(name, host, now)
    guard places.isFor(owner), !host.isAwaited(ahead: serviceClass, of: owner, in: places) else {
      return .wait
    }
    // A second owner would copy all of its guests.
    hosts[name] = nil
    let isProbe = host.guests[owner, default: Guest()].window
      .start(tried: isTried, fresh: !isTried, now: now)
    hosts[name] = host
    return .start(isProbe: isProbe)
  }

  /// The answer of a called line: it has tried photos for the host, untried ones, or both. `isHopeful`: untried ones may
  /// be led there. `hasMore`: more than one.
  package mutating func answer(
    _ name: String, _ key: LineKey, isTried: Bool, hasFresh: Bool = false,
    isHopeful: Bool = false, hasMore: Bool, now: Duration
  ) -> Answer {
    guard let share = hosts[name]?.called[key], var host = hosts.removeValue(forKey: name) else {
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
    let isFree = name == Self.here || places(name, host, now).isFor(share.owner)
    guard !isShut, isFree else {
      host.takeBack(key, share)
      put(host, name, now)
      return .wait
    }
    let isProbe =
      name == Self.here
      ? false
      : host.guests[share.owner, default: Guest()].window
        .start(tried: isTried, fresh: hasFresh || !isTried, now: now)
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
    if !host.holds(key) {
      if !isShut(name), isLosing(host, owner, now) {
        host.called.add(key, OwnerSeats.Share(owner: owner, serviceClass: serviceClass))
        note(key, isCalledBy: name)
      } else {
        host[serviceClass].append(key, of: owner)
      }
    }
    put(host, name, now)
  }

  /// Lines of owners without room pass their calls on to lines that have room and wait at the same host. They go first
  /// there when they have room. Returns whether any did.
  mutating func passCalls(now: Duration, unless hasRoom: (OwnerSeats.Share) -> Bool) -> Bool {
    let names = crowded.filter { !isShut($0) && mayPass($0, now, unless: hasRoom) }
    for name in names.sorted() {
      guard var host = hosts.removeValue(forKey: name) else { continue }
      call(&host, name, now)
      let shares = passing(host, now, unless: hasRoom)
      for (key, share) in host.called.sorted(of: shares) {
        host.called.remove(key)
        let next = host.call(in: uncalled(name, host, now).places, of: hasRoom)
        host.called.add(key, share)
        guard let next else { continue }
        unlist(key, name, &host)
        host[share.serviceClass].insertFirst(key, of: share.owner)
        note(next, isCalledBy: name)
      }
      keep(host, name)
    }
    return !newlyCalled.isEmpty
  }

  /// A line of an owner without room is called for a place, and an owner with room waits for one. Looks through no lines.
  private func mayPass(
    _ name: String, _ now: Duration, unless hasRoom: (OwnerSeats.Share) -> Bool
  ) -> Bool {
    guard let host = hosts[name], !passing(host, now, unless: hasRoom).isEmpty else { return false }
    return host.hasHeir(in: places(name, host, now), with: hasRoom)
  }

  /// A call to give up has no place to pass on.
  private func passing(
    _ host: Host, _ now: Duration, unless hasRoom: (OwnerSeats.Share) -> Bool
  ) -> [OwnerSeats.Share] {
    host.called.shares.filter { !hasRoom($0) && !isLosing(host, $0.owner, now) }
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
    guard name != Self.here, let guest = hosts[name]?.guests[owner],
      var host = hosts.removeValue(forKey: name)
    else { return nil }
    let isFresh = isProbe && guest.window.closure?.isFreshProbe == true
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
    if outcome == .answered, hosts[name]?.guests[owner] == nil {
      hosts[name]?.lastAnswer = now
      return nil
    }
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
    var guest = host.guests[owner] ?? Guest()
    let wasClosed = guest.window.closure != nil
    let losses = losses(host, owner, now)
    let news = end(&guest.window, limits.most, longestWish)
    if outcome.isAnswer { lastAnswer = now }
    host.judge(key, outcome, now)
    if guest.window.closure == nil {
      guest.forgetLosses()
    } else if case .failed = outcome {
      guest.lost(key.list, isFresh: isFresh)
    }
    host.guests[owner] = guest
    // It needs other seats, and others want to know.
    if news != nil || (wasClosed && guest.window.closure == nil) { seats?.tell() }
    let told = host.told(news, outcome)
    put(host, name, now, givingUp: losses == self.losses(host, owner, now) ? [] : [owner])
    return told
  }

  // MARK: servers behind hosts

  /// Where a photo asks for its place. A photo that is led to another server needs room there and at its host. It
  /// asks at the host first, because it reaches the other server only after the host has answered.
  func door(of photo: PhotoID, at host: String, for owner: UInt32, now: Duration) -> String {
    guard let detour = detours[photo] else { return host }
    let isOnlyFull =
      hasRoom(host, for: owner, now: now) && !hasRoom(detour.server, for: owner, now: now)
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

  func hasRoom(_ name: String, for owner: UInt32, now: Duration) -> Bool {
    !isShut(name) && places(name, known(name, now), now).isFor(owner)
  }

  /// A photo that has just got its place at one of two hosts takes one at the other; true if it is a probe there.
  mutating func start(_ name: String, of owner: UInt32, now: Duration) -> Bool {
    var host = known(name, now)
    hosts[name] = nil
    let isProbe = host.guests[owner, default: Guest()].window
      .start(tried: true, fresh: false, now: now)
    hosts[name] = host
    return isProbe
  }

  // MARK: time and people

  /// Calls the lines of hosts whose gate has opened.
  package mutating func awaken(now: Duration) {
    while let name = gates.take(now: now) {
      guard var host = hosts.removeValue(forKey: name) else { continue }
      host.alarm = nil
      // Lines that were called to give up wait for their turn to probe, behind the owners who wait already.
      let back = host.called.shares.filter {
        host.isClosed(for: $0.owner) && !isLosing(host, $0.owner, now)
      }
      for (key, share) in host.called.sorted(of: back) {
        unlist(key, name, &host)
        host[share.serviceClass].append(key, of: share.owner)
      }
      put(host, name, now)
    }
  }

  /// The earliest gate of a closed host with waiting lines.
  package var nextGate: Duration? { isSuspended ? nil : gates.firstDue }

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

  // MARK: inside

  /// - Parameter isPatienceNew: Owners may have begun to give up.
  mutating func callAll(_ now: Duration, isPatienceNew: Bool = true) {
    for name in Array(hosts.keys) {
      guard let host = hosts.removeValue(forKey: name) else { continue }
      put(host, name, now, givingUp: isPatienceNew ? host.guests.keys.sorted() : [])
    }
  }

  /// Photos do not wait longer than their patience, whatever their host asks for. Without patience none waits
  /// at all, and the host may ask for any wait.
  var longestWish: Duration {
    limits.patience == .zero
      ? HostWindow.longestWish : min(limits.patience, HostWindow.longestWish)
  }

  /// Old trouble says nothing about a host now.
  private func known(_ name: String, _ now: Duration) -> Host {
    var host = hosts[name] ?? Host()
    forget(&host, name, now)
    return host
  }

  /// Forgets owners about whom there is nothing to remember, nor to say to other machines.
  private func forget(_ host: inout Host, _ name: String, _ now: Duration) {
    if host.guests.isEmpty || detours.lead(to: name) { return }
    let old = host.guests.filter { _, guest in
      guest.window.isForgettable(now: now) && (seats == nil || !guest.window.hasFinding)
    }
    if old.isEmpty { return }
    let awaited = host.awaitedOwners
    for owner in old.keys where !awaited.contains(owner) { host.guests[owner] = nil }
  }

  /// For owners with a photo that failed since the host closed. Tried photos give up sooner, but not while untried ones
  /// could show that the host is well.
  private func lost(
    _ host: Host, _ owner: UInt32, isTried: Bool, hasFresh: Bool, now: Duration
  ) -> HostWindow.Closure? {
    guard let guest = host.guests[owner] else { return nil }
    let isSooner = isTried && (guest.hasFailedFresh || !hasFresh)
    let time = isSooner ? min(triedPatience, limits.patience) : limits.patience
    return guest.window.isLost(after: time, now: now) ? guest.window.closure : nil
  }

  /// Photos of the owner give up now, without a place.
  private func isLosing(_ host: Host, _ owner: UInt32, _ now: Duration) -> Bool {
    lost(host, owner, isTried: true, hasFresh: false, now: now) != nil
  }

  /// Whether tried photos give up now, and whether untried ones do.
  private func losses(_ host: Host, _ owner: UInt32, _ now: Duration) -> (Bool, Bool) {
    let untried = lost(host, owner, isTried: false, hasFresh: true, now: now)
    return (isLosing(host, owner, now), untried != nil)
  }

  private func places(_ name: String, _ host: Host, _ now: Duration) -> Places {
    Places(
      host.guests, now: now, most: limits.most, seats: seats?.limit(name, now: now))
  }

  /// The places for which no line is called yet, and for each owner the number of calls for which there is no place.
  /// A photo that gives up needs no place.
  private func uncalled(
    _ name: String, _ host: Host, _ now: Duration
  ) -> (places: Places, surplus: [UInt32: Int]) {
    host.uncalled(of: places(name, host, now))
  }

  /// Withdraws calls whose places are gone, so that each remaining call has a place, or is a call to give up. Returns
  /// the places without a call.
  private mutating func settle(_ host: inout Host, _ name: String, _ now: Duration) -> Places {
    var (places, surplus) = uncalled(name, host, now)
    surplus = surplus.filter { !isLosing(host, $0.key, now) }
    if surplus.isEmpty { return places }
    var withdrawn: [(key: LineKey, share: OwnerSeats.Share)] = []
    // The least urgent ones first.
    let shares = host.called.shares.filter { surplus[$0.owner] != nil }
    for (key, share) in host.called.sorted(of: shares).reversed() {
      guard let count = surplus[share.owner], count > 0 else { continue }
      surplus[share.owner] = count - 1
      unlist(key, name, &host)
      withdrawn.append((key, share))
    }
    host.takeBack(withdrawn.reversed())
    return places
  }

  private mutating func unlist(_ key: LineKey, _ name: String, _ host: inout Host) {
    guard host.called.remove(key) != nil else { return }
    calls[key]?.removeAll { $0 == name }
    if calls[key]?.isEmpty == true { calls[key] = nil }
  }

  private mutating func note(_ key: LineKey, isCalledBy name: String) {
    calls[key, default: []].append(name)
    newlyCalled.append(key)
  }

  /// Calls as many lines as there is room for, and keeps the host as long as there is anything to remember.
  /// - Parameter owners: They may have begun to give up, so that their lines are called. A line that then gives up no photo
  ///   waits until the next time.
  mutating func put(
    _ host: Host, _ name: String, _ now: Duration, givingUp owners: [UInt32] = []
  ) {
    var host = host
    if !isShut(name) {
      call(&host, name, now)
      for owner in owners where isLosing(host, owner, now) {
        for key in host.callLines(of: owner) { note(key, isCalledBy: name) }
      }
    }
    setGate(&host, name, now)
    forget(&host, name, now)
    let idle = detours.lead(to: name) ? [] : host.idleOwners
    for owner in memory.note(name, idle) { host.guests[owner] = nil }
    keep(host.isAwaited || !host.guests.isEmpty ? host : nil, name)
    if name != Self.here {
      seats?.note(
        name, inFlight: host.inFlight, isAwaited: host.isAwaited, most: limits.most)
    }
  }

  private mutating func call(_ host: inout Host, _ name: String, _ now: Duration) {
    if name == Self.here {
      while let key = host.call(of: { _ in true }) { note(key, isCalledBy: name) }
      return
    }
    var places = settle(&host, name, now)
    while let key = host.call(in: places) {
      if let owner = host.called[key]?.owner { places.take(owner) }
      note(key, isCalledBy: name)
    }
  }

  /// After each change of its calls and queues.
  private mutating func keep(_ host: Host?, _ name: String) {
    hosts[name] = host
    if host?.isCrowded == true { crowded.insert(name) } else { crowded.remove(name) }
  }

  /// One alarm per host: `DueQueue` would ignore a second one.
  private mutating func setGate(_ host: inout Host, _ name: String, _ now: Duration) {
    let gate = host.gate(now: now)
    if gate == host.alarm { return }
    gates.remove(name)
    host.alarm = gate
    if let gate { gates.insert(name, due: gate) }
  }
}
