// SPDX-License-Identifier: Apache-2.0
// Time behind protocols, so that tests can simulate it: the time of day, the uptime, and timers.

package protocol TimeSource: Sendable {
  /// Milliseconds since 1970 by the machine's clock. Jumps when the clock is set.
  func wallTime() -> UInt64
  /// Time since boot, including sleep. Never goes back.
  func uptime() -> Duration
}

package protocol Timekeeper: TimeSource {
  /// Calls `act` once, on the timekeeper's thread, unless the token is cancelled first.
  func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable
}

package protocol Cancellable: Sendable {
  func cancel()
}
