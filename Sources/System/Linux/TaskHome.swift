// SPDX-License-Identifier: Apache-2.0
// The threads of asynchronous work. Tasks that keep lists or answer people never wait for a disk; tasks that may wait
// for one run on separate threads, and `onDisk` moves there. An executable sets the homes before it starts a task;
// without homes (most tests) all tasks run on Swift's own pool.
// Concurrency model: `homes` is set once, before the first task, and only read afterwards.

import Synchronization

package enum TaskHome: Sendable {
  /// Never waits for a disk.
  case quick
  /// May wait for a disk.
  case disk
  /// May wait for a store of objects: one that is slow takes no thread from the disks.
  case store
  /// The calls of a user, in turn with the calls of other users. Never waits for a disk.
  case calls(of: UInt32)

  private struct Homes {
    var quick: (any TaskExecutor)?
    var calls: CallThread?
    var disk: (any TaskExecutor)?
    var store: (any TaskExecutor)?

    subscript(home: TaskHome) -> (any TaskExecutor)? {
      switch home {
      case .quick: quick
      case .disk: disk
      case .store: store ?? disk
      case .calls(let user): calls?.lane(of: user) ?? quick
      }
    }
  }

  private static let homes = Mutex(Homes())

  /// - Parameter store: nil if there is no store.
  /// - Parameter calls: nil for a process that answers no users.
  package static func settle(
    quick: any TaskExecutor, disk: any TaskExecutor, store: (any TaskExecutor)? = nil,
    calls: CallThread? = nil
  ) {
    homes.withLock { $0 = Homes(quick: quick, calls: calls, disk: disk, store: store) }
  }

  /// The home's executor, and the executor for the children of a task group.
  package var executor: (any TaskExecutor)? {
    Self.homes.withLock { $0[self] }
  }

  /// Starts a detached task in this home.
  @discardableResult
  package func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task.detached(executorPreference: executor) { await body() }
  }
}

/// Ends a turn at the thread: a long piece of work calls it between its steps, and the jobs that wait run first.
package func giveWay() async {
  // A child task waits in the same home.
  async let turn: Void = {}()
  await turn
}

/// Runs `act`, which may wait for a disk, in the disk home: the only way there for tasks of the quick home.
/// A closure that is not `@concurrent` would stay on the caller's thread.
package func onDisk<Value: Sendable, Failure: Error>(
  _ act: @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withTaskExecutorPreference(TaskHome.disk.executor, operation: act)
}

/// The same for calls that wait for a store of objects.
package func onStore<Value: Sendable, Failure: Error>(
  _ act: @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withTaskExecutorPreference(TaskHome.store.executor, operation: act)
}

/// Looks at a disk in the disk home, for an answer that is of no use after a stop: nil once the task is cancelled. A look
/// that hangs, because the server of a folder is away, ends later, or with the process.
package func lookOnDisk<Value: Sendable>(_ look: @escaping @Sendable () -> Value) async -> Value? {
  let (answers, answer) = AsyncStream<Value>.makeStream()
  TaskHome.disk.start {
    answer.yield(look())
    answer.finish()
  }
  for await value in answers { return value }
  return nil
}
