// SPDX-License-Identifier: Apache-2.0
// A limit on benches at once, since each holds scarce resources. Concurrency model: one Mutex;
// waiters are resumed in order, with it released.

import Synchronization

package final class BenchPlaces: Sendable {
  /// Each is a daemon, workers and an origin.
  static let shared = BenchPlaces(3)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  package init(_ count: Int) { state = Mutex(State(free: count)) }

  package func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  package func give() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
