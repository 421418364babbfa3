// SPDX-License-Identifier: Apache-2.0
// Decides whose failure it is when a proxy answers, in place of a host, with an error that both may have caused.
// Hosts are witnesses. An answer that the proxy passes on from any host shows that the proxy works, and two hosts
// that fail together show that it does not. A host that fails alone leaves the cause open, so its photos wait for
// their patience, as they would without a proxy. A plain value.

import Vocabulary

struct ProxyWitness: Sendable {
  /// A host for which the proxy answers with errors.
  private struct Suspect: Sendable {
    let since: Duration
    var last: Duration
    /// The proxy passed on the answer of another host since then.
    var isConvicted = false
  }

  /// The limit of hosts that are remembered.
  private static let mostHosts = 4096
  /// A host is forgotten this long after its last failure.
  private static let memory = Duration.seconds(600)
  private static let leastPatience = Duration.seconds(60)

  /// The proxy passed on an answer since the route was set.
  private var hasAnswered = false
  /// Since it last did, all downloads through it waited once.
  private var isDoubted = false
  /// Hosts whose answers it passed on.
  private var known: Set<String> = []
  private var suspects: [String: Suspect] = [:]

  /// The proxy passed on the answer of the host.
  mutating func heard(_ host: String) {
    (hasAnswered, isDoubted) = (true, false)
    if known.count >= Self.mostHosts { known = [] }
    known.insert(host)
    suspects[host] = nil
    for name in suspects.keys { suspects[name]?.isConvicted = true }
  }

  /// The downloads through the proxy wait for it.
  mutating func doubt() { isDoubted = true }

  /// The proxy answered for the host with an error. True if it is the host's.
  mutating func blames(_ host: String, _ failure: Failure, patience: Duration, now: Duration)
    -> Bool
  {
    suspects = suspects.filter { $0.value.last + Self.memory > now }
    if suspects[host] == nil, suspects.count >= Self.mostHosts { suspects = [:] }
    var suspect = suspects[host] ?? Suspect(since: now, last: now)
    suspect.last = now
    suspects[host] = suspect
    if hasWitness(besides: host) { return false }
    if suspect.isConvicted { return true }
    if failure.code == Failure.proxyLookup, hasAnswered, !isDoubted, !known.contains(host) {
      return true
    }
    return now >= suspect.since + max(patience, Self.leastPatience)
  }

  /// True if another host has failed, and it is not known yet whether the host or the proxy is the cause.
  func isInDoubt(besides host: String, patience: Duration, now: Duration) -> Bool {
    suspects.contains { name, suspect in
      name != host && !suspect.isConvicted
        && now < suspect.since + max(patience, Self.leastPatience)
    }
  }

  /// True if the proxy also fails for another host that it served before. If it has served no host yet, any other
  /// host that fails is a witness.
  private func hasWitness(besides host: String) -> Bool {
    suspects.contains { name, suspect in
      name != host && !suspect.isConvicted && (known.contains(name) || !hasAnswered)
    }
  }
}
