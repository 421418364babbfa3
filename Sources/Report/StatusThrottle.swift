// SPDX-License-Identifier: Apache-2.0
// How often the status line is told: only when it changes, at most once in an interval, the last
// one always. A value; the clock is told to it.

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
