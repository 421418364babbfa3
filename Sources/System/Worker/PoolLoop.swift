// SPDX-License-Identifier: Apache-2.0
// Performs the decisions of `PoolState`. Waits for letters, for workers' answers and for their ends; without
// a deadline in the state it waits without limit. Programs are executed in the disk home (`TaskHome`).
// Concurrency model: everything here belongs to the task that runs `run`, a task of the reactor.

import Linux
import Vocabulary

final class PoolLoop {
  private struct Errand {
    let job: WorkerJob
    let reply: Reply<JobAnswer>
  }

  private let mailbox: Mailbox<PoolLetter>
  private let settings: WorkerSettings
  private let report: @Sendable (WorkerNotice) -> Void
  private let started: @Sendable () -> Void
  private var state: PoolState
  private var processes: [WorkerNumber: WorkerProcess] = [:]
  /// Workers to be executed.
  private var starts: [(worker: WorkerNumber, options: WorkerOptions)] = []
  /// Workers that were killed before they were executed.
  private var doomed: Set<WorkerNumber> = []
  private var errands: [JobNumber: Errand] = [:]
  /// Events that arose while another was handled.
  private var pending: [PoolState.Event] = []
  private var awaitingEnd: [Reply<Void>] = []
  private var memoryKills = MemoryKills()

  init(
    _ mailbox: Mailbox<PoolLetter>, _ settings: WorkerSettings,
    _ report: @escaping @Sendable (WorkerNotice) -> Void,
    started: @escaping @Sendable () -> Void = {}
  ) {
    self.started = started
    self.mailbox = mailbox
    self.settings = settings
    self.report = report
    state = PoolState(settings: settings)
  }

  func run(on reactor: Reactor) async {
    await withDiscardingTaskGroup { group in
      while !state.isOver {
        await wait(on: reactor)
        for letter in mailbox.takeAll() { obey(letter) }
        for number in processes.keys.sorted() { attend(number) }
        if let due = state.nextDeadline, due <= ThisProcess.awakeTime() {
          feed(.timePassed(processes.compactMapValues(\.spent)))
        }
        for start in starts {
          group.addTask(executorPreference: TaskHome.disk.executor) { [mailbox, settings] in
            let child = Result { () throws(SystemError) in
              try WorkerProcess.Child(path: settings.path, options: start.options)
            }
            mailbox.put(.started(start.worker, child))
          }
        }
        starts = []
      }
    }
    mailbox.close()
    for reply in awaitingEnd { reply.give() }
  }

  private func wait(on reactor: Reactor) async {
    let watches = [Poll.Watch(mailbox.descriptor)] + processes.values.flatMap(\.watches)
    let limit = state.nextDeadline.map { max(.zero, $0 - ThisProcess.awakeTime()) }
    _ = await reactor.ready(watches, for: limit)
  }

  private func obey(_ letter: PoolLetter) {
    switch letter {
    case .order(let number, let job, let reply):
      errands[number] = Errand(job: job, reply: reply)
      feed(.ordered(number, job.order(settings)))
    case .cancel(let number): feed(.cancelled(number))
    case .foresee(let limits, let owner):
      feed(.foreseen(WorkerJob.order(limits, of: owner, settings).options))
    case .started(let worker, .success(let child)):
      let process = WorkerProcess(child)
      processes[worker] = process
      started()
      if doomed.remove(worker) != nil { process.kill() }
    case .started(let worker, .failure(let error)):
      doomed.remove(worker)
      feed(.notStarted(worker, error))
    case .resize(let width): feed(.resized(width))
    case .end: feed(.ended)
    case .awaitEnd(let reply): awaitingEnd.append(reply)
    }
  }

  /// Reads a worker's packets before it reports the worker's end: an answer counts even if the worker ended
  /// right after it.
  private func attend(_ number: WorkerNumber) {
    guard let process = processes[number] else { return }
    // `reap` comes first: a worker that has ended sends no packet after it, and `hear` reads all sent before.
    let status = process.reap()
    hear(number, process)
    tell(process)
    guard let status else { return }
    for _ in 0..<4 { tell(process) }  // more reads than the log's limit needs
    processes[number] = nil
    let isStarved = status == .killed && !process.isKilled && memoryKills.explainsDeath()
    feed(
      isStarved
        ? .starved(number, isTold: memoryKills.isTold) : .exited(number, status))
  }

  /// A worker sends at most two packets at once: ready, and its answer. More packets wait for the next turn.
  private func hear(_ number: WorkerNumber, _ process: WorkerProcess) {
    for _ in 0..<2 {
      switch process.listen() {
      case .nothing: return
      case .hungUp: return feed(.hungUp(number))
      case .nonsense: return feed(.babbled(number))
      case .broken(let error): return feed(.notHeard(number, error))
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
    guard pending.count == 1 else { return }  // the outer `feed` handles it
    while let next = pending.first {
      for action in state.handle(next, at: ThisProcess.awakeTime()) { perform(action) }
      pending.removeFirst()
    }
  }

  private func perform(_ action: PoolState.Action) {
    switch action {
    case .start(let worker, let options): starts.append((worker, options))
    case .send(let job, let worker, let timeout): send(job, to: worker, timeout)
    case .kill(let worker):
      if let process = processes[worker] { process.kill() } else { doomed.insert(worker) }
    case .finish(let job, let result): errands.removeValue(forKey: job)?.reply.give(result)
    case .tell(let notice): report(notice)
    }
  }

  private func send(_ number: JobNumber, to worker: WorkerNumber, _ timeout: Duration) {
    guard let process = processes[worker], let errand = errands[number] else { return }
    let request = WorkerRequest(number: number, timeout: timeout, body: errand.job.body)
    do throws(SystemError) { try process.send(request, errand.job.descriptors) } catch {
      feed(.notSent(worker, error))
    }
  }
}
