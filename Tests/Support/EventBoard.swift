// SPDX-License-Identifier: Apache-2.0
// A value that changes, and a wait, limited in time, until a condition on it holds. Concurrency model:
// one Mutex; waiters are resumed with it released.

import Foundation
import Synchronization

package final class EventBoard<Value: Sendable>: Sendable {
  private struct Waiter {
    let holds: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var value: Value
    var next = 0
    var waiters: [Int: Waiter] = [:]
  }

  private let state: Mutex<State>

  package init(_ value: Value) { state = Mutex(State(value: value)) }

  package var value: Value { state.withLock { $0.value } }

  package func change(_ act: @Sendable (inout Value) -> Void) {
    let ready = state.withLock { state in
      act(&state.value)
      let value = state.value
      let ready = state.waiters.filter { $0.value.holds(value) }
      for number in ready.keys { state.waiters[number] = nil }
      return ready.values.map(\.continuation)
    }
    for continuation in ready { continuation.resume(returning: true) }
  }

  /// Returns false if the condition does not hold in time.
  package func wait(
    seconds: Int = Patience.seconds, until holds: @escaping @Sendable (Value) -> Bool
  ) async
    -> Bool
  {
    await withCheckedContinuation { continuation in
      let number = state.withLock { state -> Int? in
        if holds(state.value) { return nil }
        state.next += 1
        state.waiters[state.next] = Waiter(holds: holds, continuation: continuation)
        return state.next
      }
      guard let number else { return continuation.resume(returning: true) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
        self?.state.withLock { $0.waiters.removeValue(forKey: number) }?
          .continuation.resume(returning: false)
      }
    }
  }
}
