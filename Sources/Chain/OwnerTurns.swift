// SPDX-License-Identifier: Apache-2.0
// Owners in turn, and what each of them has waiting, so that a user with many lists gets no more than one with a
// single list. A plain value.

import Vocabulary

struct OwnerTurns<Element: Hashable & Sendable>: Sendable {
  /// Owners with elements; the one whose turn was longest ago is first.
  private(set) var owners: [UInt32] = []
  /// The elements of each owner, the next one first. None is empty.
  private var elements: [UInt32: [Element]] = [:]

  var isEmpty: Bool { owners.isEmpty }

  func holds(_ element: Element) -> Bool { elements.values.contains { $0.contains(element) } }

  func first(of owner: UInt32) -> Element? { elements[owner]?.first }

  mutating func append(_ element: Element, of owner: UInt32) {
    if elements[owner] == nil { owners.append(owner) }
    elements[owner, default: []].append(element)
  }

  /// The element, and its owner, go first.
  mutating func insertFirst(_ element: Element, of owner: UInt32) {
    owners.removeAll { $0 == owner }
    owners.insert(owner, at: 0)
    elements[owner, default: []].insert(element, at: 0)
  }

  /// The owner has had a turn: it and its first element move behind the others.
  mutating func rotate(_ owner: UInt32) {
    guard var own = elements[owner] else { return }
    own.append(own.removeFirst())
    elements[owner] = own
    moveBack(owner)
  }

  /// Takes out the first element of the owner who is first.
  mutating func next() -> (element: Element, owner: UInt32)? {
    guard let owner = owners.first, let element = elements[owner]?.first else { return nil }
    remove(element, of: owner)
    moveBack(owner)
    return (element, owner)
  }

  mutating func remove(_ element: Element, of owner: UInt32) {
    guard var own = elements[owner] else { return }
    own.removeAll { $0 == element }
    elements[owner] = own.isEmpty ? nil : own
    if own.isEmpty { owners.removeAll { $0 == owner } }
  }

  mutating func remove(_ element: Element) {
    for owner in owners where elements[owner]?.contains(element) == true {
      remove(element, of: owner)
    }
  }

  mutating func moveBack(_ owner: UInt32) {
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

  var count: Int { shares.count }

  func count(_ share: Share) -> Int { counts[share] ?? 0 }

  /// Of photos that are as urgent as this class, or more.
  func count(upTo serviceClass: ServiceClass) -> Int {
    counts.reduce(0) { $0 + ($1.key.serviceClass > serviceClass ? 0 : $1.value) }
  }

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
