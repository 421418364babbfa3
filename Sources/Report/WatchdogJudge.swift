// SPDX-License-Identifier: Apache-2.0
// Whether the loops make progress, as a value. It counts looks instead of reading a clock: a
// machine that slept has not aged anybody.

package struct WatchdogJudge: Equatable, Sendable {
  private struct Sight: Equatable {
    var doing: Heartbeat.Doing
    var looks: Int
  }

  /// In how many looks one after the other the same turn may be seen.
  private let patience: Int
  private var sights: [Sight] = []

  package init(patience: Int = 2) { self.patience = patience }

  /// The same loops in the same order each time; new ones come last. Answers the places of those
  /// stuck.
  package mutating func look(_ loops: [Heartbeat.Doing]) -> [Int] {
    var stuck: [Int] = []
    for (place, doing) in loops.enumerated() {
      if place == sights.count { sights.append(Sight(doing: .idle, looks: 0)) }
      guard case .busy = doing, sights[place].doing == doing else {
        sights[place] = Sight(doing: doing, looks: 1)
        continue
      }
      sights[place].looks += 1
      if sights[place].looks > patience { stuck.append(place) }
    }
    return stuck
  }
}
