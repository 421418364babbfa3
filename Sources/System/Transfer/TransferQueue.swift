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

  private(set) var total: Int
  private(set) var perHost: Int
  private var waiting: [[Entry]] = ServiceClass.allCases.map { _ in [] }
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
    waiting[line].insert(entry, at: isFirst ? 0 : waiting[line].count)
  }

  /// Behind those of the class that came before; one that runs already has no need of it.
  mutating func change(_ ticket: UInt64, to urgency: ServiceClass) {
    for line in waiting.indices {
      guard let place = waiting[line].firstIndex(where: { $0.ticket == ticket }) else { continue }
      if line != Int(urgency.rawValue) {
        waiting[Int(urgency.rawValue)].append(waiting[line].remove(at: place))
      }
      return
    }
  }

  /// Forgets a ticket, waiting or running.
  mutating func remove(_ ticket: UInt64) {
    guard let host = running.removeValue(forKey: ticket) else {
      for line in waiting.indices { waiting[line].removeAll { $0.ticket == ticket } }
      return
    }
    let left = (counts[host] ?? 1) - 1
    counts[host] = left > 0 ? left : nil
  }

  /// The one to start now; it counts as running from here on.
  mutating func next() -> UInt64? {
    guard running.count < total else { return nil }
    for line in waiting.indices {
      guard let place = waiting[line].firstIndex(where: { (counts[$0.host] ?? 0) < perHost }) else {
        continue
      }
      let entry = waiting[line].remove(at: place)
      running[entry.ticket] = entry.host
      counts[entry.host, default: 0] += 1
      return entry.ticket
    }
    return nil
  }
}
