// SPDX-License-Identifier: Apache-2.0
// The hosts at which owners are remembered for their trouble alone. The limit is for each owner, so that no owner
// takes places from other owners. A plain value.

struct HostMemory: Sendable {
  /// The limit of hosts for each owner.
  static let longest = 4096

  /// The number of hosts of each owner. An owner without hosts has no entry.
  private var counts: [UInt32: Int] = [:]
  /// The owners at each host. A host without owners has no entry.
  private var owners: [String: Set<UInt32>] = [:]

  /// Notes the owners who are to be remembered at the host. Returns the owners who cannot be remembered, because they
  /// are at too many hosts.
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
