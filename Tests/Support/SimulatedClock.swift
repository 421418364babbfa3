// SPDX-License-Identifier: Apache-2.0
// A clock that stands still until a test advances it. It makes calls on the thread that advances it,
// in the order in which they fall due, and reports when calls wait for it. The one clock of all
// tests. Concurrency: `state` guards all; no call is made under it.

import Synchronization
package import Vocabulary

package final class SimulatedClock: Timekeeper {
  private struct Call {
    let token: UInt64
    let due: Duration
    let act: @Sendable () -> Void
  }

  private struct State {
    var now: Duration
    var wallTime: UInt64
    var calls: [Call] = []
    var nextToken: UInt64 = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

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

  /// A clock that is right for this version. It is behind the times of real files, which are of today.
  package init(wallTime: UInt64 = Release.date + 86_400_000, uptime: Duration = .zero) {
    state = Mutex(State(now: uptime, wallTime: wallTime))
  }

  package func wallTime() -> UInt64 { state.withLock { $0.wallTime } }
  package func uptime() -> Duration { state.withLock { $0.now } }

  package func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable {
    let (number, ready) = state.withLock { state in
      state.nextToken += 1
      let due = state.now + max(.zero, delay)
      let place = state.calls.firstIndex { $0.due > due } ?? state.calls.endIndex
      state.calls.insert(Call(token: state.nextToken, due: due, act: act), at: place)
      let count = state.calls.count
      let ready = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return (state.nextToken, ready)
    }
    for waiter in ready { waiter.continuation.resume() }
    return Token(clock: self, number: number)
  }

  /// Returns once at least this number of calls waits.
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

  /// The number of waiting calls.
  package var pending: Int { state.withLock { $0.calls.count } }

  /// The time until the next call falls due.
  package var next: Duration? {
    state.withLock { state in state.calls.first.map { $0.due - state.now } }
  }

  /// Moves on at once, then makes the calls that are due, in their order. Every call, on any thread,
  /// sees the new time; a call that is scheduled meanwhile waits for the next move.
  package func advance(by step: Duration) {
    let due = state.withLock { state in
      state.move(to: state.now + step)
      let count = state.calls.prefix { $0.due <= state.now }.count
      defer { state.calls.removeFirst(count) }
      return Array(state.calls.prefix(count))
    }
    for call in due { call.act() }
  }

  /// Sets the wall clock, as an administrator may: no wait becomes shorter or longer.
  package func setWallTime(_ time: UInt64) { state.withLock { $0.wallTime = time } }
}
