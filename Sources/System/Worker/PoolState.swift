// SPDX-License-Identifier: Apache-2.0
// The pool as a value: the waiting requests and the stage of each worker. Events in, actions out; no clock,
// no process, no lock. `PoolLoop` performs the actions and feeds their results back as events.
//
// Kinds of failure: a worker's death is `passing` (the request may be tried a second time; a second death
// means that the input is poison); running out of time is `final`. This machine is in trouble if a worker
// cannot be started or reached, has an incomplete sandbox, or is killed because memory ran out. After such a
// kill, fewer workers run at once.

import Linux
import Vocabulary

/// Numbers of requests and workers: counted up, never reused.
typealias JobNumber = UInt64
typealias WorkerNumber = UInt64

/// The properties of a request on which the pool decides.
struct PoolOrder: Equatable, Sendable {
  /// A worker serves only requests with its own options: lists or pictures of one user, one nice level, one set of
  /// limits.
  let options: WorkerOptions
  let serviceClass: ServiceClass
  let timeout: Duration
}

struct PoolState {
  enum Event {
    case ordered(JobNumber, PoolOrder)
    case cancelled(JobNumber)
    /// A request with these options may come soon.
    case foreseen(WorkerOptions)
    case notStarted(WorkerNumber, SystemError)
    case ready(WorkerNumber, SandboxLayers)
    case notSent(WorkerNumber, SystemError)
    case answered(WorkerNumber, JobNumber, Result<WorkerFacts, Failure>)
    /// The worker's answer could not be received.
    case notHeard(WorkerNumber, SystemError)
    /// The worker sent an invalid packet.
    case babbled(WorkerNumber)
    /// The worker's socket is closed; the worker may still live.
    case hungUp(WorkerNumber)
    case exited(WorkerNumber, ExitStatus)
    /// The kernel killed the worker because memory ran out, or probably did, if the kernel does not tell its kills.
    case starved(WorkerNumber, isTold: Bool = true)
    case resized(Int)
    /// A deadline passed. The event has the processor time that each worker used since its request.
    case timePassed([WorkerNumber: Duration])
    case ended
  }

  enum Action: Equatable {
    case start(WorkerNumber, WorkerOptions)
    case send(JobNumber, to: WorkerNumber, timeout: Duration)
    case kill(WorkerNumber)
    case finish(JobNumber, Result<WorkerFacts, Failure>)
    case tell(WorkerNotice)
  }

  /// A worker's stage. In every stage its exit removes it from the table.
  enum Stage: Equatable {
    /// Executed before a request has come; not ready yet → starting, idle, dying.
    case expecting(until: Duration)
    /// Executed for a request; not ready yet → working, lost, dying.
    case starting(for: JobNumber, until: Duration)
    /// → idle, lost, dying.
    case working(on: JobNumber, WorkTime)
    /// → working, dying.
    case idle(until: Duration)
    /// Its socket closed while it had a request. It is probably dead, and its exit status will say why; if
    /// it still lives at the deadline, it is killed → dying.
    case lost(JobNumber, hadStarted: Bool, until: Duration)
    /// Killed, without a request. Its exit frees its place.
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
    /// The time until which a list waits for the reader of its user; nil when the wait is over.
    var patience: Duration?
  }

  let settings: WorkerSettings
  var width: Int
  var memory = MemoryLimit()
  /// Everything is cancelled; over once the last worker has exited.
  var isEnding = false
  /// By class, then by arrival.
  var waiting: [Waiting] = []
  /// The number of requests in a row that went before the request that has waited longest.
  private var passed = 0
  var orders: [JobNumber: PoolOrder] = [:]
  var workers: [Worker] = []
  var knownLayers: SandboxLayers?
  private var lastWorker: WorkerNumber = 0

  init(settings: WorkerSettings) {
    self.settings = settings
    width = max(1, settings.width)
  }

  var isOver: Bool { isEnding && workers.isEmpty }

  /// The number of workers that may have requests at once, besides one that reads lists and one with an urgent request.
  var places: Int { min(width, memory.workers ?? width) }

  /// An extra place for a reader, so that many lists of one user need one start, and no worker that develops pictures
  /// ends for a list. There is no such place while memory is short.
  private var placeForReader: Int { memory.workers == nil ? 1 : 0 }

  /// Extra places for workers without a request, which wait for the next turn of their users. There are no such
  /// places while memory is short.
  private var placesForSpares: Int {
    memory.workers == nil ? max(0, min(settings.spares, settings.most - places)) : 0
  }

  /// A request may have the place of a spare worker if it is more urgent than the request of a worker, or if its user
  /// has no worker at work and another user has several. Such a request does not wait for the end of a large picture.
  private var placeForUrgent: Int { min(1, placesForSpares) }

  private var readers: Int { workers.count(where: \.options.readsLists) }

  /// The number of workers, without one that reads lists.
  private var placed: Int { workers.count - min(placeForReader, readers) }

  /// The number of workers with a request, without one that reads lists.
  private var busy: Int {
    workers.count { !$0.stage.isSpare } - min(placeForReader, busyReaders)
  }

  private var busyReaders: Int { workers.count { $0.options.readsLists && !$0.stage.isSpare } }

  /// A worker may have the request now.
  private func hasPlace(for order: PoolOrder) -> Bool {
    if busy < places || order.options.readsLists && busyReaders < placeForReader { return true }
    guard busy < places + placeForUrgent else { return false }
    return isLeftOut(order.options.owner) || workers.contains { isLessUrgent($0, than: order) }
  }

  private func isLeftOut(_ owner: UInt32) -> Bool {
    work(of: owner) == 0 && workers.contains { work(of: $0.options.owner) > 1 }
  }

  /// The user's requests that workers have.
  private func work(of owner: UInt32) -> Int {
    workers.count { $0.options.owner == owner && $0.stage.job != nil }
  }

  private func isLessUrgent(_ worker: Worker, than order: PoolOrder) -> Bool {
    guard let job = worker.stage.job, let other = orders[job] else { return false }
    return order.serviceClass < other.serviceClass
  }

  /// A worker with such options may be started.
  private func hasRoom(for options: WorkerOptions) -> Bool {
    placed < places + placesForSpares || options.readsLists && readers < placeForReader
  }

  var isAboveWidth: Bool {
    busy > places + placeForUrgent || placed > places + placesForSpares
  }

  /// The time at which `timePassed` is due; nil if there is no deadline.
  var nextDeadline: Duration? {
    (workers.compactMap(\.stage.deadline) + waiting.compactMap(\.patience)).min()
  }

  mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    var actions = respond(to: event, now)
    if !isEnding { assign(now, &actions) }
    return actions
  }

  /// Gives waiting requests to workers, in their turns.
  private mutating func assign(_ now: Duration, _ actions: inout [Action]) {
    var leaving = workers.count(where: \.stage.isLeaving)
    var begun: [JobNumber] = []
    for job in turns() {
      let hasPlace = hasPlace(for: job.order)
      if hasPlace, begin(job, now, &actions) {
        begun.append(job.number)
      } else if leaving > 0 {
        leaving -= 1  // this worker's exit will free a place
      } else if job.waiting(at: now).patience != nil, hasReader(job.order.options) {
        continue  // most lists are read in a moment
      } else if hasPlace, let place = spare(for: job.order.options) {
        kill(at: place, &actions)  // a spare worker of another user makes room
      }
    }
    let oldest = waiting.map(\.number).min()
    for job in begun { passed = job == oldest ? 0 : passed + 1 }
    waiting = waiting.filter { !begun.contains($0.number) }.map { $0.waiting(at: now) }
  }

  /// The waiting requests in their order: the user with the fewest requests at workers goes first, and among users
  /// with equally few, the user with the most urgent request. Every eighth time, the request that has waited longest
  /// goes first, so that no request starves.
  private func turns() -> [Waiting] {
    guard waiting.count > 1 else { return waiting }
    var places: [UInt32: Int] = [:]
    let ranked = waiting.enumerated().map { place, job in
      let owner = job.order.options.owner
      let own = places[owner] ?? work(of: owner)
      places[owner] = own + 1
      return (rank: own, place: place, job: job)
    }
    let turns = ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.job)
    guard passed >= 7, let oldest = turns.min(by: { $0.number < $1.number }) else { return turns }
    return [oldest] + turns.filter { $0.number != oldest.number }
  }

  /// Returns whether a worker has the request, or starts for it.
  private mutating func begin(
    _ job: Waiting, _ now: Duration, _ actions: inout [Action]
  ) -> Bool {
    let stage = Stage.starting(for: job.number, until: now + settings.startTimeout)
    if let place = place(for: job.order.options, where: \.isIdle) {
      give(job, to: place, now, &actions)
    } else if let place = place(for: job.order.options, where: \.isExpecting) {
      workers[place].stage = stage
    } else if hasRoom(for: job.order.options) {
      start(job.order.options, stage, &actions)
    } else {
      return false
    }
    return true
  }

  /// A reader that will serve the next list with such options.
  private func hasReader(_ options: WorkerOptions) -> Bool {
    workers.contains { $0.options == options && $0.stage.job != nil && !$0.stage.isLeaving }
  }

  /// The spare worker whose end makes room. Usually it is the worker that waited longest.
  private func spare(for options: WorkerOptions) -> Int? {
    let spares = workers.indices.filter { workers[$0].stage.isSpare }
      .sorted { workers[$0].stage.deadline ?? .zero < workers[$1].stage.deadline ?? .zero }
    let reader = spares.first { workers[$0].options.readsLists }
    if let reader, options.readsLists || readers > placeForReader { return reader }
    return spares.first { !workers[$0].options.readsLists }
  }

  private func place(for options: WorkerOptions, where isFit: (Stage) -> Bool) -> Int? {
    workers.firstIndex { $0.options == options && isFit($0.stage) }
  }

  /// Starts a worker in advance: its start is half of a short request's waiting time.
  mutating func expect(_ options: WorkerOptions, _ now: Duration, _ actions: inout [Action]) {
    guard !isEnding, hasRoom(for: options),
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
    let time = WorkTime(limit: job.order.timeout, at: now)
    workers[place].stage = .working(on: job.number, time)
    actions.append(.send(job.number, to: workers[place].number, timeout: job.order.timeout))
  }

  mutating func kill(at place: Int, _ actions: inout [Action]) {
    workers[place].stage = .dying
    actions.append(.kill(workers[place].number))
  }
}

extension PoolState.Waiting {
  fileprivate func waiting(at now: Duration) -> Self {
    var waiting = self
    if let patience, patience <= now { waiting.patience = nil }
    return waiting
  }
}

extension PoolState.Stage {
  var deadline: Duration? {
    switch self {
    case .expecting(let until), .starting(_, let until), .idle(let until), .lost(_, _, let until):
      until
    case .working(_, let time): time.due
    case .dying: nil
    }
  }

  /// The worker's request.
  var job: JobNumber? {
    switch self {
    case .starting(let job, _), .working(let job, _), .lost(let job, _, _): job
    case .expecting, .idle, .dying: nil
    }
  }

  var isIdle: Bool { if case .idle = self { true } else { false } }
  var isExpecting: Bool { if case .expecting = self { true } else { false } }
  /// The worker has no request.
  var isSpare: Bool { isIdle || isExpecting }

  var isLeaving: Bool {
    switch self {
    case .lost, .dying: true
    case .expecting, .starting, .working, .idle: false
    }
  }
}
