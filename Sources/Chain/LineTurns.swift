// SPDX-License-Identifier: Apache-2.0
// Decides which line gives the next photo: the most urgent class first, the lines of one class in turn; one
// slot in eight goes to the least urgent class that waits, so that no class starves. A plain value.

import Vocabulary

struct LineTurns: Sendable {
  /// After this many photos of other lines in a row, a line lets the other lines go first.
  private static let longestSearch = 64

  /// Lines that may have a photo to give, by class. A line without one leaves, so that thousands of them cost
  /// no look when a photo ends.
  private var lines = [[LineKey]](repeating: [], count: ServiceClass.allCases.count)
  private var present: Set<LineKey> = []
  private var given = 0
  private var passed = 0
  /// The number of looks at lines, for tests.
  private(set) var looks = 0

  /// The indices of the classes, in the current order.
  var order: [Int] {
    let classes = Array(ServiceClass.allCases.indices)
    return given % 8 == 7 ? classes.reversed() : classes
  }

  /// The line of this class whose turn it is.
  mutating func first(_ place: Int) -> LineKey? {
    guard let key = lines[place].first else { return nil }
    looks += 1
    return key
  }

  mutating func enter(_ key: LineKey, _ serviceClass: ServiceClass) {
    if present.insert(key).inserted { lines[Int(serviceClass.rawValue)].append(key) }
  }

  /// The line leaves the turns of its class.
  mutating func remove(_ key: LineKey, _ serviceClass: ServiceClass) {
    guard present.remove(key) != nil else { return }
    lines[Int(serviceClass.rawValue)].removeAll { $0 == key }
  }

  /// The first line of this class has given a photo; the next one is first.
  mutating func gave(_ place: Int) {
    given += 1
    lines[place].append(lines[place].removeFirst())
  }

  /// The first line of this class has nothing to give.
  mutating func leave(_ place: Int) { present.remove(lines[place].removeFirst()) }

  mutating func found() { passed = 0 }
  mutating func pass() { passed += 1 }

  /// A line that finds only photos of other lines moves behind the rest of its class.
  mutating func yieldLongSearch(_ place: Int) {
    guard passed >= Self.longestSearch else { return }
    passed = 0
    lines[place].append(lines[place].removeFirst())
  }
}
