// SPDX-License-Identifier: Apache-2.0
// The threads of asynchronous work. Tasks that answer people never wait for a disk; tasks that may wait for
// one run on separate threads, and `onDisk` moves there. An executable sets both homes before it starts a
// task; without homes (most tests) all tasks run on Swift's own pool.
// Concurrency model: `homes` is set once, before the first task, and only read afterwards.

import Synchronization

package enum TaskHome: Sendable {
  /// Never waits for a disk.
  case quick
  /// May wait for a disk.
  case disk

  private struct Homes {
    var quick: (any TaskExecutor)?
    var disk: (any TaskExecutor)?
  }

  private static let homes = Mutex(Homes())

  package static func settle(quick: any TaskExecutor, disk: any TaskExecutor) {
    homes.withLock { $0 = Homes(quick: quick, disk: disk) }
  }

  /// The home's executor; also for the children of a task group.
  package var executor: (any TaskExecutor)? {
    Self.homes.withLock { self == .disk ? $0.disk : $0.quick }
  }

  /// Starts a detached task in this home.
  @discardableResult
  package func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task.detached(executorPreference: executor) { await body() }
  }
}

/// Runs `act`, which may wait for a disk, in the disk home: the only way there for tasks of the quick home.
/// A closure that is not `@concurrent` would stay on the caller's thread.
package func onDisk<Value: Sendable, Failure: Error>(
  _ act: @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withTaskExecutorPreference(TaskHome.disk.executor, operation: act)
}
