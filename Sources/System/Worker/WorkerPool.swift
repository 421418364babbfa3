// SPDX-License-Identifier: Apache-2.0
// The daemon's workers: at most `width` sandboxed processes and one that reads lists, each for one user at one nice
// level, started when there is work and ended soon after it is done. Urgent requests go first.
// Promises: a request ends with a checked answer or a `Failure`, even if its worker misbehaves; a cancelled
// or late request ends at once, and its worker is killed. The worker may still be inside one last write: the
// print of a cancelled order is thrown away, never overwritten.
// Raises: the worker's findings (`jpeg.truncated` …), `worker.died`, `worker.answer` and `worker.idle` (passing),
// `worker.timeout` (final), `worker.start` and `worker.sandbox` (the machine's trouble), cancelled.

package import Linux
import Synchronization
package import Vocabulary

/// Concurrency model: a mailbox and two atomic counters; all else belongs to the `PoolLoop`.
package final class WorkerPool: Workers {
  private let mailbox: Mailbox<PoolLetter>
  private let settings: WorkerSettings
  private let lastJob = Atomic<JobNumber>(0)
  private let starts = Atomic<UInt64>(0)

  package init(settings: WorkerSettings) throws(SystemError) {
    mailbox = try Mailbox { $0.refuse() }
    self.settings = settings
  }

  /// A pool with its own thread, for programs without a reactor.
  package static func alone(
    _ settings: WorkerSettings, report: @escaping @Sendable (WorkerNotice) -> Void = { _ in }
  ) throws(SystemError) -> WorkerPool {
    let pool = try WorkerPool(settings: settings)
    let mailbox = pool.mailbox
    try Reactor.start("workers") { reactor in
      await PoolLoop(mailbox, settings, report).run(on: reactor)
    }
    return pool
  }

  deinit { mailbox.put(.end) }

  /// Serves requests until `shutdown` and the end of the last worker. Call it from a task of the reactor.
  /// - Parameter report: called on the reactor's thread; must not wait.
  package func run(
    on reactor: Reactor, report: @escaping @Sendable (WorkerNotice) -> Void
  ) async {
    await PoolLoop(mailbox, settings, report) { [self] in
      starts.add(1, ordering: .relaxed)
    }.run(on: reactor)
  }

  /// The number of workers that were started.
  package var started: UInt64 { starts.load(ordering: .relaxed) }

  package func readList(
    _ list: any OpenFile, of owner: UInt32, catalog: any OpenFile, limits: ListLimits
  ) async throws(Failure) {
    let job = WorkerJob(body: .readList(limits), owner: owner, input: list, output: catalog)
    _ = try await run(job).get()
  }

  package func foreseeList(of owner: UInt32, _ limits: ListLimits) {
    mailbox.put(.foresee(limits, owner: owner))
  }

  package func develop(
    _ original: any OpenFile, into print: any OpenFile, thumbnail: Thumbnail.Order?,
    _ order: DevelopOrder
  ) async throws(Failure) -> Developed {
    let job = WorkerJob(
      body: .develop(order, thumbnail: thumbnail?.height ?? 0), owner: order.owner,
      input: original, output: print, thumbnail: thumbnail?.file)
    switch try await run(job).get() {
    case .developed(let developed): return developed
    case .listRead: throw PoolState.nonsense
    }
  }

  /// Changes the maximum number of workers.
  package func resize(to width: Int) { mailbox.put(.resize(width)) }

  /// Cancels every request and kills all workers; returns at once. Later requests are cancelled.
  package func shutdown() { mailbox.put(.end) }

  /// Returns once the last worker has ended; only after `shutdown`.
  package func ended() async { await Reply.wait { mailbox.put(.awaitEnd($0)) } }

  private func run(_ job: WorkerJob) async -> JobAnswer {
    let number = lastJob.add(1, ordering: .relaxed).newValue
    return await withTaskCancellationHandler {
      await Reply.wait { reply in
        mailbox.put(.order(number, job, reply))
        // A cancellation before the order was put into the mailbox cancelled nothing.
        if Task.isCancelled { mailbox.put(.cancel(number)) }
      }
    } onCancel: {
      mailbox.put(.cancel(number))
    }
  }
}
