// SPDX-License-Identifier: Apache-2.0
// A loop's sign of life, for the watchdog: the loop reports the start of each turn and of each wait.

package protocol Pulse: Sendable {
  func busy()
  /// The loop waits for work: healthy, however long that lasts.
  func idle()
}
