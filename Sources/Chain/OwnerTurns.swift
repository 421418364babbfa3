// SPDX-License-Identifier: Apache-2.0
// Lines in turn: first their owners, then the lines of each, so that a user with many lists gets no more than one
// with a single list. A plain value.

import Vocabulary

struct OwnerTurns: Sendable {
  /// Owners with lines; the one whose turn was longest ago is first.
  private(set) var owners: [UInt32] = []
  /// The lines of each owner, the next one first. None is empty.
  private var lines: [UInt32: [LineKey]] = [:]

  var isEmpty: Bool { owners.isEmpty }

  func holds(_ key: LineKey) -> Bool { lines.values.contains { $0.contains(key) } }

  func first(of owner: UInt32) -> LineKey? { lines[owner]?.first }

  mutating func append(_ key: LineKey, of owner: UInt32) {
    if lines[owner] == nil { owners.append(owner) }
    lines[owner, default: []].append(key)
  }

  /// The line, and its owner, go first.
  mutating func insertFirst(_ key: LineKey, of owner: UInt32) {
    owners.removeAll { $0 == owner }
    owners.insert(owner, at: 0)
    lines[owner, default: []].insert(key, at: 0)
  }

  /// The owner has had a turn: it and its first line move behind the others.
  mutating func rotate(_ owner: UInt32) {
    guard var own = lines[owner] else { return }
    own.append(own.removeFirst())
    lines[owner] = own
    moveBack(owner)
  }

  /// Takes out the first line of the owner who is first.
  mutating func next() -> (key: LineKey, owner: UInt32)? {
    guard let owner = owners.first, let key = lines[owner]?.first else { return nil }
    remove(key, of: owner)
    moveBack(owner)
    return (key, owner)
  }

  mutating func remove(_ key: LineKey, of owner: UInt32) {
    guard var own = lines[owner] else { return }
    own.removeAll { $0 == key }
    lines[owner] = own.isEmpty ? nil : own
    if own.isEmpty { owners.removeAll { $0 == owner } }
  }

  mutating func remove(_ key: LineKey) {
    for owner in owners where lines[owner]?.contains(key) == true { remove(key, of: owner) }
  }

  private mutating func moveBack(_ owner: UInt32) {
    guard let place = owners.firstIndex(of: owner) else { return }
    owners.append(owners.remove(at: place))
  }
}

/// The places in the window that each owner has, by class.
struct OwnerSeats: Sendable {
  struct Share: Hashable, Sendable {
    let owner: UInt32
    let serviceClass: ServiceClass
  }

  private var shares: [PhotoID: Share] = [:]
  private var counts: [Share: Int] = [:]

  func count(_ share: Share) -> Int { counts[share] ?? 0 }

  mutating func take(_ photo: PhotoID, _ share: Share) {
    leave(photo)
    shares[photo] = share
    counts[share, default: 0] += 1
  }

  mutating func leave(_ photo: PhotoID) {
    guard let share = shares.removeValue(forKey: photo), let count = counts[share] else { return }
    counts[share] = count > 1 ? count - 1 : nil
  }
}
