// SPDX-License-Identifier: Apache-2.0
// The name lookups that outlive their transfers. libcurl looks up each name on a thread, in `getaddrinfo`, which cannot be
// ended: if the transfer is cancelled or runs out of time meanwhile, the thread lives on until the resolver gives up. An owner
// whose lookups linger gets fewer transfers to names, so that no owner takes all threads of this machine. A value: times in,
// counts out.

struct LingeringLookups {
  typealias Instant = ContinuousClock.Instant

  /// The longest life of such a thread. glibc's resolver waits 5 s for an answer, asks each of three servers at most and
  /// twice, and so gives up within 30 s, unless resolv.conf(5) says otherwise.
  static let life = Duration.seconds(30)

  private struct Lookup {
    let owner: UInt32
    let end: Instant
  }

  /// In the order of their ends.
  private var lookups: [Lookup] = []
  private var counts: [UInt32: Int] = [:]

  var count: Int { lookups.count }
  func count(of owner: UInt32) -> Int { counts[owner] ?? 0 }

  mutating func add(_ owner: UInt32, now: Instant) {
    lookups.append(Lookup(owner: owner, end: now + Self.life))
    counts[owner, default: 0] += 1
  }

  /// Forgets the lookups that are over by now.
  mutating func expire(now: Instant) {
    guard let first = lookups.first, first.end <= now else { return }
    let left = lookups.firstIndex { $0.end > now } ?? lookups.count
    for lookup in lookups[..<left] {
      let less = count(of: lookup.owner) - 1
      counts[lookup.owner] = less > 0 ? less : nil
    }
    lookups.removeSubrange(..<left)
  }

  /// Whether the owner may have another transfer whose name must be looked up. Without lingering lookups the number of
  /// connections is the only limit. While lingering lookups take all connections, each owner has one thread at a
  /// time, so that an owner without lingering lookups is not held up by other owners.
  func allows(_ owner: UInt32, running: Int, connections: Int) -> Bool {
    let own = count(of: owner)
    if count >= Self.most(connections) { return own + running == 0 }
    return own == 0 || own + running < Self.share(connections)
  }

  /// Of one owner, with the running transfers.
  static func share(_ connections: Int) -> Int { max(2, min(connections / 2, 32)) }

  /// Of all owners; TasksMax= of the unit allows several times as many threads.
  static func most(_ connections: Int) -> Int { 256 + connections }
}
