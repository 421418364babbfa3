// SPDX-License-Identifier: Apache-2.0
// The version that the daemon and the tool report, and its date.

package enum Release {
  package static let version = "0.1.0"
  /// In milliseconds since 1970: the date of the version in debian/changelog. No clock that is right shows an earlier time.
  package static let date: UInt64 = 1_795_435_200_000
}

extension Failure {
  /// The clock is behind the date of this version.
  /// - Parameter consequence: a clause.
  package static func wrongClock(_ now: UInt64, so consequence: String) -> Failure {
    Failure(
      .machine, code: "clock.wrong",
      reason: "the clock of this machine is wrong, so that \(consequence): it shows "
        + "\(DateText.utc(milliseconds: now)), and version \(Release.version) of darkroomd is of "
        + DateText.utc(milliseconds: Release.date),
      advice: "Set it with timedatectl set-time, or have it set with timedatectl set-ntp true")
  }
}
