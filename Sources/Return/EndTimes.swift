// SPDX-License-Identifier: Apache-2.0
// Since when lists are over, as far as a wrong clock did not tell it. A machine without a battery begins in 1970 until the
// network has told the time: a list that ends before that looks years old afterwards. A time cannot be if it is before the
// date of this version, before the list was accepted, or later than now. The age of such a list is the time for which this
// process has known that it is over, by the uptime, which cannot be set. A value: times in, no clock.

package import Vocabulary

package struct EndTimes: Sendable {
  package struct End: Sendable {
    package let list: ListID
    /// In milliseconds since 1970, as recorded; 0 if it is not known.
    package let (accepted, ended): (UInt64, UInt64)

    package init(_ list: ListID, accepted: UInt64 = 0, ended: UInt64) {
      (self.list, self.accepted, self.ended) = (list, accepted, ended)
    }
  }

  /// Clocks are corrected by seconds, and a zone that was mistaken by hours.
  private static let tolerance: UInt64 = 3_600_000

  /// The lists whose ends cannot be, with the uptime at which this process has seen them first, in milliseconds.
  private var noticed: [ListID: UInt64] = [:]

  package init() {}

  /// A clock may have told this time of an end.
  package static func isPossible(_ ended: UInt64, accepted: UInt64 = 0, now: UInt64) -> Bool {
    let (sum, isBeyond) = now.addingReportingOverflow(tolerance)
    let latest = isBeyond ? .max : sum
    guard ended >= Release.date, ended <= latest else { return false }
    // An acceptance in the future tells nothing.
    return accepted > latest || accepted <= tolerance || ended >= accepted - tolerance
  }

  /// Call at each look, with all lists that are over. In milliseconds since 1970, by the clock of now.
  package mutating func since(
    _ ends: [End], now: UInt64, uptime: Duration
  ) -> [(list: ListID, since: UInt64)] {
    let time = Self.milliseconds(uptime)
    let before = noticed
    noticed = [:]
    for end in ends where !Self.isPossible(end.ended, accepted: end.accepted, now: now) {
      noticed[end.list] = before[end.list] ?? time
    }
    let corrected = corrected(now: now, uptime: uptime)
    return ends.map { ($0.list, corrected[$0.list] ?? $0.ended) }
  }

  /// The ends that are counted from another time than the recorded one, as of the last look.
  package func corrected(now: UInt64, uptime: Duration) -> [ListID: UInt64] {
    let time = Self.milliseconds(uptime)
    return noticed.mapValues { first in now - min(now, time - min(time, first)) }
  }

  private static func milliseconds(_ uptime: Duration) -> UInt64 {
    UInt64(clamping: uptime.milliseconds)
  }
}
