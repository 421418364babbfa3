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

  /// Looks at a disk in the disk home; nil once it is on, even while the look hangs.
  func unlessOn<Value: Sendable>(_ look: @escaping @Sendable () -> Value) async -> Value? {
    if isOn { return nil }
    return await withTaskGroup(of: Value?.self) { group in
      group.addTask { await lookOnDisk(look) }
      group.addTask { [self] in
        await wait()
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}
