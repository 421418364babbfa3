// SPDX-License-Identifier: Apache-2.0
// The real network: libcurl on one dedicated thread for all transfers.
// Concurrency model: `state` guards the table of jobs; the engine belongs to the thread. Callers put
// commands into the mailbox; the thread calls the sinks. Without transfers it sleeps without a time-out,
// after one last wake-up that closes the kept connections.
// The thread writes no file: a sink that waits for its disk pauses only its own transfer.

import Linux
import Synchronization
package import Vocabulary

package final class TransferLoop: Network {
  private struct State {
    /// The jobs that are not over.
    var jobs: [UInt64: TransferJob] = [:]
    var last: UInt64 = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  private let mailbox: Mailbox<TransferCommand>
  private let first: TransferSettings

  /// The time that idle connections are kept without any transfer.
  private static let keepTime = Duration.seconds(20)

  /// The thread's name has at most 15 bytes; libcurl's resolver threads inherit it.
  package init(_ settings: TransferSettings, name: String = "transfers") throws(SystemError) {
    first = settings
    mailbox = try Mailbox { $0.refuse() }
    try OwnThread.start(name) { self.run().give() }
  }

  package func begin(
    _ request: TransferRequest, into sink: any TransferSink,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket {
    guard request.url.scheme.isRemote else {
      whenOver(
        .failure(
          Failure(
            .final, code: "url.scheme", reason: "a file URL does not lead to the network")))
      return TransferTicket(0)
    }
    let job = state.withLock { state -> TransferJob? in
      if state.isStopped { return nil }
      state.last += 1
      let ticket = state.last
      let job = TransferJob(
        ticket: ticket, request: request, sink: sink,
        goOn: { [mailbox] in mailbox.put(.goOn(ticket)) }, whenOver: whenOver)
      state.jobs[ticket] = job
      return job
    }
    guard let job else {
      whenOver(.failure(.cancelled))
      return TransferTicket(0)
    }
    // With all places taken, a new transfer need not wake the thread: the end of another one does.
    mailbox.put(.start(job), isUrgent: false)
    return TransferTicket(job.ticket)
  }

  package func cancel(_ ticket: TransferTicket) { tell(ticket, .cancel(ticket.number)) }

  package func change(_ ticket: TransferTicket, to demand: TransferDemand) {
    tell(ticket, .prioritize(ticket.number, demand))
  }

  private func tell(_ ticket: TransferTicket, _ command: TransferCommand) {
    if state.withLock({ $0.jobs[ticket.number] != nil }) { mailbox.put(command) }
  }

  package func progress() -> [TransferProgress] {
    let jobs = state.withLock { $0.jobs }
    let now = ContinuousClock.now
    return jobs.sorted { $0.key < $1.key }.map { ticket, job in
      job.gauge.withLock { $0.reading(TransferTicket(ticket), now: now) }
    }
  }

  /// Applies to requests that start later. Lower limits take effect as transfers end.
  package func change(_ settings: TransferSettings) {
    mailbox.put(.change(settings))
  }

  /// Cancels all transfers, closes every connection and ends the thread. Later transfers are cancelled at
  /// once.
  package func stop() async {
    await Reply.wait { reply in
      let isFirst = state.withLock { state in
        defer { state.isStopped = true }
        return !state.isStopped
      }
      if isFirst { mailbox.put(.stop(reply)) } else { reply.give() }
    }
  }

  /// Runs until it is stopped; returns the reply for the caller of `stop`.
  private func run() -> Reply<Void> {
    DialSocket.blockPipeSignal()
    let engine = TransferEngine(first) { ticket in
      self.state.withLock { $0.jobs[ticket] = nil }
    }
    var isBusy = true
    while true {
      // New transfers enter the queue before a free place is given away: they may be more urgent.
      let commands = mailbox.take(
        beforeWaiting: isBusy ? .none : engine.isFull ? .urgent : .all)
      for (place, command) in commands.enumerated() {
        switch command {
        case .start(let job): engine.start(job)
        case .cancel(let ticket): engine.cancel(ticket)
        case .goOn(let ticket): engine.goOn(ticket)
        case .prioritize(let ticket, let demand): engine.change(ticket, to: demand)
        case .change(let settings): engine.change(settings)
        case .stop(let done):
          engine.cancelAll()
          mailbox.close()
          for late in commands[(place + 1)...] { late.refuse() }
          return done
        }
      }
      // Cleared before the next `take`: a letter put after the `take` rings again.
      if commands.isEmpty, !isBusy {
        if engine.isIdle ? rest(engine) : engine.wait(mailbox.descriptor) { mailbox.clear() }
      }
      isBusy = engine.turn()
    }
  }

  /// Waits for a letter; closes idle connections after `keepTime`.
  private func rest(_ engine: TransferEngine) -> Bool {
    let limit = engine.keepsConnections ? Self.keepTime : nil
    let watches = try? Poll.wait([Poll.Watch(mailbox.descriptor)], for: limit)
    if watches?.first?.isReadable == false { engine.closeConnections() }
    return true
  }
}
