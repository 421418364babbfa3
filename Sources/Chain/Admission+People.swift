// SPDX-License-Identifier: Apache-2.0
// Changes by people and by the machine, to hosts, classes and the focus, and their view of hosts.

package import Vocabulary

extension Admission {
  /// Suspends or resumes downloads; photos that need no download are not affected.
  package mutating func suspendDownloads(_ isOn: Bool, now: Duration) {
    guard hosts.isSuspended != isOn else { return }
    hosts.suspend(isOn, now: now)
    enterCalled()
  }

  /// The same for downloads through the proxy.
  package mutating func shutProxy(_ isOn: Bool, now: Duration) {
    guard hosts.isProxyShut != isOn else { return }
    hosts.shutProxy(isOn, now: now)
    enterCalled()
  }

  package mutating func route(by route: ProxyRoute, now: Duration) {
    hosts.route(by: route, now: now)
    enterCalled()
  }

  /// The photo in flight goes through the proxy.
  func isProxied(_ photo: PhotoID) -> Bool {
    guard hosts.route.server != nil else { return false }
    return host(of: photo).map(hosts.isProxied) ?? false
  }

  /// The host at which the photo in flight has a place.
  func host(of photo: PhotoID) -> String? {
    key(of: photo).flatMap { lines[$0]?.inFlight[photo.number]?.host }
  }

  package mutating func limitHosts(to limits: HostLimits, now: Duration) {
    hosts.limit(to: limits, now: now)
    enterCalled()
  }

  // MARK: seats

  /// The use of each host by this machine until `grantSeats`, and how many photos it has there.
  package mutating func claimSeats(now: Duration) -> [SeatClaim] {
    var (waiting, led): ([String: Int], [String: Int]) = ([:], [:])
    // If several photos of one owner wait for a closed server, one of the photos is tried at a time.
    var probes: [String: Set<SeatProbe>] = [:]
    for (key, line) in lines where !line.isStill {
      let owner = owner(of: key.list)
      for (host, photos, _) in line.forHost.sizes {
        let isClosed = hosts.closure(of: host, for: owner) != nil
        if isClosed {
          probes[host, default: []].insert(SeatProbe(owner: owner, server: host))
        } else {
          waiting[host, default: 0] += photos
        }
        let others = line.forHost.led(at: host).compactMap { number in
          hosts.detours[PhotoID(list: key.list, number: number)]?.other(than: host)
        }
        for other in others {
          let isProbe = hosts.closure(of: other, for: owner) != nil
          let count = isClosed || isProbe ? 0 : 1
          led[other, default: 0] += count
          guard isProbe, !isClosed else { continue }
          waiting[host, default: 0] -= 1
          probes[host, default: []].insert(SeatProbe(owner: owner, server: other))
        }
      }
    }
    for (host, own) in probes { waiting[host, default: 0] += own.count }
    return hosts.claimSeats(waiting, led: led.mapValues { max(1, $0) }, now: now)
  }

  /// The photo of the owner that tests the closed server.
  private struct SeatProbe: Hashable {
    let owner: UInt32
    let server: String
  }

  package mutating func grantSeats(
    _ granted: [SeatGrant], until deadline: Duration, now: Duration, jitter: Double
  ) {
    hosts.grantSeats(granted, until: deadline, now: now, jitter: jitter)
    enterCalled()
  }

  /// Allows a probe of a closed host at once. Without a name: of all closed hosts, and all waiting retries
  /// are due.
  package mutating func flush(_ host: String?, now: Duration) -> Int {
    let count = hosts.flush(host, now: now)
    if host == nil {
      expectant.flush(now)
      for key in expectant.keys { lines[key]?.waiting.hurry(to: now) }
      if !expectant.keys.isEmpty { expectant.next(now) }
    }
    enterCalled()
    return count
  }

  /// The machine has a network again: what waited for it is tried at once.
  package mutating func reconnected(now: Duration) {
    for (list, photos) in setbacks.end(Failure.noNetwork) {
      for key in keys[list] ?? [] {
        guard var line = lines[key] else { continue }
        for photo in photos where line.waiting.contains(photo) {
          line.waiting.remove(photo)
          line.waiting.insert(photo, due: now)
        }
        put(line, key)
      }
      block(list, false, now)
    }
  }

  /// The same for the owners of each host, unless the host asked to be left alone.
  mutating func flush(for owners: [String: Set<UInt32>], now: Duration) -> Int {
    defer { enterCalled() }
    return hosts.flush(for: owners, now: now)
  }

  /// Of the owner of the list.
  func closure(of host: String, for list: ListID) -> HostWindow.Closure? {
    hosts.closure(of: host, for: owner(of: list))
  }

  // MARK: what photos wait for

  enum Standing: Equatable, Sendable { case still, retry, turn }

  /// Nil for a photo of an unknown list.
  func standing(of photo: PhotoID) -> Standing? {
    guard let all = keys[photo.list] else { return nil }
    if all.contains(where: { lines[$0]?.isStill == true }) { return .still }
    return all.contains { lines[$0]?.waiting.contains(photo.number) == true } ? .retry : .turn
  }

  /// Takes time in proportion to the hosts for which photos wait, which are at most `mostWaiting`.
  func waits(of list: ListID) -> ListWaits? {
    guard let all = keys[list] else { return nil }
    var waits = ListWaits()
    var crowds: [String: ListWaits.Crowd] = [:]
    for line in all.compactMap({ lines[$0] }) {
      for (host, photos, first) in line.forHost.sizes {
        let known = crowds[host]
        crowds[host] = ListWaits.Crowd(
          host: host, photos: photos + (known?.photos ?? 0), first: known?.first ?? first)
      }
      waits.retrying += line.waiting.count
      if let first = line.waiting.first, first.due < waits.retry?.due ?? .seconds(Int64.max) {
        waits.retry = (first.element, first.due)
      }
      let next = line.candidate?.number ?? line.returned.first
      let ahead = line.isExhausted ? line.held.first : line.cursor + 1
      waits.next = waits.next ?? next ?? ahead
    }
    waits.hosts = Array(crowds.values)
    return waits
  }

  /// For each host and each owner, the lists whose photos wait at the closed host, or failed there.
  func lists(at names: Set<String>) -> [String: [UInt32: Set<ListID>]] {
    if names.isEmpty { return [:] }
    var found = Dictionary(uniqueKeysWithValues: names.map { ($0, hosts.failed(at: $0)) })
    for (key, line) in lines {
      let owner = owner(of: key.list)
      for host in line.forHost.names
      where names.contains(host) && hosts.closure(of: host, for: owner) != nil {
        found[host]?[owner, default: []].insert(key.list)
      }
    }
    return found
  }

  /// The photos of each list that wait for closed hosts or for another attempt, or are held. A list counts as a whole
  /// when more of its photos wait than are looked at.
  /// - Parameter slow: the number of photos that count as well while the window has room, although they wait for hosts
  ///   that are open, or for closed ones while no host answers.
  func waitingPhotos(slow: Int) -> WaitingPhotos {
    var found = WaitingPhotos(room: max(0, window - size.kept - inFlight))
    var rest = found.room > 0 ? slow : 0
    for (key, line) in lines.sorted(by: { $0.key.list < $1.key.list }) where !line.isStill {
      var (still, slow) = (0, 0)
      for (host, photos, _) in line.forHost.sizes {
        if hosts.isDead(host, for: owner(of: key.list)) {
          still += photos
        } else {
          slow += min(photos, rest - slow)
        }
      }
      rest -= slow
      let others = line.waiting.count + line.held.count
      let isFull = still + slow >= Line.longestWait && !line.canLookAhead
      let isMore = isFull || (line.isExhausted && line.held.hasPassed)
      let count = isMore ? Int(UInt32.max) : still + slow + others
      if count > 0 { found.counts[key.list, default: 0] += count }
      if slow > 0 { found.slow[key.list, default: 0] += slow }
    }
    return found
  }

  /// The number of photos of each list that wait for hosts which another machine reaches and this machine does not.
  /// If a list has such photos, its photos that wait for another attempt, and its held photos, count as well.
  /// - Parameter limit: the longest time since the host answered the other machine.
  func unreachedPhotos(within limit: Duration, now: Duration) -> [ListID: Int] {
    // The usual case, tested first because lines may have many hosts.
    guard hosts.hasUnreached(within: limit, now: now) else { return [:] }
    var (counts, retries): ([ListID: Int], [ListID: Int]) = ([:], [:])
    for (key, line) in lines where !line.isStill {
      for (host, photos, _) in line.forHost.sizes
      where hosts.isUnreached(host, for: owner(of: key.list), within: limit, now: now) {
        counts[key.list, default: 0] += photos
      }
      retries[key.list, default: 0] += line.waiting.count + line.held.count
    }
    for list in counts.keys { counts[list, default: 0] += retries[list] ?? 0 }
    return counts
  }

  // MARK: classes

  /// Photos that set a class keep it, and so do photos in flight; see `ChainRunner.setClass`.
  package mutating func setClass(_ serviceClass: ServiceClass, of list: ListID, now: Duration) {
    let key = LineKey(list)
    guard var line = lines.removeValue(forKey: key) else { return }
    let owner = owner(of: list)
    turns.remove(key, line.serviceClass, of: owner)
    line.serviceClass = serviceClass
    for host in line.forHost.hosts where !line.isStill {
      hosts.leave(host, key, now: now)
      hosts.join(host, key, serviceClass, of: owner, now: now)
    }
    put(line, key)
    enterCalled()
  }

  /// The class of a photo in flight, which the lease of a focus raises.
  package func serviceClass(of photo: PhotoID) -> ServiceClass? {
    guard let own = ownClass(of: photo) else { return nil }
    return focus.isFocused(photo) ? .userInteractive : own
  }

  /// The class without a focus.
  func ownClass(of photo: PhotoID) -> ServiceClass? {
    key(of: photo).flatMap { lines[$0]?.serviceClass }
  }

  // MARK: the focus

  /// Photos that are done, or unknown to the list, are ignored when they are looked at.
  package mutating func setFocus(
    _ viewer: FocusBoard.Viewer, _ photos: [UInt32], until: Duration, now: Duration
  ) throws(Failure) {
    guard let owner = owners[viewer.list] else { throw FocusBoard.notAtWork }
    try focus.set(viewer, of: owner, photos, until: until, now: now)
    enterFocused(viewer.list)
  }

  package mutating func endFocus(_ viewer: FocusBoard.Viewer) -> Bool { focus.end(viewer) }

  /// A focused photo waits for a place.
  var isFocusWaiting: Bool {
    !focus.atHosts.isEmpty || keys.keys.contains { focus.waits($0) }
  }

  /// The photo has a chain in a lower class, which ends to make way for one in the class of the focus.
  mutating func renew(_ photo: PhotoID) { focus.displace(photo, for: .itself) }

  /// The host at which the photo waits for a place.
  func hostAwaited(by photo: PhotoID) -> String? {
    keys[photo.list]?.lazy.compactMap { lines[$0]?.forHost.host(of: photo.number) }.first
  }
}
