// SPDX-License-Identifier: Apache-2.0
// The time that one request was paused because its sink had no room, or because this process did not run. A value.

struct TransferPause {
  private var since: ContinuousClock.Instant?
  /// The sum of the pauses that are over.
  private(set) var total = Duration.zero

  var isNow: Bool { since != nil }

  /// The process did not run for this time; a pause that goes on counts it by itself.
  mutating func add(_ lapse: Duration) { if !isNow { total += lapse } }

  mutating func begin(now: ContinuousClock.Instant) { since = now }

  mutating func end(now: ContinuousClock.Instant) {
    if let since { total += since.duration(to: now) }
    since = nil
  }
}
