// SPDX-License-Identifier: Apache-2.0
// Trouble of the whole machine: all work is held, then tried again after growing pauses, until one photo
// completes a step or no chain is left. The same for the downloads through the proxy, until the proxy passes on an
// answer. A plain value.

import Vocabulary

struct MachineTrouble: Equatable, Sendable {
  private enum Phase: Equatable, Sendable {
    /// → held
    case none
    /// → trying
    case held(Failure, until: Duration)
    /// Work runs to show whether the trouble is over. → none, held
    case trying(Failure)
  }

  private var phase = Phase.none
  private var wait = Backoff(.seconds(2), to: .seconds(30))
  /// The number of holds that were released.
  private(set) var holds: UInt = 0

  var failure: Failure? {
    switch phase {
    case .none: nil
    case .held(let failure, _), .trying(let failure): failure
    }
  }

  /// When held work resumes; nil if it is not held.
  var due: Duration? { if case .held(_, let until) = phase { until } else { nil } }
  var isHeld: Bool { due != nil }

  /// A step met trouble. `hold` is the number of holds when it began; a failure from before the last hold is
  /// ignored. True if the trouble is news for people.
  mutating func met(_ failure: Failure, hold: UInt, now: Duration) -> Bool {
    guard !isHeld, hold == holds else { return false }
    let isNews = self.failure?.code != failure.code
    phase = .held(failure, until: now + wait.take())
    return isNews
  }

  /// True if held work resumes.
  mutating func release(now: Duration) -> Bool {
    guard case .held(let failure, let until) = phase, until <= now else { return false }
    phase = .trying(failure)
    holds += 1
    return true
  }

  /// Held work resumes at the next look.
  mutating func hurry(now: Duration) {
    if case .held(let failure, _) = phase { phase = .held(failure, until: now) }
  }

  /// Its cause has been taken away: failures from before are ignored. True if there was trouble.
  mutating func end() -> Bool {
    guard failure != nil else { return false }
    phase = .none
    wait.reset()
    holds += 1
    return true
  }

  /// A step became durable, or no chain is left. True if that ends the trouble: trouble of the place of the prints ends
  /// with a print.
  mutating func passed(isPrint: Bool = true) -> Bool {
    guard case .trying(let failure) = phase, isPrint || failure.scope != .prints else {
      return false
    }
    phase = .none
    wait.reset()
    return true
  }
}
