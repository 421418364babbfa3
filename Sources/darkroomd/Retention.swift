// SPDX-License-Identifier: Apache-2.0
// Which lists that are over have been kept long enough, and when to look again. Pure.

import Record
import Vocabulary

struct Retention: Equatable, Sendable {
  /// A clock that is set meanwhile is noticed after so long.
  private static let longestPause = Duration.seconds(86_400)
  /// What is due and could not be removed is tried again after so long.
  private static let again = Duration.seconds(60)

  /// Milliseconds.
  private let keep: UInt64

  init(_ keep: Duration) { self.keep = UInt64(max(0, keep / .milliseconds(1))) }

  func isOver(since ended: UInt64, now: UInt64) -> Bool {
    let (end, overflow) = ended.addingReportingOverflow(keep)
    return !overflow && end <= now
  }

  /// Until the first of these is over; nil where there is none.
  func pause(until ends: some Sequence<UInt64>, now: UInt64) -> Duration? {
    guard let first = ends.min() else { return nil }
    let (end, overflow) = first.addingReportingOverflow(keep)
    if overflow { return Self.longestPause }
    guard end > now else { return Self.again }
    return min(.milliseconds(Int64(clamping: end - now)), Self.longestPause)
  }
}
