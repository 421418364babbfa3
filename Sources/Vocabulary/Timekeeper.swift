// SPDX-License-Identifier: Apache-2.0
// Time behind a seam: what people read, what waits are measured by, and a way to be called later.

package protocol Timekeeper: Sendable {
  /// Milliseconds since 1970, as the machine believes. Jumps when the clock is set.
  func wallTime() -> UInt64
  /// Since boot, sleep included. Never goes back.
  func uptime() -> Duration
  /// Calls back once, on a thread of the timekeeper's. The token cancels when it is cancelled.
  func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable
}

package protocol Cancellable: Sendable {
  func cancel()
}
