// SPDX-License-Identifier: Apache-2.0
// Time that stands still until it is told to go on. Calls back on the thread that advances it, in the
// order in which they fall due. Concurrency: `state` guards all; nobody is called under it.

import Synchronization
package import Vocabulary

package final class SimulatedClock: Timekeeper {
  private struct Call {
    let token: UInt64
    let due: Duration
    let act: @Sendable () -> Void
  }

  private struct State {
    var now: Duration = .zero
    var wallTime: UInt64
    var calls: [Call] = []
    var nextToken: UInt64 = 0

    mutating func move(to time: Duration) {
      guard time > now else { return }
      let (seconds, attoseconds) = (time - now).components
      wallTime &+= UInt64(seconds) * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
      now = time
    }
  }

  private struct Token: Cancellable {
    let clock: SimulatedClock
    let number: UInt64
    func cancel() { clock.state.withLock { $0.calls.removeAll { $0.token == number } } }
  }

  private let state: Mutex<State>

  package init(wallTime: UInt64 = 1_763_712_345_000) {
    state = Mutex(State(wallTime: wallTime))
  }

  package func wallTime() -> UInt64 { state.withLock { $0.wallTime } }
  package func uptime() -> Duration { state.withLock { $0.now } }

  package func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable {
    state.withLock { state in
      state.nextToken += 1
      let due = state.now + max(.zero, delay)
      let place = state.calls.firstIndex { $0.due > due } ?? state.calls.endIndex
      state.calls.insert(Call(token: state.nextToken, due: due, act: act), at: place)
      return Token(clock: self, number: state.nextToken)
    }
  }

  /// How many calls wait.
  package var pending: Int { state.withLock { $0.calls.count } }

  /// When the next call falls due, from now.
  package var next: Duration? {
    state.withLock { state in state.calls.first.map { $0.due - state.now } }
  }

  package func advance(by step: Duration) {
    let end = uptime() + step
    while true {
      let call = state.withLock { state -> Call? in
        guard let first = state.calls.first, first.due <= end else {
          state.move(to: end)
          return nil
        }
        state.calls.removeFirst()
        state.move(to: first.due)
        return first
      }
      guard let call else { return }
      call.act()
    }
  }

  /// As when somebody sets the machine's clock: no wait becomes shorter or longer.
  package func setWallTime(_ time: UInt64) { state.withLock { $0.wallTime = time } }
}
