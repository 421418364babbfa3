// SPDX-License-Identifier: Apache-2.0
// The turns of classes that wait for one thing. The most urgent class goes first. After seven of its turns while
// other classes wait, one of the other classes goes first, each in turn, so that no class starves. A plain value.

package import Vocabulary

package struct ClassTurns: Sendable {
  /// One turn in this many is for the less urgent classes.
  package static let cycle = 8

  /// Turns of the most urgent class while others waited, since the last turn of another class.
  private var ahead = 0
  private var count = 0
  /// The number of its last turn, by class.
  private var last = [Int](repeating: 0, count: ServiceClass.allCases.count)

  package init() {}

  /// - Parameters:
  ///   - waiting: the most urgent first.
  ///   - isServed: the class does not starve, and needs no turn before a more urgent one.
  package func next(
    of waiting: [ServiceClass], unless isServed: (ServiceClass) -> Bool = { _ in false }
  ) -> ServiceClass? {
    guard ahead >= Self.cycle - 1 else { return waiting.first }
    // Of equal classes `min` chooses the first, which is the least urgent.
    let others = waiting.dropFirst().reversed().filter { !isServed($0) }
    return others.min { last[Int($0.rawValue)] < last[Int($1.rawValue)] } ?? waiting.first
  }

  package mutating func gave(_ serviceClass: ServiceClass, of waiting: [ServiceClass]) {
    count += 1
    last[Int(serviceClass.rawValue)] = count
    if serviceClass != waiting.first {
      ahead = 0
    } else if waiting.count > 1 {
      ahead += 1
    }
  }
}
