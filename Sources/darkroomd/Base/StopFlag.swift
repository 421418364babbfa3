// SPDX-License-Identifier: Apache-2.0
// The daemon's wish to stop: turned on once, never off. Raises nothing.
// Concurrency: the signal has its own lock.

import Linux

final class StopFlag: Sendable {
  private let signal = ChangeSignal()

  var isOn: Bool { signal.version > 0 }

  func turnOn() { signal.changed() }

  /// Returns when it is on.
  func wait() async { await signal.change(after: 0) }
}
