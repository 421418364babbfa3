// SPDX-License-Identifier: Apache-2.0
// Who goes next: the more urgent class first, within it who came first, but nobody whose host has
// all its connections. A value: no clock, no lock, no network inside. Waiting here costs no
// time-out.

import Vocabulary

struct TransferQueue {
  private struct Entry {
    let ticket: UInt64
    let host: String
  }

  /// Mostly the first goes, and a thousand may stand behind: nobody moves up until half of the places are
  /// empty.
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

    /// Takes out the first that is meant.
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
  private var running: [UInt64: String] = [:]
  private var counts: [String: Int] = [:]

  init(total: Int, perHost: Int) {
    self.total = total
    self.perHost = perHost
  }

  var isFull: Bool { running.count >= total }
  var isEmpty: Bool { running.isEmpty && waiting.allSatisfy(\.isEmpty) }

  /// More may start at once; fewer takes effect as running ones end.
  mutating func limit(total: Int, perHost: Int) {
    self.total = total
    self.perHost = perHost
  }

  /// `isFirst` is for one that was running already and was sent to another place.
  mutating func add(_ ticket: UInt64, host: String, _ urgency: ServiceClass, isFirst: Bool = false)
  {
    let entry = Entry(ticket: ticket, host: host)
    let line = Int(urgency.rawValue)
    if isFirst { waiting[line].prepend(entry) } else { waiting[line].append(entry) }
  }

  /// Behind those of the class that came before; one that runs already has no need of it.
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
    guard let host = running.removeValue(forKey: ticket) else {
      _ = takeWaiting(ticket)
      return
    }
    let left = (counts[host] ?? 1) - 1
    counts[host] = left > 0 ? left : nil
  }

  /// The one to start now; it counts as running from here on.
  mutating func next() -> UInt64? {
    guard running.count < total else { return nil }
    for line in waiting.indices {
      guard
        let entry = waiting[line].take({ [counts, perHost] in (counts[$0.host] ?? 0) < perHost })
      else { continue }
      running[entry.ticket] = entry.host
      counts[entry.host, default: 0] += 1
      return entry.ticket
    }
    return nil
  }
}
