// SPDX-License-Identifier: Apache-2.0
// The time of one request, as a value. A worker may use the processor for `limit`, however slowly a busy machine
// gives it that time. A worker that uses no processor time for that long is hung.

struct WorkTime: Equatable {
  /// A worker that is always at work, but gets next to no processor time, ends after this many limits.
  static let patience = 100

  enum Verdict: Equatable {
    case goesOn
    /// It has used its processor time.
    case spent
    /// It has used no processor time for the length of the limit.
    case idle
    /// It has taken far too long.
    case endless
  }

  let limit: Duration
  /// When to look next.
  private(set) var due: Duration
  private var used = Duration.zero
  /// When it was last seen to have worked.
  private var moved: Duration
  private var end: Duration

  init(limit: Duration, at now: Duration) {
    self.limit = limit
    due = now + limit
    moved = now
    end = now + limit * Self.patience
  }

  /// `used` is the worker's processor time since the request; nil if it is not known.
  mutating func look(_ used: Duration?, at now: Duration) -> Verdict {
    let delay = now - due
    if delay > .seconds(1) {
      // The daemon itself was kept from working, by a freeze for example, and perhaps its workers with it.
      moved = now
      end += delay
    }
    if let used, used > self.used { (self.used, moved) = (used, now) }
    if self.used >= limit { return .spent }
    if now >= end { return .endless }
    if now - moved >= limit { return .idle }
    // Near its limit a worker is looked at more often.
    due = min(now + max(limit - self.used, limit / 4), moved + limit)
    return .goesOn
  }
}
