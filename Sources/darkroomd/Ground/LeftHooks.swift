// SPDX-License-Identifier: Apache-2.0
// Why the last hooks and webhooks were left out, by list, until a restart: `why` tells the owner. Raises nothing.
// Concurrency: one Mutex.

import Synchronization
import Vocabulary

final class LeftHooks: Sendable {
  private static let most = 1_000

  private struct State {
    var failures: [ListID: Failure] = [:]
    var order: [ListID] = []
  }

  private let state = Mutex(State())

  subscript(list: ListID) -> Failure? { state.withLock { $0.failures[list] } }

  func note(_ failure: Failure, of list: ListID) {
    state.withLock { state in
      guard state.failures.updateValue(failure, forKey: list) == nil else { return }
      state.order.append(list)
      if state.order.count > Self.most { state.failures[state.order.removeFirst()] = nil }
    }
  }
}
