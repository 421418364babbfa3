// SPDX-License-Identifier: Apache-2.0
// The real network: libcurl on one thread of its own, however many transfers there are.
// Concurrency model: `state` guards what callers leave for the thread; the engine belongs to the
// thread. A caller rings `wake`; answers resume the caller's task from the thread. Without
// transfers it sleeps without a time-out, after one last wake-up that closes the connections kept.
// Files are written on this thread too: into the page cache, where they seldom wait.

import Linux
import Synchronization
package import Vocabulary

package final class TransferLoop: Network {
  private struct State {
    var commands: [TransferCommand] = []
    var desk = TicketDesk()
    var isStopped = false
  }

  private let state = Mutex(State())
  private let wake: WakeEvent
  private let first: TransferSettings

  /// How long connections are kept when nothing is transferred.
  private static let keepTime = Duration.seconds(20)

  /// The thread's name has at most 15 bytes; threads that look names up bear it too.
  package init(_ settings: TransferSettings, name: String = "transfers") throws(SystemError) {
    first = settings
    wake = try WakeEvent()
    OwnThread.start(name) { self.run().resume() }
  }

  package func fetch(_ request: TransferRequest, into file: any OpenFile) async throws(Failure)
    -> TransferReply
  {
    let url = try PhotoURL(parsing: request.url)
    guard url.scheme != .file else {
      throw Failure(.final, code: "url.scheme", reason: "a file's URL is not for the network")
    }
    let ticket = state.withLock { $0.desk.announce() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        submit(
          TransferJob(ticket: ticket, url: url, request: request, file: file, answer: answer))
      }
    } onCancel: {
      let mustTell = state.withLock { state in
        guard state.desk.cancel(ticket) else { return false }
        state.commands.append(.cancel(ticket))
        return true
      }
      if mustTell { wake.ring() }
    }
    return try result.get()
  }

  /// For what starts from now on. Limits that shrink take effect as transfers end.
  package func change(_ settings: TransferSettings) {
    state.withLock { $0.commands.append(.change(settings)) }
    wake.ring()
  }

  /// Cancels what runs, closes every connection and ends the thread. What is asked for later is
  /// cancelled at once.
  package func stop() async {
    await withCheckedContinuation { done in
      let isFirst = state.withLock { state in
        if state.isStopped { return false }
        state.isStopped = true
        state.commands.append(.stop(done))
        return true
      }
      if isFirst { wake.ring() } else { done.resume() }
    }
  }

  private func submit(_ job: TransferJob) {
    let isTaken = state.withLock { state in
      guard state.desk.submit(job.ticket) else { return false }
      if state.isStopped {
        state.desk.finish(job.ticket)
        return false
      }
      state.commands.append(.start(job))
      return true
    }
    if isTaken { wake.ring() } else { job.answer.resume(returning: .failure(.cancelled)) }
  }

  /// Until it is stopped; answers whom to tell that all is gone.
  private func run() -> CheckedContinuation<Void, Never> {
    DialSocket.blockPipeSignal()
    let engine = TransferEngine(first) { ticket in
      self.state.withLock { $0.desk.finish(ticket) }
    }
    while true {
      // Cleared before looking: what is left after the look rings again.
      wake.clear()
      let commands = state.withLock { state in
        defer { state.commands = [] }
        return state.commands
      }
      for command in commands {
        switch command {
        case .start(let job): engine.start(job)
        case .cancel(let ticket): engine.cancel(ticket)
        case .change(let settings): engine.change(settings)
        case .stop(let done):
          engine.cancelAll()
          return done
        }
      }
      engine.turn()
      if engine.isIdle { rest(engine) } else { engine.wait(wake) }
    }
  }

  private func rest(_ engine: TransferEngine) {
    let limit = engine.keepsConnections ? Self.keepTime : nil
    let watches = try? Poll.wait([Poll.Watch(wake.descriptor)], for: limit)
    if watches?.first?.isReadable == false { engine.closeConnections() }
  }
}
