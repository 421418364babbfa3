// SPDX-License-Identifier: Apache-2.0
// A timekeeper moved by hand.

import Synchronization
import Vocabulary

final class InboxClock: Timekeeper {
  private struct Call {
    let token: Int
    let due: Duration
    let act: @Sendable () -> Void
  }

  private struct State {
    var now: Duration = .seconds(1000)
    var calls: [Call] = []
    var token = 0
  }

  private struct Token: Cancellable {
    let clock: InboxClock
    let number: Int
    func cancel() { clock.state.withLock { $0.calls.removeAll { $0.token == number } } }
  }

  private let state = Mutex(State())

  func wallTime() -> UInt64 {
    let now = uptime().components
    return 1_763_712_345_000 + UInt64(now.seconds * 1000)
      + UInt64(now.attoseconds / 1_000_000_000_000_000)
  }

  func uptime() -> Duration { state.withLock { $0.now } }

  func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable {
    state.withLock { state in
      state.token += 1
      state.calls.append(Call(token: state.token, due: state.now + delay, act: act))
      return Token(clock: self, number: state.token)
    }
  }

  func advance(_ time: Duration) {
    let due = state.withLock { state in
      state.now += time
      let due = state.calls.filter { $0.due <= state.now }
      state.calls.removeAll { $0.due <= state.now }
      return due
    }
    for call in due { call.act() }
  }
}
