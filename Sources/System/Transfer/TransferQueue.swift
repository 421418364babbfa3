// SPDX-License-Identifier: Apache-2.0
// The order of transfers: the more urgent class first; within a class the owner with the fewest transfers running, of
// each owner the first to arrive, except transfers whose host has all its connections. A transfer for photos of several
// owners waits in the turns of all, and counts for the one whose turn it took. Some connections are kept for owners
// without any, and half of the kept ones for hosts that were just quick: else slow hosts would hold them all. A lookup that
// outlives its transfer counts as a transfer of its owner, but has no connection. A value: no clock, no lock, no network
// inside. A transfer's time-out does not run while it waits here.

import Vocabulary

struct TransferQueue<Host: Hashable> {
  private struct Entry {
    let ticket: UInt64
    /// The host's index in `hosts`.
    let host: Int
    let owner: UInt32
    /// Its name must be looked up, perhaps.
    let isNamed: Bool
  }

  private struct HostAccount {
    let host: Host
    var waiting = 0
    var running = 0
    /// Its last transfer was quick.
    var isQuick = false
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

    /// Removes the first matching entry.
    mutating func take(_ isMeant: (Entry) -> Bool) -> Entry? {
      for place in start..<places.count {
        guard let entry = places[place], isMeant(entry) else { continue }
        places[place] = nil
        empty += 1
        tidy()
        return entry
      }
      return nil
    }

    private mutating func tidy() {
      while start < places.count, places[start] == nil { start += 1 }
      guard empty >= 32, empty * 2 >= places.count else { return }
      places.removeAll { $0 == nil }
      (start, empty) = (0, 0)
    }
  }

  /// The waiting transfers of one class.
  private struct Crowd {
    /// In the order of their last turns.
    private(set) var owners: [UInt32] = []
    private var lines: [UInt32: Line] = [:]

    var isEmpty: Bool { owners.isEmpty }

    mutating func add(_ entry: Entry, isFirst: Bool) {
      if lines[entry.owner] == nil { owners.append(entry.owner) }
      if isFirst {
        lines[entry.owner, default: Line()].prepend(entry)
      } else {
        lines[entry.owner, default: Line()].append(entry)
      }
    }

    /// Removes the owner's first matching entry; the owner goes behind the others.
    mutating func take(_ owner: UInt32, _ isMeant: (Entry) -> Bool) -> Entry? {
      guard let entry = lines[owner]?.take(isMeant) else { return nil }
      owners.removeAll { $0 == owner }
      if lines[owner]?.isEmpty == true { lines[owner] = nil } else { owners.append(owner) }
      return entry
    }

    /// The ticket's entries, one for each of its owners.
    func entries(_ ticket: UInt64) -> [Entry] { owners.compactMap { lines[$0]?.entry(ticket) } }

    /// Removes the ticket's entry from the owner's line; the owner keeps its turn.
    mutating func remove(_ ticket: UInt64, of owner: UInt32) {
      guard lines[owner]?.take({ $0.ticket == ticket }) != nil else { return }
      if lines[owner]?.isEmpty == true {
        lines[owner] = nil
        owners.removeAll { $0 == owner }
      }
    }
  }

  private(set) var total: Int
  private(set) var perHost: Int
  private var kept: Int
  private var waiting = ServiceClass.allCases.map { _ in Crowd() }
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
  var isEmpty: Bool { running.isEmpty && waiting.allSatisfy(\.isEmpty) }

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
    enter(owners, Int(urgency.rawValue), isFirst: isFirst) { owner in
      Entry(ticket: ticket, host: host, owner: owner, isNamed: isNamed)
    }
  }

  private mutating func enter(
    _ owners: Set<UInt32>, _ line: Int, isFirst: Bool, _ entry: (UInt32) -> Entry
  ) {
    for owner in owners.sorted() { waiting[line].add(entry(owner), isFirst: isFirst) }
  }

  /// Moves a waiting transfer to the end of its new class, and to the ends of the lines of new owners; a running one is
  /// left alone.
  mutating func change(
    _ ticket: UInt64, to urgency: ServiceClass, for owners: Set<UInt32> = [0]
  ) {
    let new = Int(urgency.rawValue)
    for line in waiting.indices {
      let entries = waiting[line].entries(ticket)
      guard let first = entries.first else { continue }
      if owners.count > 1 { shared.insert(ticket) }
      let kept = line == new ? owners.intersection(entries.map(\.owner)) : []
      for entry in entries where !kept.contains(entry.owner) {
        waiting[line].remove(ticket, of: entry.owner)
      }
      enter(owners.subtracting(kept), new, isFirst: false) { owner in
        Entry(ticket: ticket, host: first.host, owner: owner, isNamed: first.isNamed)
      }
      return
    }
  }

  /// Removes a waiting transfer; returns one of its entries.
  private mutating func takeWaiting(_ ticket: UInt64) -> Entry? {
    for line in waiting.indices {
      let entries = waiting[line].entries(ticket)
      for entry in entries { waiting[line].remove(ticket, of: entry.owner) }
      if let entry = entries.first { return entry }
    }
    return nil
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
      leave(entry.host) { $0.running -= 1 }
    } else if let entry = takeWaiting(ticket) {
      shared.remove(ticket)
      leave(entry.host) { $0.waiting -= 1 }
    }
  }

  /// The transfer to start; it then counts as running.
  mutating func next() -> UInt64? {
    guard running.count < total else { return nil }
    let left = total - running.count
    let isScarce = left <= kept
    // A host that was quick may be slow now, so the others are for owners without any connection.
    let isForQuick = left > (kept + 1) / 2
    for line in waiting.indices {
      for owner in ranked(waiting[line].owners) {
        let isPoor = held(owner) == 0
        let mayLookUp = lookups.allows(owner, running: shares[owner] ?? 0, connections: total)
        let next = waiting[line].take(owner) { [hosts, perHost] entry in
          guard let host = hosts[entry.host], host.running < perHost else { return false }
          guard mayLookUp || !entry.isNamed else { return false }
          return !isScarce || isPoor || (isForQuick && host.isQuick)
        }
        guard let next else { continue }
        if shared.remove(next.ticket) != nil { _ = takeWaiting(next.ticket) }
        running[next.ticket] = next
        shares[owner, default: 0] += 1
        hosts[next.host]?.waiting -= 1
        hosts[next.host]?.running += 1
        return next.ticket
      }
    }
    return nil
  }

  /// The running transfers of the owner, and the lookups that outlived others.
  private func held(_ owner: UInt32) -> Int { (shares[owner] ?? 0) + lookups.count(of: owner) }

  /// The owner with the fewest first; of equal ones, the owner whose turn was longest ago.
  private func ranked(_ owners: [UInt32]) -> [UInt32] {
    guard owners.count > 1 else { return owners }
    return owners.enumerated()
      .sorted { (held($0.element), $0.offset) < (held($1.element), $1.offset) }
      .map(\.element)
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
