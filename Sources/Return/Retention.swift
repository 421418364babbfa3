// SPDX-License-Identifier: Apache-2.0
// Decides which ended lists, or their prints, have been kept long enough, and when to look again. Pure.

import Vocabulary

package struct Retention: Equatable, Sendable {
  /// The longest pause, after which a changed clock is noticed.
  private static let longestPause = Duration.seconds(86_400)
  /// The pause before a failed removal is tried again.
  private static let again = Duration.seconds(60)

  /// The setting.
  package let time: Duration
  /// Milliseconds.
  private let keep: UInt64

  package init(_ time: Duration) {
    self.time = time
    keep = UInt64(clamping: time.milliseconds)
  }

  /// When this is over, in milliseconds since 1970.
  package func end(since ended: UInt64) -> UInt64 {
    let (end, overflow) = ended.addingReportingOverflow(keep)
    return overflow ? .max : end
  }

  package func isOver(since ended: UInt64, now: UInt64) -> Bool {
    let (end, overflow) = ended.addingReportingOverflow(keep)
    return !overflow && end <= now
  }

  /// The pause until the first one can be removed; nil if there is none.
  package func pause(until ends: some Sequence<UInt64>, now: UInt64) -> Duration? {
    guard let first = ends.min() else { return nil }
    let (end, overflow) = first.addingReportingOverflow(keep)
    if overflow { return Self.longestPause }
    guard end > now else { return Self.again }
    return min(.milliseconds(Int64(clamping: end - now)), Self.longestPause)
  }
}
