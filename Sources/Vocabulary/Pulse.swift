// SPDX-License-Identifier: Apache-2.0
// A loop's sign of life, for the watchdog: the loop reports the start of each turn and of each wait.

package protocol Pulse: Sendable {
  func busy()
  /// The loop waits for work: healthy, however long that lasts.
  func idle()
  /// Notes work that may take several turns, for the last message of a process whose loop is stuck.
  func begin(_ work: String, at number: UInt64)
  func end(_ number: UInt64)
}

extension Pulse {
  package func begin(_ work: String, at number: UInt64) {}
  package func end(_ number: UInt64) {}
}
