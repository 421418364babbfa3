// SPDX-License-Identifier: Apache-2.0
// Judges whether the loops make progress. A value: it counts samples instead of reading a clock, so a
// suspended machine makes no loop look stuck.

package struct WatchdogJudge: Equatable, Sendable {
  private struct Sight: Equatable {
    var doing: Heartbeat.Doing
    var looks: Int
  }

  /// How many consecutive samples may show the same turn.
  private let patience: Int
  private var sights: [Sight] = []

  package init(patience: Int = 2) { self.patience = patience }

  /// Takes the same loops in the same order each time, new loops last. Returns the indices of stuck loops.
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
