// SPDX-License-Identifier: Apache-2.0
// Lets a thread of our own wait for an asynchronous call. Never to be used on a pool's thread.
// Concurrency model: `state` guards the running task and the word to stop; the result of a call has a
// lock of its own. One thread waits; any thread may cancel.

internal import Linux
internal import Synchronization
package import Vocabulary

package final class ThreadBridge: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Swift.Result<Value, Failure>?>(nil)
  }

  private let state = Mutex(State())
  private let arrived: WakeEvent

  package init() throws(SystemError) { arrived = try WakeEvent() }

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Runs the call and waits for its end. After `cancel` nothing is begun any more.
  package func wait<Value: Sendable>(
    _ call: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = Result<Value>()
    let isBegun = state.withLock { state in
      if state.isCancelled { return false }
      state.task = TaskHome.start {
        let value: Swift.Result<Value, Failure>
        do throws(Failure) { value = .success(try await call()) } catch { value = .failure(error) }
        result.value.withLock { $0 = value }
        self.arrived.ring()
      }
      return true
    }
    guard isBegun else { throw .cancelled }
    defer { state.withLock { $0.task = nil } }
    while true {
      if let value = result.value.withLock({ $0 }) { return try value.get() }
      _ = try? Poll.wait([Poll.Watch(arrived.descriptor)], for: nil)
      arrived.clear()
    }
  }

  /// Cancels the running call and refuses later ones.
  package func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
