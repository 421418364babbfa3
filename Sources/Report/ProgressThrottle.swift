// SPDX-License-Identifier: Apache-2.0
// How often a list's progress is told: at most once in an interval. A value; the clock is told to
// it.

package import Vocabulary

package struct ProgressThrottle: Equatable, Sendable {
  private let interval: Duration
  private var last: [ListID: Duration] = [:]

  package init(interval: Duration) { self.interval = interval }

  package mutating func begin(_ list: ListID, at now: Duration) { last[list] = now }

  package mutating func admits(_ list: ListID, at now: Duration) -> Bool {
    guard let before = last[list] else {
      last[list] = now
      return true
    }
    guard now - before >= interval else { return false }
    last[list] = now
    return true
  }

  /// A list that is done takes no room any more.
  package mutating func end(_ list: ListID) { last[list] = nil }
}
