// SPDX-License-Identifier: Apache-2.0
// The order of transfers: the more urgent class first, within a class the first to arrive, except transfers
// whose host has all its connections. A value: no clock, no lock, no network inside. A transfer's time-out
// does not run while it waits here.

import Vocabulary

struct TransferQueue<Host: Hashable> {
  private struct Entry {
    let ticket: UInt64
    /// The host's index in `hosts`.
    let host: Int
  }

  private struct HostAccount {
    let host: Host
    var waiting = 0
    var running = 0
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

  private(set) var total: Int
  private(set) var perHost: Int
  private var waiting = ServiceClass.allCases.map { _ in Line() }
  /// The host's index by ticket.
  private var running: [UInt64: Int] = [:]
  /// The hosts of waiting and running transfers; unused indices are in `free`.
  private var hosts: [HostAccount?] = []
  private var free: [Int] = []
  private var places: [Host: Int] = [:]

  init(total: Int, perHost: Int) {
    self.total = total
    self.perHost = perHost
  }

  var isFull: Bool { running.count >= total }
  var isEmpty: Bool { running.isEmpty && waiting.allSatisfy(\.isEmpty) }

  /// A host is forgotten with its last transfer.
  var hostCount: Int { places.count }

  /// Higher limits take effect at once, lower ones as running transfers end.
  mutating func limit(total: Int, perHost: Int) {
    self.total = total
    self.perHost = perHost
  }

  /// `isFirst` is for a transfer that was already running and continues with another request.
  mutating func add(_ ticket: UInt64, host: Host, _ urgency: ServiceClass, isFirst: Bool = false) {
    let entry = Entry(ticket: ticket, host: enter(host))
    let line = Int(urgency.rawValue)
    if isFirst { waiting[line].prepend(entry) } else { waiting[line].append(entry) }
  }

  /// Moves a waiting transfer to the end of its new class; a running one is left alone.
  mutating func change(_ ticket: UInt64, to urgency: ServiceClass) {
    let line = Int(urgency.rawValue)
    if let entry = takeWaiting(ticket, butNotOf: line) { waiting[line].append(entry) }
  }

  private mutating func takeWaiting(_ ticket: UInt64, butNotOf spared: Int? = nil) -> Entry? {
    for line in waiting.indices where line != spared {
      if let entry = waiting[line].take({ $0.ticket == ticket }) { return entry }
    }
    return nil
  }

  /// Forgets a ticket, waiting or running.
  mutating func remove(_ ticket: UInt64) {
    if let host = running.removeValue(forKey: ticket) {
      leave(host) { $0.running -= 1 }
    } else if let entry = takeWaiting(ticket) {
      leave(entry.host) { $0.waiting -= 1 }
    }
  }

  /// The transfer to start; it then counts as running.
  mutating func next() -> UInt64? {
    guard running.count < total else { return nil }
    for line in waiting.indices {
      let next = waiting[line].take { [hosts, perHost] entry in
        (hosts[entry.host]?.running ?? 0) < perHost
      }
      guard let next else { continue }
      running[next.ticket] = next.host
      hosts[next.host]?.waiting -= 1
      hosts[next.host]?.running += 1
      return next.ticket
    }
    return nil
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
