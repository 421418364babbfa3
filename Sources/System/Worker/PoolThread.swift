// SPDX-License-Identifier: Apache-2.0
// Performs what `PoolState` decides, on a thread of its own: waits for the inbox, for what workers say and
// for their ends; without a deadline in the state it waits for ever.
// Concurrency model: everything here belongs to the thread that runs `run`; tasks reach it through the
// inbox, and are resumed from it.

import Linux
import Vocabulary

final class PoolThread {
  private struct Errand {
    let job: WorkerJob
    let continuation: CheckedContinuation<JobAnswer, Never>
  }

  private let inbox: PoolInbox
  private let settings: WorkerSettings
  private let pulse: (any Pulse)?
  private let report: @Sendable (WorkerNotice) -> Void
  private var state: PoolState
  private var processes: [WorkerNumber: WorkerProcess] = [:]
  private var errands: [JobNumber: Errand] = [:]
  /// Events that came up while another was dealt with.
  private var pending: [PoolState.Event] = []
  private var awaitingEnd: [CheckedContinuation<Void, Never>] = []

  init(
    inbox: PoolInbox, settings: WorkerSettings, pulse: (any Pulse)?,
    report: @escaping @Sendable (WorkerNotice) -> Void
  ) {
    self.pulse = pulse
    self.inbox = inbox
    self.settings = settings
    self.report = report
    state = PoolState(settings: settings)
  }

  func run() {
    while !state.isOver {
      wait()
      for command in inbox.takeAll() { obey(command) }
      for number in processes.keys.sorted() { attend(number) }
      if let due = state.nextDeadline, due <= ThisProcess.awakeTime() { feed(.timePassed) }
    }
    inbox.close()
    for continuation in awaitingEnd { continuation.resume() }
  }

  private func wait() {
    let watches = [Poll.Watch(inbox.descriptor)] + processes.values.flatMap(\.watches)
    let limit = state.nextDeadline.map { max(.zero, $0 - ThisProcess.awakeTime()) }
    // Everything below looks for itself; a failed wait (no memory) only means looking too early.
    pulse?.idle()
    _ = try? Poll.wait(watches, for: limit)
    pulse?.busy()
  }

  private func obey(_ command: PoolInbox.Command) {
    switch command {
    case .order(let number, let job, let continuation):
      errands[number] = Errand(job: job, continuation: continuation)
      feed(.ordered(number, job.order(settings)))
    case .cancel(let number): feed(.cancelled(number))
    case .foresee(let limits): feed(.foreseen(WorkerJob.order(limits, settings).options))
    case .resize(let width): feed(.resized(width))
    case .end: feed(.ended)
    case .awaitEnd(let continuation): awaitingEnd.append(continuation)
    }
  }

  /// Hears what a worker has said, then sees whether it is still there: an answer counts although the
  /// worker ended right after it.
  private func attend(_ number: WorkerNumber) {
    guard let process = processes[number] else { return }
    // Before listening: what is said between the two is heard, what has ended says no more.
    let status = process.reap()
    hear(number, process)
    tell(process)
    guard let status else { return }
    for _ in 0..<4 { tell(process) }  // more than it may have left there
    processes[number] = nil
    feed(.exited(number, status))
  }

  /// A worker has at most two things to say at once: ready, and its answer; more can wait a turn.
  private func hear(_ number: WorkerNumber, _ process: WorkerProcess) {
    for _ in 0..<2 {
      switch process.listen() {
      case .nothing: return
      case .hungUp: return feed(.hungUp(number))
      case .nonsense: return feed(.babbled(number))
      case .answer(let answer): take(answer, from: number)
      }
    }
  }

  private func take(_ answer: WorkerAnswer, from worker: WorkerNumber) {
    if case .ready(let layers) = answer.body {
      feed(.ready(worker, layers))
    } else if let errand = errands[answer.number], let result = errand.job.judge(answer.body) {
      feed(.answered(worker, answer.number, result))
    } else {
      feed(.babbled(worker))
    }
  }

  private func tell(_ process: WorkerProcess) {
    for line in process.readLog() { report(.said(process: process.number, line: line)) }
  }

  private func feed(_ event: PoolState.Event) {
    pending.append(event)
    guard pending.count == 1 else { return }  // the one below us takes it
    while let next = pending.first {
      for action in state.handle(next, at: ThisProcess.awakeTime()) { perform(action) }
      pending.removeFirst()
    }
  }

  private func perform(_ action: PoolState.Action) {
    switch action {
    case .start(let worker, let options): start(worker, options)
    case .send(let job, let worker, let timeout): send(job, to: worker, timeout)
    case .kill(let worker): processes[worker]?.kill()
    case .finish(let job, let result):
      errands.removeValue(forKey: job)?.continuation.resume(returning: result)
    case .tell(let notice): report(notice)
    }
  }

  private func start(_ worker: WorkerNumber, _ options: WorkerOptions) {
    do throws(SystemError) {
      processes[worker] = try WorkerProcess(path: settings.path, options: options)
    } catch { feed(.notStarted(worker, error)) }
  }

  private func send(_ number: JobNumber, to worker: WorkerNumber, _ timeout: Duration) {
    guard let process = processes[worker], let errand = errands[number] else { return }
    let request = WorkerRequest(number: number, timeout: timeout, body: errand.job.body)
    let (input, output) = (errand.job.input.descriptor, errand.job.output.descriptor)
    do throws(SystemError) { try process.send(request, input, output) } catch {
      feed(.notSent(worker, error))
    }
  }
}
