// SPDX-License-Identifier: Apache-2.0
// The hosts at which owners are remembered for their trouble alone. Each owner has a limit, and takes no place from others.
// A plain value.

struct HostMemory: Sendable {
  /// The limit of hosts for each owner.
  static let longest = 4096

  /// How many hosts each owner has; none has no entry.
  private var counts: [UInt32: Int] = [:]
  /// The owners at each host; none has no entry.
  private var owners: [String: Set<UInt32>] = [:]

  /// Notes who is remembered at the host from now on. Returns the owners who are not, because they are at too many hosts.
  mutating func note(_ name: String, _ idle: [UInt32]) -> [UInt32] {
    let known = owners[name] ?? []
    if idle.isEmpty, known.isEmpty { return [] }
    var (kept, rest): (Set<UInt32>, [UInt32]) = ([], [])
    for owner in known.subtracting(idle) {
      let left = (counts[owner] ?? 1) - 1
      counts[owner] = left > 0 ? left : nil
    }
    for owner in idle {
      if known.contains(owner) {
        kept.insert(owner)
      } else if counts[owner, default: 0] < Self.longest {
        counts[owner, default: 0] += 1
        kept.insert(owner)
      } else {
        rest.append(owner)
      }
    }
    owners[name] = kept.isEmpty ? nil : kept
    return rest
  }
}
