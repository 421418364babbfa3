// SPDX-License-Identifier: Apache-2.0
// Disk work that outlives the call that requests it. Any thread may request an errand, and none waits. The
// task in `run` owns the errands, runs them on the disk pool, and waits for their end.
// Concurrency: immutable; the stream has its own lock.

import Linux

struct DiskErrands: Sendable {
  typealias Errand = @Sendable () async -> Void

  private let errands: AsyncStream<Errand>
  private let mail: AsyncStream<Errand>.Continuation

  init() { (errands, mail) = AsyncStream.makeStream() }

  /// Returns false, and drops the errand, after `stop`.
  func begin(_ errand: @escaping Errand) -> Bool {
    if case .terminated = mail.yield(errand) { false } else { true }
  }

  /// Runs errands until `stop` or the task's cancellation, and returns when all errands are done.
  func run() async {
    await onDisk {
      await withDiscardingTaskGroup { group in
        for await errand in errands { group.addTask { await errand() } }
      }
    }
  }

  func stop() { mail.finish() }
}
