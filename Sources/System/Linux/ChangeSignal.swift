// SPDX-License-Identifier: Apache-2.0
// Counts changes. A task remembers the last version it has seen and waits for a newer one, so it misses
// no change between its check and the wait.
// Concurrency model: one Mutex; waiting tasks are resumed with it released.

import Synchronization
package import Vocabulary

package final class ChangeSignal: Sendable {
  private struct State {
    var version: UInt64 = 0
    var waiters: [UInt64: Reply<Void>] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var version: UInt64 { state.withLock { $0.version } }

  package func changed() {
    let waiters = state.withLock { state in
      state.version += 1
      if state.waiters.isEmpty { return [UInt64: Reply<Void>]() }
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.give() }
  }

  /// Returns once the version differs from `version`, or the task is cancelled.
  package func change(after version: UInt64) async {
    await wait(beyond: version) { _ in nil }
  }

  /// The same, but returns after `limit` at the latest.
  package func change(
    after version: UInt64, within limit: Duration, on clock: any Timekeeper
  ) async {
    await wait(beyond: version) { ticket in clock.after(limit) { self.release(ticket) } }
  }

  private func wait(
    beyond version: UInt64, timer: (UInt64) -> (any Cancellable)?
  ) async {
    let ticket = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    var alarm: (any Cancellable)?
    await withTaskCancellationHandler {
      await Reply.wait { reply in
        let isOver = state.withLock { state in
          if state.version != version || Task.isCancelled { return true }
          state.waiters[ticket] = reply
          return false
        }
        // The timer starts only after its waiter is registered.
        if isOver { reply.give() } else { alarm = timer(ticket) }
      }
    } onCancel: {
      release(ticket)
    }
    alarm?.cancel()
  }

  private func release(_ ticket: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: ticket) }?.give()
  }
}

extension Timekeeper {
  /// Returns after the time, or at once when the task is cancelled.
  package func rest(_ time: Duration) async {
    await ChangeSignal().change(after: 0, within: time, on: self)
  }
}
