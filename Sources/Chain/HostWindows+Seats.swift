// SPDX-License-Identifier: Apache-2.0
// What this machine and others tell each other of hosts, and the seats that they share.

package import Vocabulary

extension HostWindows {
  /// - Parameters:
  ///   - waiting: The photos that wait for each host.
  ///   - led: The photos that wait for another one, and need room at both.
  package mutating func claimSeats(
    _ waiting: [String: Int], led: [String: Int] = [:], now: Duration
  ) -> [SeatClaim] {
    let needs = waiting.merging(led) { $0 + $1 }
    let names = Set(needs.keys).union(hosts.keys).subtracting([Self.here])
    let uses = names.sorted().map { name in
      let host = hosts[name]
      let photos = isShut(name) ? 0 : needs[name] ?? 0
      let inFlight = host?.inFlight ?? 0
      // Of a host that is closed for all owners other machines may have the seats.
      let probes = host?.isClosedForAll == true ? host?.closures.count : nil
      return HostSeats.Use(
        name, inFlight: inFlight, waiting: min(photos, probes ?? photos),
        isForLed: led[name] != nil, word: hosts[name]?.word(now: now) ?? .none,
        growth: probes.map { inFlight + $0 })
    }
    return seats?.claims(uses, now: now) ?? []
  }

  package mutating func grantSeats(
    _ granted: [SeatGrant], until deadline: Duration, now: Duration, jitter: Double
  ) {
    seats?.grant(granted, until: deadline)
    for grant in granted {
      let mayRest = hosts[grant.host]?.isClosedForAll == true
      for owner in hosts[grant.host]?.guests.keys.sorted() ?? [] {
        hosts[grant.host]?.guests[owner]?.window
          .hear(grant.report, mayRest: mayRest, now: now, jitter: jitter)
      }
    }
    callAll(now, isPatienceNew: false)
  }

  /// The host is closed, and another one has answered since: this machine is not cut off.
  func isDead(_ name: String, for owner: UInt32) -> Bool {
    guard let closure = closure(of: name, for: owner), let lastAnswer else { return false }
    return lastAnswer >= closure.since
  }

  package func hasUnreached(within limit: Duration, now: Duration) -> Bool {
    hosts.values.contains { host in
      host.guests.keys.contains { host.isUnreached(for: $0, within: limit, now: now) }
    }
  }

  /// This machine alone does not reach the host, as far as it knows.
  package func isUnreached(
    _ name: String, for owner: UInt32 = 0, within limit: Duration, now: Duration
  ) -> Bool {
    hosts[name]?.isUnreached(for: owner, within: limit, now: now) ?? false
  }

  /// Takes out whether seats should be asked for at once.
  package mutating func takeSeatNews() -> Bool { seats?.takeNews() ?? false }

  /// Other machines have the seats that photos wait for.
  func lacksSeats(_ name: String, for owner: UInt32 = 0) -> Bool {
    guard let seats, let host = hosts[name], closure(of: name, for: owner) == nil else {
      return false
    }
    return seats.areElsewhere(name, inFlight: host.inFlight, useful: limits.useful)
  }
}
