// SPDX-License-Identifier: Apache-2.0
// How often something is said, as values: the clock is told to them.

package import Vocabulary

/// Progress of lists: each at most once in an interval, the first one an interval after its start.
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

/// The status line: only when it changes, at most once in an interval, the last one always.
package struct StatusThrottle: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    case send(String)
    /// Ask again, with `due`, after this time.
    case wait(Duration)
    case nothing
  }

  private let interval: Duration
  private var sent: String?
  private var sentAt: Duration?
  private var pending: String?

  package init(interval: Duration = .seconds(1)) { self.interval = interval }

  package mutating func set(_ text: String, at now: Duration) -> Action {
    let isAwaited = pending != nil
    if text == sent {
      pending = nil
      return .nothing
    }
    guard let before = sentAt, now - before < interval else { return send(text, at: now) }
    pending = text
    return isAwaited ? .nothing : .wait(interval - (now - before))
  }

  package mutating func due(at now: Duration) -> Action {
    guard let text = pending else { return .nothing }
    return send(text, at: now)
  }

  private mutating func send(_ text: String, at now: Duration) -> Action {
    sent = text
    sentAt = now
    pending = nil
    return .send(text)
  }
}
