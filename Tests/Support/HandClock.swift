// SPDX-License-Identifier: Apache-2.0
// A clock that a test moves by hand, and that says when somebody waits for it.

import Synchronization
package import Vocabulary

package final class HandClock: Timekeeper {
  private struct Call {
    let token: Int
    let due: Duration
    let act: @Sendable () -> Void
  }

  private struct State {
    var now = Duration.seconds(1000)
    var calls: [Call] = []
    var next = 0
    var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
  }

  private struct Token: Cancellable {
    let clock: HandClock
    let number: Int
    func cancel() { clock.state.withLock { $0.calls.removeAll { $0.token == number } } }
  }

  private let state = Mutex(State())

  package init() {}

  package func wallTime() -> UInt64 {
    UInt64(1_763_700_000_000 + state.withLock { $0.now.components.seconds } * 1000)
  }

  package func uptime() -> Duration { state.withLock { $0.now } }

  package func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable {
    let (number, ready) = state.withLock { state in
      state.next += 1
      state.calls.append(Call(token: state.next, due: state.now + delay, act: act))
      let count = state.calls.count
      let ready = state.waiters.filter { $0.0 <= count }
      state.waiters.removeAll { $0.0 <= count }
      return (state.next, ready)
    }
    for (_, continuation) in ready { continuation.resume() }
    return Token(clock: self, number: number)
  }

  /// Returns once at least so many calls are pending.
  package func scheduled(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.calls.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Moves on and makes the calls that are due, in their order.
  package func advance(by step: Duration) {
    let due = state.withLock { state in
      state.now += step
      let now = state.now
      let due = state.calls.filter { $0.due <= now }.sorted { $0.due < $1.due }
      state.calls.removeAll { $0.due <= now }
      return due
    }
    for call in due { call.act() }
  }
}
