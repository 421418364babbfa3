// SPDX-License-Identifier: Apache-2.0
// When a photo is tried again, as it was recorded.

package import Vocabulary

package struct RetryPlan: Equatable, Sendable {
  package let stage: Stage
  /// Attempts counted so far: a server that asks to be left alone costs none.
  package let attempt: UInt32
  /// The wait in milliseconds, as it was decided.
  package let after: UInt64
  /// Its end, in milliseconds since 1970.
  package let until: UInt64

  package init(stage: Stage, attempt: UInt32, after: UInt64, until: UInt64) {
    self.stage = stage
    self.attempt = attempt
    self.after = after
    self.until = until
  }

  /// How long a restart waits, in milliseconds: never longer than was decided, wherever the clock
  /// has been set since.
  package func wait(now: UInt64) -> UInt64 { until > now ? min(until - now, after) : 0 }
}
