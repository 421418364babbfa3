// SPDX-License-Identifier: Apache-2.0
// Lets callers wait until something about a list has changed since they looked.
// Concurrency model: one Mutex; waiters are resumed with it released.

import Synchronization
import Vocabulary

final class ListNews: Sendable {
  private struct State {
    var version: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  /// What was seen at this moment.
  var version: UInt64 { state.withLock { $0.version } }

  func changed(_ list: ListID) {
    let waiters = state.withLock { state in
      state.version += 1
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when anything has changed after `version`, or the task is cancelled.
  func change(after version: UInt64) async {
    let ticket = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isNews = state.withLock { state in
          if state.version != version || Task.isCancelled { return true }
          state.waiters[ticket] = continuation
          return false
        }
        if isNews { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
    }
  }
}
