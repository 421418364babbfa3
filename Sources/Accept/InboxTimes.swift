// SPDX-License-Identifier: Apache-2.0
// When to sweep next: after a burst of arrivals, after a pause in trouble, or for safety. A plain value.

internal import Vocabulary

struct InboxTimes {
  /// When the unfinished lists of pictures of a user are tried again.
  var rolls = RollPaces()

  /// Arrivals closer together than this share one sweep.
  private static let sweepGap: Duration = .milliseconds(20)
  /// A file whose event came at most this long before a sweep counts as first seen at the event: a sweep of
  /// many names takes time.
  private static let ringAge: Duration = .milliseconds(100)

  private var lastSweep: Duration?
  /// The time of the last full look, or of the last failed one.
  private var lastWhole = Duration.zero
  private var troublePause = Backoff(.seconds(1), to: .seconds(5))
  private var troubleWait: Duration?
  /// The time of the first ring since the last sweep.
  private var rangAt: Duration?

  mutating func rang(at now: Duration) { rangAt = rangAt ?? now }

  /// A sweep begins. Returns the time at which new files count as first seen.
  mutating func sweeps(at now: Duration) -> Duration {
    defer { rangAt = nil }
    return rangAt.map { max($0, now - Self.ringAge) } ?? now
  }

  mutating func looked(at now: Duration, isWhole: Bool, isTroubled: Bool) {
    lastSweep = now
    if isWhole { lastWhole = now }
    troubleWait = isTroubled ? troublePause.take() : nil
  }

  /// Lists of pictures that wait for this machine are due.
  mutating func relieve() { rolls.relieve() }

  mutating func recovered() { troublePause.reset() }

  /// The rest of the gap before a burst of arrivals is swept.
  func calm(at now: Duration) -> Duration? {
    guard let lastSweep, lastSweep + Self.sweepGap > now else { return nil }
    return lastSweep + Self.sweepGap - now
  }

  /// The time until the safety sweep, counted from the last full look.
  func pause(of interval: Duration, at now: Duration) -> Duration {
    max(.zero, lastWhole + min(interval, troubleWait ?? interval) - now)
  }
}

/// The tries to remove the pictures of recorded lists from the inbox, by the owner of the lists.
struct RollPaces {
  private struct Pace {
    var due = Duration.zero
    var pause = Backoff(.seconds(1), to: .seconds(60))
  }

  /// Of owners whose last try left something.
  private var paces: [UInt32: Pace] = [:]

  func due(of owner: UInt32) -> Duration { paces[owner]?.due ?? .zero }

  mutating func relieve() { for owner in paces.keys { paces[owner]?.due = .zero } }

  mutating func tried(_ owner: UInt32, isDone: Bool, at now: Duration) {
    if isDone {
      paces[owner] = nil
    } else {
      var pace = paces[owner] ?? Pace()
      pace.due = now + pace.pause.take()
      paces[owner] = pace
    }
  }
}
