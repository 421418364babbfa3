// SPDX-License-Identifier: Apache-2.0
// The pool as a value: which request waits, which worker is where. Events in, actions out; no clock, no
// process, no lock. Whoever performs the actions reports back what came of them.
//
// Kinds of failure: a worker that died is `passing` (what was asked may be tried once more, and a second
// death means the input is poison); one that ran out of time is `final`; one that could not be started,
// or whose sandbox does not hold, is this machine's trouble.

import Linux
import Vocabulary

/// Numbers of requests and workers: counted up, never used again.
typealias JobNumber = UInt64
typealias WorkerNumber = UInt64

/// What the pool has to know of a request.
struct PoolOrder: Equatable, Sendable {
  /// A worker serves one list at one nice level within one set of limits: these are equal or it ends.
  let options: WorkerOptions
  let serviceClass: ServiceClass
  let timeout: Duration
}

struct PoolState {
  enum Event {
    case ordered(JobNumber, PoolOrder)
    case cancelled(JobNumber)
    /// A request with these options will come soon, perhaps.
    case foreseen(WorkerOptions)
    case notStarted(WorkerNumber, SystemError)
    case ready(WorkerNumber, SandboxLayers)
    case notSent(WorkerNumber, SystemError)
    case answered(WorkerNumber, JobNumber, Result<WorkerFacts, Failure>)
    /// It said what no worker says.
    case babbled(WorkerNumber)
    /// Its socket is closed; it may be dead or not.
    case hungUp(WorkerNumber)
    case exited(WorkerNumber, ExitStatus)
    case resized(Int)
    case timePassed
    case ended
  }

  enum Action: Equatable {
    case start(WorkerNumber, WorkerOptions)
    case send(JobNumber, to: WorkerNumber, timeout: Duration)
    case kill(WorkerNumber)
    case finish(JobNumber, Result<WorkerFacts, Failure>)
    case tell(WorkerNotice)
  }

  /// Where a worker is. All lead to `dying` in the end, and from there out of the table.
  enum Stage: Equatable {
    /// Executed for a request that has not come yet, not heard of → starting, idle, dying.
    case expecting(until: Duration)
    /// Executed, not heard of yet → working, dying.
    case starting(for: JobNumber, until: Duration)
    /// → idle, lost, dying.
    case working(on: JobNumber, until: Duration)
    /// → working, dying.
    case idle(until: Duration)
    /// Hung up with a request in hand. Most likely it is dead, and how it exited will say why → gone;
    /// if it should live, it is killed soon → dying.
    case lost(JobNumber, hadStarted: Bool, until: Duration)
    /// Killed; nobody waits for it. Its place is free when it has exited.
    case dying
  }

  struct Worker: Equatable {
    let number: WorkerNumber
    let options: WorkerOptions
    var stage: Stage
  }

  struct Waiting: Equatable {
    let number: JobNumber
    let order: PoolOrder
  }

  enum Mode: Equatable {
    case open
    /// Everything is called off; over once the last worker has exited.
    case ending
  }

  let settings: WorkerSettings
  var width: Int
  var mode = Mode.open
  /// By class, then by arrival.
  var waiting: [Waiting] = []
  var orders: [JobNumber: PoolOrder] = [:]
  var workers: [Worker] = []
  var knownLayers: SandboxLayers?
  private var lastWorker: WorkerNumber = 0

  init(settings: WorkerSettings) {
    self.settings = settings
    width = max(1, settings.width)
  }

  var isOver: Bool { mode == .ending && workers.isEmpty }

  /// When `timePassed` is due; nil when nothing is, and then nobody needs to wake up.
  var nextDeadline: Duration? { workers.compactMap(\.stage.deadline).min() }

  mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    var actions = respond(to: event, now)
    if mode == .open { assign(now, &actions) }
    return actions
  }

  /// Gives waiting requests to workers, the most urgent first.
  private mutating func assign(_ now: Duration, _ actions: inout [Action]) {
    var leaving = workers.count(where: \.stage.isLeaving)
    var left: [Waiting] = []
    for job in waiting {
      if let place = idlePlace(job.order.options) {
        give(job, to: place, now, &actions)
      } else if let place = expectingPlace(job.order.options) {
        workers[place].stage = .starting(for: job.number, until: now + settings.startTimeout)
      } else if workers.count < width {
        let stage = Stage.starting(for: job.number, until: now + settings.startTimeout)
        start(job.order.options, stage, &actions)
      } else {
        left.append(job)
        if leaving > 0 {
          leaving -= 1  // a place comes free by itself
        } else if let place = workers.firstIndex(where: \.stage.isSpare) {
          kill(at: place, &actions)  // one of another list makes room
        }
      }
    }
    waiting = left
  }

  private func idlePlace(_ options: WorkerOptions) -> Int? {
    workers.firstIndex { $0.stage.isIdle && $0.options == options }
  }

  private func expectingPlace(_ options: WorkerOptions) -> Int? {
    workers.firstIndex { $0.stage.isExpecting && $0.options == options }
  }

  /// Half of what a short request waits for is the start of its worker.
  mutating func expect(_ options: WorkerOptions, _ now: Duration, _ actions: inout [Action]) {
    guard mode == .open, workers.count < width,
      !workers.contains(where: { $0.stage.isSpare && $0.options == options })
    else { return }
    start(options, .expecting(until: now + settings.startTimeout), &actions)
  }

  private mutating func start(
    _ options: WorkerOptions, _ stage: Stage, _ actions: inout [Action]
  ) {
    lastWorker += 1
    workers.append(Worker(number: lastWorker, options: options, stage: stage))
    actions.append(.start(lastWorker, options))
  }

  mutating func give(
    _ job: Waiting, to place: Int, _ now: Duration, _ actions: inout [Action]
  ) {
    workers[place].stage = .working(on: job.number, until: now + job.order.timeout)
    actions.append(.send(job.number, to: workers[place].number, timeout: job.order.timeout))
  }

  mutating func kill(at place: Int, _ actions: inout [Action]) {
    workers[place].stage = .dying
    actions.append(.kill(workers[place].number))
  }
}

extension PoolState.Stage {
  var deadline: Duration? {
    switch self {
    case .expecting(let until), .starting(_, let until), .working(_, let until),
      .idle(let until):
      until
    case .lost(_, _, let until): until
    case .dying: nil
    }
  }

  /// The request somebody waits for.
  var job: JobNumber? {
    switch self {
    case .starting(let job, _), .working(let job, _), .lost(let job, _, _): job
    case .expecting, .idle, .dying: nil
    }
  }

  var isIdle: Bool { if case .idle = self { true } else { false } }
  var isExpecting: Bool { if case .expecting = self { true } else { false } }
  /// Nobody waits for it.
  var isSpare: Bool { isIdle || isExpecting }

  var isLeaving: Bool {
    switch self {
    case .lost, .dying: true
    case .expecting, .starting, .working, .idle: false
    }
  }
}
