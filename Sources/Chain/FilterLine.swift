// SPDX-License-Identifier: Apache-2.0
// The photos of one owner that wait for the filter: in the turns of their classes, within a class in the order of their
// arrival. A plain value.

import Queues
import Vocabulary

struct FilterLine<Waiter: Hashable & Sendable>: Sendable {
  /// By class.
  private var lines = [[Waiter]](repeating: [], count: ServiceClass.allCases.count)
  /// How many waiters have each rank.
  private var ranks = [Int](repeating: 0, count: ServiceClass.allCases.count)
  private var turns = ClassTurns()

  var isEmpty: Bool { lines.allSatisfy(\.isEmpty) }

  /// The most urgent rank; nil for an empty line.
  var rank: ServiceClass? { ServiceClass.allCases.first { ranks[Int($0.rawValue)] > 0 } }

  /// The classes that wait, the most urgent first.
  private var classes: [ServiceClass] {
    ServiceClass.allCases.filter { !lines[Int($0.rawValue)].isEmpty }
  }

  /// The most urgent waiter.
  var mostUrgent: Waiter? { lines.lazy.compactMap(\.first).first }

  mutating func append(_ waiter: Waiter, _ claim: FilterClaim) {
    lines[Int(claim.serviceClass.rawValue)].append(waiter)
    ranks[Int(claim.rank.rawValue)] += 1
  }

  mutating func remove(_ waiter: Waiter, _ claim: FilterClaim) {
    let line = Int(claim.serviceClass.rawValue)
    guard let place = lines[line].firstIndex(of: waiter) else { return }
    lines[line].remove(at: place)
    ranks[Int(claim.rank.rawValue)] -= 1
  }

  /// The waiter whose turn it is.
  /// - Parameter isServed: a photo of the class has a place.
  func next(unless isServed: (ServiceClass) -> Bool) -> Waiter? {
    turns.next(of: classes, unless: isServed).flatMap { lines[Int($0.rawValue)].first }
  }

  /// The waiter gets a place.
  mutating func give(_ waiter: Waiter, _ claim: FilterClaim) {
    turns.gave(claim.serviceClass, of: classes)
    remove(waiter, claim)
  }
}

/// The claim of a photo to a place at the filter.
struct FilterClaim: Hashable, Sendable {
  let owner: UInt32
  /// Orders the photos of the owner.
  let serviceClass: ServiceClass
  /// Orders the owners. A focus does not change it.
  let rank: ServiceClass
}
