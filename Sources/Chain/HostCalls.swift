// SPDX-License-Identifier: Apache-2.0
// The lines that a host calls. An owner whose photos give up may have thousands, and each photo of another owner depends on
// what is called: lines are counted by owner and class, and are looked through only to withdraw a call. A plain value.

import Vocabulary

struct HostCalls: Sendable {
  private(set) var lines: [LineKey: OwnerSeats.Share] = [:]
  /// How many lines each owner has in each class; none has no entry.
  private(set) var counts: [OwnerSeats.Share: Int] = [:]

  var isEmpty: Bool { lines.isEmpty }

  /// The lines of each owner.
  var owners: [UInt32: Int] {
    counts.reduce(into: [:]) { $0[$1.key.owner, default: 0] += $1.value }
  }

  subscript(_ key: LineKey) -> OwnerSeats.Share? { lines[key] }

  mutating func add(_ key: LineKey, _ share: OwnerSeats.Share) {
    remove(key)
    lines[key] = share
    counts[share, default: 0] += 1
  }

  @discardableResult
  mutating func remove(_ key: LineKey) -> OwnerSeats.Share? {
    guard let share = lines.removeValue(forKey: key) else { return nil }
    let left = (counts[share] ?? 1) - 1
    counts[share] = left > 0 ? left : nil
    return share
  }

  /// The most urgent ones first.
  func sorted() -> [(key: LineKey, share: OwnerSeats.Share)] {
    func rank(_ key: LineKey, _ share: OwnerSeats.Share) -> (UInt8, ListID, UInt8) {
      (share.serviceClass.rawValue, key.list, key.own?.rawValue ?? .max)
    }
    return lines.map { (key: $0.key, share: $0.value) }.sorted {
      rank($0.key, $0.share) < rank($1.key, $1.share)
    }
  }
}
