// SPDX-License-Identifier: Apache-2.0
// Where the asynchronous work of all parts runs. The executable names an executor before it starts
// any; without one (tests, the tool) tasks run on Swift's own pool.
// Concurrency model: `executor` is set once, before the first task, and only read after.

import Synchronization

package enum TaskHome {
  private static let executor = Mutex<(any TaskExecutor)?>(nil)

  package static func settle(on home: any TaskExecutor) { executor.withLock { $0 = home } }

  /// A task of its own: it inherits nothing but the home.
  @discardableResult
  package static func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task.detached(executorPreference: executor.withLock { $0 }) { await body() }
  }
}
