// SPDX-License-Identifier: Apache-2.0
// The daemon's workers: at most `width` sandboxed processes, each serving one list at one nice level,
// started when there is work and ended a moment after there is none. Urgent requests go first.
// Promises: a request ends in an answer that was checked or in a `Failure`, whatever the worker does;
// a cancelled or late one ends at once and its worker is killed. That worker may be within one last
// write: a print whose order was called off is thrown away, never written over.
// Raises: what the worker found wrong (`jpeg.truncated` …), `worker.died` and `worker.answer` (passing),
// `worker.timeout` (final), `worker.start` and `worker.sandbox` (the machine's trouble), cancelled.

import Linux
package import Vocabulary

/// Concurrency model: nothing of its own but the inbox, which is locked; the rest is the thread's.
package final class WorkerPool: Workers {
  private let inbox: PoolInbox

  /// `report` is called on the pool's thread and must not wait.
  package init(
    settings: WorkerSettings, pulse: (any Pulse)? = nil,
    report: @escaping @Sendable (WorkerNotice) -> Void
  ) throws(SystemError) {
    let inbox = try PoolInbox()
    self.inbox = inbox
    OwnThread.start("workers") {
      PoolThread(inbox: inbox, settings: settings, pulse: pulse, report: report).run()
    }
  }

  deinit { inbox.leave(.end) }

  package func readList(
    _ list: any OpenFile, catalog: any OpenFile, limits: ListLimits
  ) async throws(Failure) {
    let job = WorkerJob(body: .readList(limits), input: list, output: catalog)
    _ = try await run(job).get()
  }

  package func foreseeList(_ limits: ListLimits) { inbox.leave(.foresee(limits)) }

  package func develop(
    _ original: any OpenFile, into print: any OpenFile, _ order: DevelopOrder
  ) async throws(Failure) -> Developed {
    let job = WorkerJob(body: .develop(order), input: original, output: print)
    switch try await run(job).get() {
    case .developed(let developed): return developed
    case .listRead: throw PoolState.nonsense
    }
  }

  /// How many workers there may be from now on.
  package func resize(to width: Int) { inbox.leave(.resize(width)) }

  /// Calls everything off and kills all workers; returns at once. What comes later is cancelled.
  package func shutdown() { inbox.leave(.end) }

  /// Returns once no worker is left, after `shutdown`.
  package func ended() async {
    await withCheckedContinuation { inbox.leave(.awaitEnd($0)) }
  }

  private func run(_ job: WorkerJob) async -> JobAnswer {
    let number = inbox.nextNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        inbox.leave(.order(number, job, continuation))
        // A cancellation before the order was left has found nothing to cancel.
        if Task.isCancelled { inbox.leave(.cancel(number)) }
      }
    } onCancel: {
      inbox.leave(.cancel(number))
    }
  }
}
