// SPDX-License-Identifier: Apache-2.0
// The pauses between attempts: each is twice as long as the one before, up to the longest. A plain value.

package struct Backoff: Equatable, Sendable {
  package let first: Duration
  package let longest: Duration
  /// The next pause.
  package private(set) var next: Duration

  package init(_ first: Duration, to longest: Duration) {
    (self.first, self.longest, next) = (first, longest, first)
  }

  /// Returns the next pause; the one after it is longer.
  package mutating func take() -> Duration {
    defer { next = min(next * 2, longest) }
    return next
  }

  /// An attempt succeeded.
  package mutating func reset() { next = first }

  /// The pause after this number of failed attempts.
  package func after(_ attempts: Int) -> Duration {
    var (pause, left) = (first, attempts)
    while left > 1, pause < longest { (pause, left) = (pause * 2, left - 1) }
    return min(pause, longest)
  }
}
