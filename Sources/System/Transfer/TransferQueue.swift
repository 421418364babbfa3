// SPDX-License-Identifier: Apache-2.0
// The order of transfers. The owner with the fewest running transfers goes first, whatever the classes. Among owners
// with equally few, the owner with the most urgent class goes first, except in one turn of eight. The class orders
// the transfers of one owner in the same turns, and within a class the first to arrive goes first, except transfers
// whose host has all its connections. A transfer for photos of several owners waits in the turns of all these owners,
// and counts for the owner whose turn it took. Some connections are kept for owners without connections, because slow
// hosts would hold all connections. Half of the kept connections are also open to transfers from hosts that were just
// quick. A quarter of the connections to a host is kept for owners with few there, to which redirects may lead many
// transfers. A lookup that outlives its transfer counts as a transfer of its owner, but has no connection. A value. A
// transfer's time-out does not run while it waits here.

import Queues
import Vocabulary

struct TransferQueue<Host: Hashable> {
  private struct Entry {
    let ticket: UInt64
    /// The host's index in `hosts`.
    let host: Int
    let owner: UInt32
    let serviceClass: ServiceClass
    /// libcurl may have to look up the name of the host.
    let isNamed: Bool
  }

  private struct HostAccount {
    let host: Host
    var waiting = 0
    /// The running transfers of each owner.
    var shares: [UInt32: Int] = [:]
    /// All running transfers, counted because each look at a waiting one needs the number.
    var running = 0
    /// Its last transfer was quick.
    var isQuick = false

    mutating func begin(for owner: UInt32) {
      running += 1
      shares[owner, default: 0] += 1
    }

    mutating func end(for owner: UInt32) {
      running -= 1
      let left = (shares[owner] ?? 1) - 1
      shares[owner] = left > 0 ? left : nil
    }
  }

  /// Mostly the first entry is taken, and thousands may follow: entries move up only when half of the
  /// places are empty.
  private struct Line {
    private var places: [Entry?] = []
    private var start = 0
    private var empty = 0

    var isEmpty: Bool { empty == places.count }

    mutating func append(_ entry: Entry) { places.append(entry) }

    mutating func prepend(_ entry: Entry) {
      if start == 0 {
        places.insert(entry, at: 0)
      } else {
        start -= 1
        empty -= 1
        places[start] = entry
      }
    }

    func entry(_ ticket: UInt64) -> Entry? {
      for place in start..<places.count {
        if let entry = places[place], entry.ticket == ticket { return entry }
      }
      return nil
    }

    private func first(_ isMeant: (Entry) -> Bool) -> Int? {
      (start..<places.count).first { place in places[place].map(isMeant) ?? false }
    }

    func holds(_ isMeant: (Entry) -> Bool) -> Bool { first(isMeant) != nil }

    /// Removes the first matching entry.
    mutating func take(_ isMeant: (Entry) -> Bool) -> Entry? {
      guard let place = first(isMeant), let entry = places[place] else { return nil }
      places[place] = nil
      empty += 1
      tidy()
      return entry
    }

    private mutating func tidy() {
      while start < places.count, places[start] == nil { start += 1 }
      guard empty >= 32, empty * 2 >= places.count else { return }
      places.removeAll { $0 == nil }
      (start, empty) = (0, 0)
    }
  }

  /// The waiting transfers of one owner, by class.
  private struct Crowd {
    private var lines = [Line](repeating: Line(), count: ServiceClass.allCases.count)
    private var turns = ClassTurns()

    var isEmpty: Bool { lines.allSatisfy(\.isEmpty) }

    mutating func add(_ entry: Entry, isFirst: Bool) {
      let line = Int(entry.serviceClass.rawValue)
      if isFirst { lines[line].prepend(entry) } else { lines[line].append(entry) }
    }

    func entry(_ ticket: UInt64) -> Entry? {
      lines.lazy.compactMap { $0.entry(ticket) }.first
    }

    mutating func remove(_ entry: Entry) {
      _ = lines[Int(entry.serviceClass.rawValue)].take { $0.ticket == entry.ticket }
    }

    /// The classes with a matching entry, the most urgent first.
    func classes(_ isMeant: (Entry) -> Bool) -> [ServiceClass] {
      ServiceClass.allCases.filter { lines[Int($0.rawValue)].holds(isMeant) }
    }

    /// Removes the first matching entry of the class whose turn it is.
    /// - Parameters:
    ///   - classes: those with a matching entry.
    ///   - isServed: a transfer of the class is running.
    mutating func take(
      of classes: [ServiceClass], unless isServed: (ServiceClass) -> Bool,
      _ isMeant: (Entry) -> Bool
    ) -> Entry? {
      guard let next = turns.next(of: classes, unless: isServed) else { return nil }
      turns.gave(next, of: classes)
      return lines[Int(next.rawValue)].take(isMeant)
    }
  }

  /// An owner whose turn it may be.
  private struct Candidate {
    let owner: UInt32
    /// The classes with a transfer that may start, the most urgent first.
    let classes: [ServiceClass]
  }

  private(set) var total: Int
  private(set) var perHost: Int
  private var kept: Int
  /// Owners with waiting transfers; the one whose turn was longest ago is first.
  private var owners: [UInt32] = []
  private var waiting: [UInt32: Crowd] = [:]
  /// The turns of owners with equally many transfers.
  private var ranks = ClassTurns()
  /// The waiting transfers that may have several owners.
  private var shared: Set<UInt64> = []
  private var running: [UInt64: Entry] = [:]
  /// The running transfers of each owner.
  private var shares: [UInt32: Int] = [:]
  private var lookups = LingeringLookups()
  /// The hosts of waiting and running transfers; unused indices are in `free`.
  private var hosts: [HostAccount?] = []
  private var free: [Int] = []
  private var places: [Host: Int] = [:]

  init(total: Int, perHost: Int, kept: Int = 0) {
    self.total = total
    self.perHost = perHost
    self.kept = kept
  }

  var isFull: Bool { running.count >= total }
  var isEmpty: Bool { running.isEmpty && owners.isEmpty }

  /// A host is forgotten with its last transfer.
  var hostCount: Int { places.count }

  /// Higher limits take effect at once, lower ones as running transfers end.
  mutating func limit(total: Int, perHost: Int, kept: Int = 0) {
    self.total = total
    self.perHost = perHost
    self.kept = kept
  }

  /// `isNamed` is for a transfer whose name libcurl may have to look up, `isFirst` for a transfer that was already running
  /// and continues with another request.
  mutating func add(
    _ ticket: UInt64, host: Host, of owners: Set<UInt32> = [0], _ urgency: ServiceClass,
    isNamed: Bool = false, isFirst: Bool = false
  ) {
    if owners.count > 1 { shared.insert(ticket) }
    let host = enter(host)
    for owner in owners.sorted() {
      let entry = Entry(
        ticket: ticket, host: host, owner: owner, serviceClass: urgency, isNamed: isNamed)
      enter(entry, isFirst: isFirst)
    }
  }

  private mutating func enter(_ entry: Entry, isFirst: Bool) {
    if waiting[entry.owner] == nil { owners.append(entry.owner) }
    waiting[entry.owner, default: Crowd()].add(entry, isFirst: isFirst)
  }

  /// Moves a waiting transfer to the end of its new class, and to the ends of the lines of new owners; a running one is
  /// left alone.
  mutating func change(
    _ ticket: UInt64, to urgency: ServiceClass, for owners: Set<UInt32> = [0]
  ) {
    let entries = entries(ticket)
    guard let first = entries.first else { return }
    if owners.count > 1 { shared.insert(ticket) }
    let kept = first.serviceClass == urgency ? owners.intersection(entries.map(\.owner)) : []
    for owner in owners.subtracting(kept).sorted() {
      let entry = Entry(
        ticket: ticket, host: first.host, owner: owner, serviceClass: urgency,
        isNamed: first.isNamed)
      enter(entry, isFirst: false)
    }
    for entry in entries where !kept.contains(entry.owner) { leave(entry) }
  }

  /// The ticket's entries, one for each of its owners.
  private func entries(_ ticket: UInt64) -> [Entry] {
    owners.compactMap { waiting[$0]?.entry(ticket) }
  }

  /// Removes the entry from the line of its owner, who keeps the turn.
  private mutating func leave(_ entry: Entry) {
    waiting[entry.owner]?.remove(entry)
    tidy(entry.owner)
  }

  private mutating func tidy(_ owner: UInt32) {
    guard waiting[owner]?.isEmpty == true else { return }
    waiting[owner] = nil
    owners.removeAll { $0 == owner }
  }

  /// Removes a waiting transfer; returns one of its entries.
  private mutating func takeWaiting(_ ticket: UInt64) -> Entry? {
    let entries = entries(ticket)
    for entry in entries { leave(entry) }
    return entries.first
  }

  /// Notes that a host has answered a transfer whole, and how.
  mutating func note(_ host: Host, isQuick: Bool) {
    if let place = places[host] { hosts[place]?.isQuick = isQuick }
  }

  /// The lookup of a running transfer's name outlives the transfer, which is removed next.
  mutating func leaveLookup(_ ticket: UInt64, now: LingeringLookups.Instant) {
    if let owner = running[ticket]?.owner { lookups.add(owner, now: now) }
  }

  /// Forgets the lookups that are over by now.
  mutating func expire(now: LingeringLookups.Instant) { lookups.expire(now: now) }

  /// Forgets a ticket, waiting or running.
  mutating func remove(_ ticket: UInt64) {
    if let entry = running.removeValue(forKey: ticket) {
      let left = (shares[entry.owner] ?? 1) - 1
      shares[entry.owner] = left > 0 ? left : nil
      leave(entry.host) { $0.end(for: entry.owner) }
    } else if let entry = takeWaiting(ticket) {
      shared.remove(ticket)
      leave(entry.host) { $0.waiting -= 1 }
    }
  }

  /// The transfer to start; it then counts as running.
  mutating func next() -> UInt64? {
    guard running.count < total else { return nil }
    let candidates = candidates()
    let waiting = ServiceClass.allCases.filter { rank in
      candidates.contains { $0.classes.first == rank }
    }
    guard let rank = ranks.next(of: waiting),
      let next = candidates.first(where: { $0.classes.first == rank }),
      let entry = take(next)
    else { return nil }
    ranks.gave(rank, of: waiting)
    moveBack(next.owner)
    if shared.remove(entry.ticket) != nil { _ = takeWaiting(entry.ticket) }
    tidy(next.owner)
    running[entry.ticket] = entry
    shares[next.owner, default: 0] += 1
    hosts[entry.host]?.waiting -= 1
    hosts[entry.host]?.begin(for: entry.owner)
    return entry.ticket
  }

  /// Among the owners who have a transfer that may start, the owners with the fewest transfers. The owner whose turn
  /// was longest ago is first.
  private func candidates() -> [Candidate] {
    let counts = owners.map { held($0) }
    for fewest in Set(counts).sorted() {
      let candidates = zip(owners, counts).compactMap { owner, count -> Candidate? in
        guard count == fewest, let crowd = waiting[owner] else { return nil }
        let classes = crowd.classes(mayStart(of: owner))
        return classes.isEmpty ? nil : Candidate(owner: owner, classes: classes)
      }
      if !candidates.isEmpty { return candidates }
    }
    return []
  }

  private mutating func take(_ next: Candidate) -> Entry? {
    let served = Set(running.values.lazy.filter { $0.owner == next.owner }.map(\.serviceClass))
    let mayStart = mayStart(of: next.owner)
    return waiting[next.owner]?.take(
      of: next.classes, unless: { served.contains($0) }, mayStart)
  }

  /// Whether a waiting transfer of the owner may start.
  private func mayStart(of owner: UInt32) -> (Entry) -> Bool {
    let left = total - running.count
    // A host that was quick may be slow now, so the others are for owners without any connection.
    let isForQuick = left > (kept + 1) / 2
    let isForAll = left > kept || held(owner) == 0
    let mayLookUp = lookups.allows(owner, running: shares[owner] ?? 0, connections: total)
    return { [hosts, perHost] entry in
      guard let host = hosts[entry.host],
        WindowRoom(rest: perHost - host.running, ofHostWith: perHost)
          .isFor(ownerWith: host.shares[owner] ?? 0)
      else { return false }
      guard mayLookUp || !entry.isNamed else { return false }
      return isForAll || (isForQuick && host.isQuick)
    }
  }

  /// The running transfers of the owner, and the lookups that outlived others.
  private func held(_ owner: UInt32) -> Int { (shares[owner] ?? 0) + lookups.count(of: owner) }

  private mutating func moveBack(_ owner: UInt32) {
    guard let place = owners.firstIndex(of: owner) else { return }
    owners.append(owners.remove(at: place))
  }

  // MARK: hosts

  private mutating func enter(_ host: Host) -> Int {
    if let place = places[host] {
      hosts[place]?.waiting += 1
      return place
    }
    let account = HostAccount(host: host, waiting: 1)
    let place = free.popLast() ?? hosts.count
    if place == hosts.count { hosts.append(account) } else { hosts[place] = account }
    places[host] = place
    return place
  }

  private mutating func leave(_ place: Int, _ count: (inout HostAccount) -> Void) {
    guard var account = hosts[place] else { return }
    count(&account)
    if account.waiting + account.running > 0 {
      hosts[place] = account
    } else {
      places[account.host] = nil
      hosts[place] = nil
      free.append(place)
    }
  }
}
