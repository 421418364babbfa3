// SPDX-License-Identifier: Apache-2.0
// The pace of the reports of one `Follow`: the first change is told at once, those that come soon after it together. A
// value; the caller passes the times.

struct FollowPace: Sendable {
  static let interval = Duration.milliseconds(100)

  /// When the last report was due.
  private var last: Duration?

  /// How long a change that is there now waits for others.
  mutating func rest(at now: Duration) -> Duration {
    let due = max(now, last.map { $0 + Self.interval } ?? now)
    last = due
    return due - now
  }
}
