// SPDX-License-Identifier: Apache-2.0
// Limits progress messages to one per list and interval. A value: the caller passes the time.

package import Vocabulary

package struct ProgressThrottle: Equatable, Sendable {
  private let interval: Duration
  private var last: [ListID: Duration] = [:]

  package init(interval: Duration) { self.interval = interval }

  package mutating func begin(_ list: ListID, at now: Duration) { last[list] = now }

  package mutating func admits(_ list: ListID, at now: Duration) -> Bool {
    if let before = last[list], now - before < interval { return false }
    last[list] = now
    return true
  }

  /// Forgets a list that is over.
  package mutating func end(_ list: ListID) { last[list] = nil }
}
