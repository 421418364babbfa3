// SPDX-License-Identifier: Apache-2.0
// The time that one request was paused because its sink had no room. A value.

struct TransferPause {
  private var since: ContinuousClock.Instant?
  /// The sum of the pauses that are over.
  private(set) var total = Duration.zero

  var isNow: Bool { since != nil }

  mutating func begin(now: ContinuousClock.Instant) { since = now }

  mutating func end(now: ContinuousClock.Instant) {
    if let since { total += since.duration(to: now) }
    since = nil
  }
}
