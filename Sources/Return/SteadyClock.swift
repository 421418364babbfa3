// SPDX-License-Identifier: Apache-2.0
// Tells since when the time of day can be believed: nothing is removed because of its age on the word of a clock that
// has just been set, that was wrong at the start, or that is behind the date of this version. A changed setting begins a
// new one, so that a slip can be noticed. A value: times in, no clock.

internal import Vocabulary

/// How long what is old is spared nevertheless.
package struct ExpiryGrace: Equatable, Sendable {
  /// The time for which the clock has to be steady, and the settings the same. No setting shortens it.
  package let proof: Duration
  /// How long prints that have expired can be had back.
  package let rest: Duration

  package init(proof: Duration, rest: Duration) { (self.proof, self.rest) = (proof, rest) }

  package static let full = ExpiryGrace(proof: .seconds(3600), rest: .seconds(86_400))
  /// For tests: `darkroomd --expire-at-once`.
  package static let none = ExpiryGrace(proof: .zero, rest: .zero)
}

package struct SteadyClock: Equatable, Sendable {
  /// A clock that is corrected slowly stays within this for hours.
  private static let tolerance = 10_000

  /// Both clocks at the start, or after the last jump. Milliseconds.
  private var (wall, uptime): (UInt64, UInt64)
  private let proof: Duration

  package init(wall: UInt64, uptime: Duration, proof: Duration = ExpiryGrace.full.proof) {
    (self.wall, self.uptime) = (wall, Self.milliseconds(uptime))
    self.proof = proof
  }

  /// Call before each decision. A wall clock that has not advanced with the uptime since the start has jumped.
  package mutating func note(wall now: UInt64, uptime: Duration) {
    let time = Self.milliseconds(uptime)
    let expected = wall.addingReportingOverflow(time - min(time, self.uptime)).partialValue
    let distance = max(now, expected) - min(now, expected)
    if distance > Self.tolerance { (wall, self.uptime) = (now, time) }
  }

  /// How long it takes until the clock is believed; zero if it is.
  package func wait(at uptime: Duration) -> Duration {
    let time = Self.milliseconds(uptime)
    let passed = time - min(time, self.uptime)
    let (now, isBeyond) = wall.addingReportingOverflow(passed)
    if !isBeyond, now < Release.date { return proof }
    let steady = Duration.milliseconds(Int64(clamping: passed))
    return max(.zero, proof - steady)
  }

  private static func milliseconds(_ uptime: Duration) -> UInt64 {
    UInt64(clamping: uptime.milliseconds)
  }
}
