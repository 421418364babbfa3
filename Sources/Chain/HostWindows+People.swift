// SPDX-License-Identifier: Apache-2.0
// The closed hosts that people see, and have tried again.

import Vocabulary

extension HostWindows {
  /// A host that is closed for one owner.
  package struct Closed: Equatable, Sendable {
    package let name: String
    package let owner: UInt32
    package let closure: HostWindow.Closure
  }

  package func closure(of name: String, for owner: UInt32 = 0) -> HostWindow.Closure? {
    hosts[name]?.guests[owner]?.window.closure
  }

  /// Closed hosts with waiting lines or a shut gate, for each owner, sorted by name. At one host the owner with the longest
  /// wait is first, and owners whom the host asked to wait are last.
  package func closed(now: Duration) -> [Closed] {
    hosts.flatMap { name, host -> [Closed] in
      if host.closures.isEmpty { return [] }
      let awaited = host.awaitedOwners
      return host.guests.compactMap { owner, guest in
        guard let closure = guest.window.closure,
          awaited.contains(owner) || closure.next > now
        else { return nil }
        return Closed(name: name, owner: owner, closure: closure)
      }
    }.sorted { rank($0) < rank($1) }
  }

  private func rank(_ closed: Closed) -> (String, Int, Duration, UInt32) {
    (closed.name, closed.closure.isWish ? 1 : 0, closed.closure.since, closed.owner)
  }

  /// The lists of each owner whose photos failed there since it is closed, some of very many.
  func failed(at name: String) -> [UInt32: Set<ListID>] {
    hosts[name]?.guests.mapValues(\.failed) ?? [:]
  }

  /// Allows a probe at once of one closed host, or of all. Returns the number of closed hosts.
  /// - Parameter word: As a person types a name.
  package mutating func flush(_ word: String?, now: Duration) -> Int {
    flush(wishes: true, now) { name, _ in
      word.map { ServerName.isMeant(name, by: $0) } ?? true
    }
  }

  /// The same for the owners of each host, unless the host asked to be left alone.
  package mutating func flush(for owners: [String: Set<UInt32>], now: Duration) -> Int {
    flush(wishes: false, now) { name, owner in owners[name]?.contains(owner) == true }
  }

  private mutating func flush(
    wishes: Bool, _ now: Duration, _ isMeant: (_ name: String, _ owner: UInt32) -> Bool
  ) -> Int {
    var count = 0
    for (name, known) in hosts {
      let owners = known.guests.keys.filter { known.isClosed(for: $0) && isMeant(name, $0) }
      if owners.isEmpty { continue }
      var host = known
      hosts[name] = nil
      let flushed = owners.filter {
        host.guests[$0]?.window.flush(now: now, wishes: wishes) == true
      }
      count += flushed.isEmpty ? 0 : 1
      put(host, name, now)
    }
    return count
  }
}
