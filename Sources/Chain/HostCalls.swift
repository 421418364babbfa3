// SPDX-License-Identifier: Apache-2.0
// The lines that a host calls. An owner whose photos give up may have thousands of called lines, and each photo of
// another owner needs a look at the calls. So lines are kept by owner and class, and only lines whose calls may be
// withdrawn are looked through. A plain value.

import Vocabulary

struct HostCalls: Sendable {
  private(set) var lines: [LineKey: OwnerSeats.Share] = [:]
  /// The lines of each owner in each class; none is empty.
  private var keys: [OwnerSeats.Share: Set<LineKey>] = [:]
  /// The number of lines that were put in order, for tests.
  private(set) var looks = 0

  var isEmpty: Bool { lines.isEmpty }

  /// Each owner and class with lines.
  var shares: [OwnerSeats.Share] { Array(keys.keys) }

  /// How many lines each owner has.
  var owners: [UInt32: Int] {
    keys.reduce(into: [:]) { $0[$1.key.owner, default: 0] += $1.value.count }
  }

  subscript(_ key: LineKey) -> OwnerSeats.Share? { lines[key] }

  mutating func add(_ key: LineKey, _ share: OwnerSeats.Share) {
    remove(key)
    lines[key] = share
    keys[share, default: []].insert(key)
  }

  @discardableResult
  mutating func remove(_ key: LineKey) -> OwnerSeats.Share? {
    guard let share = lines.removeValue(forKey: key) else { return nil }
    keys[share]?.remove(key)
    if keys[share]?.isEmpty == true { keys[share] = nil }
    return share
  }

  /// The lines of different shares, the most urgent ones first.
  mutating func sorted(
    of shares: [OwnerSeats.Share]
  ) -> [(key: LineKey, share: OwnerSeats.Share)] {
    func rank(_ key: LineKey, _ share: OwnerSeats.Share) -> (UInt8, ListID, UInt8) {
      (share.serviceClass.rawValue, key.list, key.own?.rawValue ?? .max)
    }
    var found: [(key: LineKey, share: OwnerSeats.Share)] = []
    for share in shares {
      for key in keys[share] ?? [] { found.append((key: key, share: share)) }
    }
    looks += found.count
    return found.sorted { rank($0.key, $0.share) < rank($1.key, $1.share) }
  }
}
