// SPDX-License-Identifier: Apache-2.0
// The real network: libcurl on one thread of its own, however many transfers there are.
// Concurrency model: `state` guards what callers leave for the thread; the engine belongs to the
// thread. A caller rings `wake`; whoever waits is told from the thread. Without
// transfers it sleeps without a time-out, after one last wake-up that closes the connections kept.
// Files are written on this thread too: into the page cache, where they seldom wait.

import Linux
import Synchronization
package import Vocabulary

package final class TransferLoop: Network {
  private struct State {
    var commands: [TransferCommand] = []
    /// Those that are not over.
    var jobs: [UInt64: TransferJob] = [:]
    var last: UInt64 = 0
    var isStopped = false
    /// The thread looks here before it waits again. While it waits, what could not start yet need not
    /// wake it: a transfer that ends does.
    var isAwake = true
    var isFull = false

    /// Whether the thread must be rung for it: it takes all that it finds.
    mutating func leave(_ command: TransferCommand) -> Bool {
      commands.append(command)
      if isAwake { return false }
      if case .start = command, isFull { return false }
      isAwake = true
      return true
    }

    /// What was left; where there is nothing and the thread has nothing else to do, it waits from here on.
    mutating func take(orWait isIdle: Bool, isFull: Bool) -> [TransferCommand] {
      (isAwake, self.isFull) = (!isIdle || !commands.isEmpty, isFull)
      defer { commands = [] }
      return commands
    }
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

  package func begin(
    _ request: TransferRequest, into file: any OpenFile,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket {
    let url: PhotoURL
    do throws(Failure) { url = try Self.address(request) } catch {
      whenOver(.failure(error))
      return TransferTicket(0)
    }
    let begun = state.withLock { state -> (ticket: UInt64, isFirst: Bool)? in
      if state.isStopped { return nil }
      state.last += 1
      let job = TransferJob(
        ticket: state.last, url: url, request: request, file: file, whenOver: whenOver)
      state.jobs[state.last] = job
      return (state.last, state.leave(.start(job)))
    }
    guard let (ticket, isFirst) = begun else {
      whenOver(.failure(.cancelled))
      return TransferTicket(0)
    }
    if isFirst { wake.ring() }
    return TransferTicket(ticket)
  }

  private static func address(_ request: TransferRequest) throws(Failure) -> PhotoURL {
    let url: PhotoURL
    if let place = request.place { url = place } else { url = try PhotoURL(parsing: request.url) }
    guard url.scheme != .file else {
      throw Failure(.final, code: "url.scheme", reason: "a file's URL is not for the network")
    }
    return url
  }

  package func cancel(_ ticket: TransferTicket) { tell(ticket, .cancel(ticket.number)) }

  package func change(_ ticket: TransferTicket, to priority: ServiceClass) {
    tell(ticket, .prioritize(ticket.number, priority))
  }

  private func tell(_ ticket: TransferTicket, _ command: TransferCommand) {
    let rings = state.withLock { state in
      state.jobs[ticket.number] != nil && state.leave(command)
    }
    if rings { wake.ring() }
  }

  package func progress() -> [TransferProgress] {
    let jobs = state.withLock { $0.jobs }
    let now = ContinuousClock.now
    return jobs.sorted { $0.key < $1.key }.map { ticket, job in
      job.gauge.withLock { $0.reading(TransferTicket(ticket), now: now) }
    }
  }

  /// For what starts from now on. Limits that shrink take effect as transfers end.
  package func change(_ settings: TransferSettings) {
    if state.withLock({ $0.leave(.change(settings)) }) { wake.ring() }
  }

  /// Cancels what runs, closes every connection and ends the thread. What is asked for later is
  /// cancelled at once.
  package func stop() async {
    await withCheckedContinuation { done in
      let isFirst = state.withLock { state in
        if state.isStopped { return false }
        state.isStopped = true
        // One ring too many does no harm.
        _ = state.leave(.stop(done))
        return true
      }
      if isFirst { wake.ring() } else { done.resume() }
    }
  }

  /// Until it is stopped; answers whom to tell that all is gone.
  private func run() -> CheckedContinuation<Void, Never> {
    DialSocket.blockPipeSignal()
    let engine = TransferEngine(first) { ticket in
      self.state.withLock { $0.jobs[ticket] = nil }
    }
    var isBusy = true
    while true {
      // What came meanwhile is there before the next place is given away: it may be more urgent.
      let commands = state.withLock { [isFull = engine.isFull] in
        $0.take(orWait: !isBusy, isFull: isFull)
      }
      for command in commands {
        switch command {
        case .start(let job): engine.start(job)
        case .cancel(let ticket): engine.cancel(ticket)
        case .prioritize(let ticket, let priority): engine.change(ticket, to: priority)
        case .change(let settings): engine.change(settings)
        case .stop(let done):
          engine.cancelAll()
          return done
        }
      }
      // Cleared before looking: what is left after the look rings again.
      if commands.isEmpty, !isBusy {
        if engine.isIdle ? rest(engine) : engine.wait(wake) { wake.clear() }
      }
      isBusy = engine.turn()
    }
  }

  /// Whether the bell has rung, or may have.
  private func rest(_ engine: TransferEngine) -> Bool {
    let limit = engine.keepsConnections ? Self.keepTime : nil
    let watches = try? Poll.wait([Poll.Watch(wake.descriptor)], for: limit)
    if watches?.first?.isReadable == false { engine.closeConnections() }
    return true
  }
}
