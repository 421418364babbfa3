// SPDX-License-Identifier: Apache-2.0
// A loop's sign of life, for the watchdog: told when the loop has nothing to do, and when a turn begins.

package protocol Pulse: Sendable {
  func busy()
  /// Waiting for something to do: healthy for ever.
  func idle()
}
