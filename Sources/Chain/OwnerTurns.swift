// SPDX-License-Identifier: Apache-2.0
// Owners in turn, and what each owner has waiting, so that a user with many lists gets no more than one with a single
// list. Owners take turns photo by photo. The lists of one owner have longer turns, so that photos that end together
// belong to few lists and share the syncs of their folders. A turn is short in time, and a list whose photos fail has
// turns of one photo. A plain value.

import Vocabulary

/// The turn of a list among the lists of its owner.
enum ListTurn {
  /// The turn ends after this many photos.
  static let photos = 16
  /// The turn ends with the first photo that is given at least this long after the first photo of the turn.
  static let span = Duration.milliseconds(100)
}

struct OwnerTurns<Element: Hashable & Sendable>: Sendable {
  private struct Turn {
    /// Turns that began later have higher numbers.
    let number: Int
    let since: Duration
    var photos = 0
  }

  /// Owners with elements; the one whose turn was longest ago is first.
  private(set) var owners: [UInt32] = []
  /// The elements of each owner, the next one first. None is empty.
  private var elements: [UInt32: [Element]] = [:]
  /// The turns of elements that have given a photo. An element that is taken out for its next photo keeps its turn.
  private var turns: [Element: Turn] = [:]
  private var lastTurn = 0
  /// Elements whose last photo failed.
  private var failing: Set<Element> = []

  var isEmpty: Bool { owners.isEmpty }

  func holds(_ element: Element) -> Bool { elements.values.contains { $0.contains(element) } }

  func first(of owner: UInt32) -> Element? { elements[owner]?.first }

  mutating func append(_ element: Element, of owner: UInt32) {
    insert(element, at: elements[owner]?.count ?? 0, of: owner)
  }

  private mutating func insert(_ element: Element, at place: Int, of owner: UInt32) {
    if elements[owner] == nil { owners.append(owner) }
    elements[owner, default: []].insert(element, at: place)
  }

  /// The element, and its owner, go first.
  mutating func insertFirst(_ element: Element, of owner: UInt32) {
    owners.removeAll { $0 == owner }
    owners.insert(owner, at: 0)
    elements[owner, default: []].insert(element, at: 0)
  }

  /// The element has given a photo, and may have more. It stays, or comes back, before the elements without a turn until
  /// its turn is over, then behind all others of its owner.
  mutating func gave(_ element: Element, of owner: UInt32, now: Duration) {
    let turn = turn(of: element, now)
    turns[element] = turn
    if turn != nil, elements[owner]?.first == element { return }
    elements[owner]?.removeAll { $0 == element }
    guard let turn else { return append(element, of: owner) }
    // The oldest of several turns is first.
    let older = elements[owner]?.prefix { (turns[$0]?.number ?? .max) < turn.number }.count ?? 0
    insert(element, at: older, of: owner)
  }

  /// The turn of an element after one more photo; nil if this photo has ended the turn.
  private mutating func turn(of element: Element, _ now: Duration) -> Turn? {
    if turns[element] == nil { lastTurn += 1 }
    var turn = turns[element] ?? Turn(number: lastTurn, since: now)
    turn.photos += 1
    let isOver =
      turn.photos >= ListTurn.photos || now >= turn.since + ListTurn.span
      || failing.contains(element)
    return isOver ? nil : turn
  }

  /// A photo of the element has failed, and ends its turn. Its next turns are of one photo, until one succeeds.
  mutating func failed(_ element: Element) {
    failing.insert(element)
    guard turns.removeValue(forKey: element) != nil else { return }
    for owner in owners {
      guard let place = elements[owner]?.firstIndex(of: element) else { continue }
      elements[owner]?.remove(at: place)
      return append(element, of: owner)
    }
  }

  mutating func succeeded(_ element: Element) { failing.remove(element) }

  /// The owner and its first element move behind the others.
  mutating func rotate(_ owner: UInt32) {
    guard var own = elements[owner] else { return }
    let element = own.removeFirst()
    turns[element] = nil
    own.append(element)
    elements[owner] = own
    moveBack(owner)
  }

  /// Takes out the first element of the first owner who is meant. `gave` or `insertFirst` brings it back; otherwise, remove
  /// it.
  mutating func next(
    of isMeant: (UInt32) -> Bool = { _ in true }
  ) -> (element: Element, owner: UInt32)? {
    guard let owner = owners.first(where: isMeant), let element = elements[owner]?.first else {
      return nil
    }
    takeOut(element, of: owner)
    moveBack(owner)
    return (element, owner)
  }

  /// Takes out all elements of the owner, as `next` would one by one.
  mutating func takeAll(of owner: UInt32) -> [Element] {
    guard let all = elements.removeValue(forKey: owner) else { return [] }
    owners.removeAll { $0 == owner }
    return all
  }

  mutating func remove(_ element: Element, of owner: UInt32) {
    forget(element)
    takeOut(element, of: owner)
  }

  private mutating func forget(_ element: Element) {
    turns[element] = nil
    failing.remove(element)
  }

  private mutating func takeOut(_ element: Element, of owner: UInt32) {
    guard var own = elements[owner] else { return }
    own.removeAll { $0 == element }
    elements[owner] = own.isEmpty ? nil : own
    if own.isEmpty { owners.removeAll { $0 == owner } }
  }

  mutating func remove(_ element: Element) {
    forget(element)
    for owner in owners where elements[owner]?.contains(element) == true {
      takeOut(element, of: owner)
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
  private var totals: [UInt32: Int] = [:]
  private var classes = [Int](repeating: 0, count: ServiceClass.allCases.count)

  var count: Int { shares.count }

  func count(of owner: UInt32) -> Int { totals[owner] ?? 0 }

  func count(_ share: Share) -> Int { counts[share] ?? 0 }

  /// Of photos that are as urgent as this class, or more.
  func count(upTo serviceClass: ServiceClass) -> Int {
    classes[...Int(serviceClass.rawValue)].reduce(0, +)
  }

  mutating func take(_ photo: PhotoID, _ share: Share) {
    leave(photo)
    shares[photo] = share
    counts[share, default: 0] += 1
    totals[share.owner, default: 0] += 1
    classes[Int(share.serviceClass.rawValue)] += 1
  }

  mutating func leave(_ photo: PhotoID) {
    guard let share = shares.removeValue(forKey: photo), let count = counts[share] else { return }
    counts[share] = count > 1 ? count - 1 : nil
    let total = self.count(of: share.owner)
    totals[share.owner] = total > 1 ? total - 1 : nil
    classes[Int(share.serviceClass.rawValue)] -= 1
  }
}
