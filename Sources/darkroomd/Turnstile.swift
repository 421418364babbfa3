// SPDX-License-Identifier: Apache-2.0
// Lets one through at a time, in the order they came, without holding a thread: for changes of lists
// that must not come between each other's record and effect.
// Concurrency model: one Mutex; the next is resumed with it released.

import Synchronization
import Vocabulary

final class Turnstile: Sendable {
  private struct State {
    var isTaken = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func pass(_ body: () async throws(Failure) -> Void) async throws(Failure) {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiters.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { continuation.resume() }
    }
    defer { leave() }
    try await body()
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiters.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.resume()
  }
}
