// SPDX-License-Identifier: Apache-2.0
// Tells since when the time of day can be believed: nothing is removed for its age on the word of a clock that has
// just been set, or that was wrong at the start. A value: times in, no clock.

internal import Vocabulary

package struct SteadyClock: Equatable, Sendable {
  /// The longest time for which a clock has to be steady.
  package static let longestProof = Duration.seconds(3600)
  /// A clock that is corrected slowly stays within this for hours.
  private static let tolerance = 10_000

  /// Both clocks at the start, or after the last jump. Milliseconds.
  private var (wall, uptime): (UInt64, UInt64)

  package init(wall: UInt64, uptime: Duration) {
    (self.wall, self.uptime) = (wall, Self.milliseconds(uptime))
  }

  /// Call before each decision. A wall clock that has not advanced with the uptime since the start has jumped.
  package mutating func note(wall now: UInt64, uptime: Duration) {
    let time = Self.milliseconds(uptime)
    let expected = wall.addingReportingOverflow(time - min(time, self.uptime)).partialValue
    let distance = max(now, expected) - min(now, expected)
    if distance > Self.tolerance { (wall, self.uptime) = (now, time) }
  }

  /// How long it takes until the clock is believed for a setting of this length; zero if it is.
  package func wait(for setting: Duration, at uptime: Duration) -> Duration {
    let time = Self.milliseconds(uptime)
    let steady = Duration.milliseconds(Int64(clamping: time - min(time, self.uptime)))
    return max(.zero, min(Self.longestProof, setting) - steady)
  }

  private static func milliseconds(_ uptime: Duration) -> UInt64 {
    UInt64(clamping: uptime.milliseconds)
  }
}
