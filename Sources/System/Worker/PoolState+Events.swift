// SPDX-License-Identifier: Apache-2.0
// The effect of each event on the pool. An event may name a worker that has ended in the meantime; such
// events change nothing.

import Linux
import Vocabulary

extension PoolState {
  mutating func respond(to event: Event, _ now: Duration) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .ordered(let job, let order):
      let patience = order.options.readsLists ? now + settings.readerPatience : nil
      accept(Waiting(number: job, order: order, patience: patience), &actions)
    case .cancelled(let job): cancel(job, &actions)
    case .foreseen(let options): expect(options, now, &actions)
    case .notStarted(let worker, let error): remove(worker, failing: Self.start(error), &actions)
    case .ready(let worker, let layers): welcome(worker, layers, now, &actions)
    case .notSent(let worker, let error):
      switch error.name {
      case .brokenPipe, .connectionReset: hangUp(worker, now, &actions)
      default: end(worker, failing: Self.unreached(error), &actions)
      }
    case .answered(let worker, let job, let result):
      close(worker, job, result, now, &actions)
    case .notHeard(let worker, let error):
      end(worker, failing: Self.unreached(error), &actions)
    case .babbled(let worker): end(worker, failing: Self.nonsense, &actions)
    case .hungUp(let worker): hangUp(worker, now, &actions)
    case .exited(let worker, let status): bury(worker, status, &actions)
    case .starved(let worker, let isTold): starve(worker, isTold, &actions)
    case .resized(let width): self.width = max(1, width)
    case .timePassed(let used): expire(used, now, &actions)
    case .ended: endAll(&actions)
    }
    return actions
  }

  private mutating func accept(_ job: Waiting, _ actions: inout [Action]) {
    guard !isEnding else {
      actions.append(.finish(job.number, .failure(.cancelled)))
      return
    }
    orders[job.number] = job.order
    let place = waiting.firstIndex { job.order.serviceClass < $0.order.serviceClass }
    waiting.insert(job, at: place ?? waiting.endIndex)
  }

  private mutating func cancel(_ job: JobNumber, _ actions: inout [Action]) {
    guard orders[job] != nil else { return }
    waiting.removeAll { $0.number == job }
    if let place = workers.firstIndex(where: { $0.stage.job == job }) {
      kill(at: place, &actions)
    }
    finish(job, .failure(.cancelled), &actions)
  }

  private mutating func welcome(
    _ worker: WorkerNumber, _ layers: SandboxLayers, _ now: Duration, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker) else { return }
    if knownLayers != layers {
      knownLayers = layers
      actions.append(.tell(.sandbox(layers)))
    }
    var waiting: Waiting?
    if case .starting(let job, _) = workers[place].stage, let order = orders[job] {
      waiting = Waiting(number: job, order: order)
    }
    guard waiting != nil || workers[place].stage.isExpecting else {
      // Ready twice; or its job was cancelled, and it is already killed.
      end(worker, failing: Self.nonsense, &actions)
      return
    }
    guard layers.isSuperset(of: settings.requiredLayers) else {
      end(worker, failing: Self.open(layers), &actions)
      return
    }
    guard let waiting else {
      workers[place].stage = .idle(until: now + settings.idleTime)
      return
    }
    give(waiting, to: place, now, &actions)
  }

  private mutating func close(
    _ worker: WorkerNumber, _ job: JobNumber, _ result: Result<WorkerFacts, Failure>,
    _ now: Duration, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker) else { return }
    guard case .working(on: job, _) = workers[place].stage else {
      end(worker, failing: Self.nonsense, &actions)
      return
    }
    memory.answered(width: width)
    if isAboveWidth {
      kill(at: place, &actions)
    } else {
      workers[place].stage = .idle(until: now + settings.idleTime)
    }
    finish(job, result, &actions)
  }

  private mutating func hangUp(
    _ worker: WorkerNumber, _ now: Duration, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker) else { return }
    let until = now + .seconds(1)
    switch workers[place].stage {
    case .starting(let job, _):
      workers[place].stage = .lost(job, hadStarted: false, until: until)
    case .working(let job, _):
      workers[place].stage = .lost(job, hadStarted: true, until: until)
    case .expecting, .idle: kill(at: place, &actions)
    case .lost, .dying: break
    }
  }

  private mutating func bury(
    _ worker: WorkerNumber, _ status: ExitStatus, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker) else { return }
    let (stage, options) = (workers[place].stage, workers[place].options)
    bury(
      worker, failing: stage.hadStarted ? Self.died(status, options) : Self.early(status),
      words: status.words, &actions)
  }

  private mutating func bury(
    _ worker: WorkerNumber, failing failure: Failure, words: String, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker) else { return }
    if workers[place].stage != .dying {
      actions.append(.tell(.died(owner: workers[place].options.owner, words: words)))
    }
    remove(worker, failing: failure, &actions)
  }

  private mutating func starve(
    _ worker: WorkerNumber, _ isTold: Bool, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker) else { return }
    if workers[place].stage != .dying {
      memory.starved(besides: workers.count { $0.stage.job != nil && $0.number != worker })
    }
    let words =
      isTold
      ? "was killed by the kernel because memory ran out"
      : "was killed, probably by the kernel because memory ran out"
    bury(worker, failing: Self.starved(words), words: words, &actions)
  }

  private mutating func expire(
    _ used: [WorkerNumber: Duration], _ now: Duration, _ actions: inout [Action]
  ) {
    for place in workers.indices
    where workers[place].stage.deadline.map({ $0 <= now }) ?? false {
      let worker = workers[place]
      var verdict: WorkTime.Verdict?
      if case .working(let job, var time) = worker.stage {
        verdict = time.look(used[worker.number], at: now)
        workers[place].stage = .working(on: job, time)
      }
      if verdict == .goesOn { continue }
      end(worker.number, failing: timeout(worker, verdict), &actions)
    }
  }

  private mutating func endAll(_ actions: inout [Action]) {
    isEnding = true
    waiting = []
    for place in workers.indices where workers[place].stage != .dying { kill(at: place, &actions) }
    for job in orders.keys.sorted() { finish(job, .failure(.cancelled), &actions) }
  }

  /// Kills a worker; its request gets the failure.
  private mutating func end(
    _ worker: WorkerNumber, failing failure: Failure, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker), workers[place].stage != .dying else { return }
    let job = workers[place].stage.job
    kill(at: place, &actions)
    if let job { finish(job, .failure(failure), &actions) }
  }

  /// Removes an ended worker from the table.
  private mutating func remove(
    _ worker: WorkerNumber, failing failure: Failure, _ actions: inout [Action]
  ) {
    guard let place = place(of: worker) else { return }
    let job = workers.remove(at: place).stage.job
    if let job { finish(job, .failure(failure), &actions) }
  }

  private mutating func finish(
    _ job: JobNumber, _ result: Result<WorkerFacts, Failure>, _ actions: inout [Action]
  ) {
    guard orders.removeValue(forKey: job) != nil else { return }
    actions.append(.finish(job, result))
  }

  private func place(of worker: WorkerNumber) -> Int? {
    workers.firstIndex { $0.number == worker }
  }
}

extension PoolState.Stage {
  var hadStarted: Bool {
    switch self {
    case .expecting, .starting, .lost(_, hadStarted: false, _): false
    case .working, .idle, .lost, .dying: true
    }
  }
}
