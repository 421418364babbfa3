// SPDX-License-Identifier: Apache-2.0
// The recorded plan for a photo's next attempt.

package import Vocabulary

package struct RetryPlan: Equatable, Sendable {
  package let stage: Stage
  /// The number of attempts; one that the server answered with `Retry-After` does not count.
  package let attempt: UInt32
  /// The planned wait, in milliseconds.
  package let after: UInt64
  /// The end of the wait, in milliseconds since 1970.
  package let until: UInt64

  package init(stage: Stage, attempt: UInt32, after: UInt64, until: UInt64) {
    self.stage = stage
    self.attempt = attempt
    self.after = after
    self.until = until
  }

  /// How long a restart waits, in milliseconds: never longer than planned, even when the clock was set back.
  package func wait(now: UInt64) -> UInt64 { until > now ? min(until - now, after) : 0 }
}
