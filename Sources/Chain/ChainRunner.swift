// SPDX-License-Identifier: Apache-2.0
// Runs chains: admits photos through the window, starts their chains, takes what became of them, and
// says when a list is done. What the operator asks (pause, resume, cancel, stop) passes here.
//
// Concurrency model: all state is in one `Mutex`. Each entry decides under it and returns what is to
// be done; chains, queues, timers and callers are touched with the lock released. Everything that
// starts chains goes through `pump`, which only one thread runs at a time.

import Foundation
import Linux
import Synchronization
package import Vocabulary

package final class ChainRunner<Original: Sendable, Negative: Sendable>: Sendable {
  package typealias Listener = @Sendable (ChainEvent) -> Void

  struct State {
    var admission: Admission
    var chains: [PhotoID: PhotoChain] = [:]
    /// Chains with operations in the queues; those that were called off stay there for a while.
    var queued = 0
    var isPumping = false
    var needsPump = false
    var trouble: Failure?
    var troubleWait = Duration.seconds(1)
    /// How often work was paused for trouble of this machine and begun again.
    var holds: UInt = 0
    var isStopping = false
    var whenIdle: [(list: ListID?, continuation: CheckedContinuation<Void, Never>)] = []
    var wakeUp: (any Cancellable)?
    var wakeDue: Duration?
    var finishing: Set<ListID> = []
    var random = SystemRandomNumberGenerator()

    /// Lists that come and are cancelled, again and again, fill the queues no further than this.
    var longestQueue: Int { 2 * admission.window }

    func isIdle(_ list: ListID?) -> Bool {
      guard let list else { return chains.isEmpty }
      return !chains.keys.contains { $0.list == list }
    }

    /// Takes out whoever waits for what is idle now.
    mutating func takeIdle() -> [CheckedContinuation<Void, Never>] {
      if whenIdle.isEmpty { return [] }
      let ready = whenIdle.filter { isIdle($0.list) }.map(\.continuation)
      whenIdle = whenIdle.filter { !isIdle($0.list) }
      return ready
    }
  }

  let state: Mutex<State>
  private let stages: Stages<Original, Negative>
  private let queues: StageQueues
  let books: any ChainBooks
  let time: any Timekeeper
  private let policy: RetryPolicy
  let listener: Listener

  package init(
    _ stages: Stages<Original, Negative>, widths: StageQueues.Widths, books: any ChainBooks,
    time: any Timekeeper, policy: RetryPolicy = RetryPolicy(),
    hosts: HostLimits = HostLimits(), listener: @escaping Listener
  ) {
    self.stages = stages
    self.queues = StageQueues(widths)
    self.books = books
    self.time = time
    self.policy = policy
    self.listener = listener
    let windows = HostWindows(hosts, triedPatience: policy.span)
    state = Mutex(State(admission: Admission(window: widths.window, hosts: windows)))
  }

  // MARK: lists

  package func add(_ list: ListID, _ lineup: Lineup, isPaused: Bool = false) {
    let now = time.uptime()
    state.withLock { $0.admission.add(list, lineup, isPaused: isPaused, now: now) }
    pump()
  }

  /// Steps that run are finished; no other begins until the list is resumed.
  package func pause(_ list: ListID) {
    let now = time.uptime()
    let chains = state.withLock { state in
      state.admission.pause(list, now: now)
      return state.chains.values.filter { $0.work.photo.list == list }
    }
    for chain in chains { chain.stopAfterStep() }
  }

  package func resume(_ list: ListID) {
    let now = time.uptime()
    state.withLock { $0.admission.resume(list, now: now) }
    pump()
  }

  /// Forgets the list and stops what runs of it, at once; `idle` tells when nothing of it does.
  package func giveUp(_ list: ListID) {
    let now = time.uptime()
    let chains = state.withLock { state in
      state.admission.drop(list, now: now)
      return state.chains.values.filter { $0.work.photo.list == list }
    }
    // A cancelled operation in a suspended queue never finishes. What else begins meets the trouble
    // again and waits again.
    queues.isSuspended = false
    for chain in chains { chain.cancel() }
    pump()
  }

  package func setWidths(_ widths: StageQueues.Widths) {
    queues.setWidths(widths)
    state.withLock { $0.admission.window = widths.window }
    pump()
  }

  /// Admits nothing more, cancels what runs, returns when all chains have ended.
  package func stop() async {
    let chains = state.withLock { state in
      state.isStopping = true
      state.admission.isHeld = true
      state.wakeUp?.cancel()
      return Array(state.chains.values)
    }
    queues.isSuspended = false  // a cancelled operation in a suspended queue never finishes
    for chain in chains { chain.cancel() }
    await idle()
  }

  /// Returns once no chain, or none of the list, is on its way. New ones may begin right after.
  package func idle(_ list: ListID? = nil) async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isIdle(list) { return true }
        state.whenIdle.append((list, continuation))
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  package func counts() -> ChainCounts {
    var counts = ChainCounts()
    let chains = state.withLock { state in
      (counts.trouble, counts.finishing) = (state.trouble, state.finishing.count)
      counts.queued = state.queued
      return Array(state.chains.values)
    }
    counts.inFlight = chains.count
    for chain in chains {
      switch chain.stage {
      case .download: counts.downloading += 1
      case .filter: counts.filtering += 1
      case .output: counts.outputting += 1
      case nil: break
      }
    }
    return counts
  }

  // MARK: admission

  /// Starts as many chains as there is room for. A call that finds another one at it leaves a mark
  /// and goes, so that chains ending inside do not nest.
  func pump() {
    let isMine = state.withLock { state in
      state.needsPump = true
      if state.isPumping { return false }
      state.isPumping = true
      return true
    }
    guard isMine else { return }
    while true {
      while let step = look() {
        switch step {
        case .ask(let photo): learn(photo)
        case .give(let admitted): begin(work(admitted))
        }
      }
      finishDoneLists()
      let isOver = state.withLock { state in
        if state.needsPump { return false }
        state.isPumping = false
        return true
      }
      if isOver { break }
    }
    armWakeUp()
  }

  private func look() -> Admission.Step? {
    let now = time.uptime()
    return state.withLock { state in
      state.needsPump = false
      guard state.queued < state.longestQueue else { return nil }
      return state.admission.next(now: now) { books.nextUnfinished(in: $0, after: $1)?.number }
    }
  }

  /// The books may have to read a file for it.
  private func learn(_ photo: PhotoID) {
    let prospect = books.prospect(of: photo)
    state.withLock { $0.admission.learn(photo, prospect) }
  }

  private func work(_ admitted: Admission.Admitted) -> PhotoWork {
    let now = time.uptime()
    return PhotoWork(
      photo: admitted.photo, state: books.state(of: admitted.photo),
      serviceClass: admitted.serviceClass, attempt: books.attempts(of: admitted.photo) + 1,
      admitted: now, refusal: admitted.lost.map { Self.refusal($0, now: now) })
  }

  private func begin(_ work: PhotoWork) {
    let chain = PhotoChain(work)
    let isWanted = state.withLock { state in
      // Between admission and here the list may have been given up or the daemon told to stop.
      guard !state.isStopping, state.admission.holds(work.photo) else { return false }
      state.chains[work.photo] = chain
      state.queued += 1
      return true
    }
    guard isWanted else { return }
    chain.begin(stages, on: queues) { [self] in
      state.withLock { $0.holds }
    } arrived: { [self] in
      answered(work.photo, .answered)
    } settle: { [self] work, stage, failure, hold in
      await settle(work, stage, failure, hold)
    } whenEnded: { [self] end in
      ended(chain, end)
    } whenGone: { [self] in
      let isRoom = state.withLock { state in
        state.queued -= 1
        return state.queued == state.longestQueue - 1
      }
      if isRoom { pump() }
    }
    // Paused in between: the chain was not yet there to be stopped.
    if state.withLock({ $0.admission.isPaused(work.photo.list) }) { chain.stopAfterStep() }
    if state.withLock({ $0.isStopping || !$0.admission.holds(work.photo) }) { chain.cancel() }
  }

  private func armWakeUp() {
    let now = time.uptime()
    state.withLock { state in
      let isFull = state.queued >= state.longestQueue
      let due = state.isStopping || isFull ? nil : state.admission.nextDue
      guard due != state.wakeDue else { return }
      state.wakeUp?.cancel()
      state.wakeUp = due.map { due in
        time.after(max(.zero, due - now)) { [self] in
          self.state.withLock { $0.wakeDue = nil }
          pump()
        }
      }
      state.wakeDue = due
    }
  }

  // MARK: ends

  private func settle(
    _ work: PhotoWork, _ stage: Stage, _ failure: Failure, _ hold: UInt
  ) async -> PhotoChain.End {
    if let refusal = work.refusal { return await giveUp(work, stage, refusal, hold) }
    if let outcome = hostOutcome(work, stage, failure), let wait = answered(work.photo, outcome) {
      return await comeBack(work, failure, after: wait, hold)
    }
    let jitter = state.withLock { Double.random(in: 0...1, using: &$0.random) }
    let work = work.counted(books.attempts(of: work.photo) + 1)
    let verdict = policy.verdict(
      on: failure, attempt: work.attempt, deaths: books.deaths(of: work.photo), jitter: jitter)
    do throws(Failure) {
      switch verdict {
      case .again(let delay):
        try await books.recordRetry(work, stage, failure, after: delay)
        return .retry(after: delay)
      case .giveUp:
        try await books.recordFailure(work, stage, failure)
        return .failed
      case .waitForMachine: return .machineTrouble(failure, hold: hold)
      case .stop: return .stopped
      }
    } catch {
      return error.kind == .cancelled ? .stopped : .machineTrouble(error, hold: hold)
    }
  }

  private func ended(_ chain: PhotoChain, _ end: PhotoChain.End) {
    let now = time.uptime()
    let (event, whenIdle) = state.withLock {
      state -> (ChainEvent?, [CheckedContinuation<Void, Never>]) in
      state.chains[chain.work.photo] = nil
      state.admission.ended(chain.work.photo, end, now: now)
      let event = noteTrouble(end, &state)
      return (event, state.takeIdle())
    }
    if let event { perform(event) }
    for continuation in whenIdle { continuation.resume() }
    pump()
  }

  private func noteTrouble(_ end: PhotoChain.End, _ state: inout State) -> ChainEvent? {
    switch end {
    case .machineTrouble(let failure, let hold):
      // A chain that failed before the last pause ends only after it: its other operations stood in
      // queues that were suspended.
      guard !state.admission.isHeld, hold == state.holds else { return nil }
      state.admission.isHeld = true
      state.trouble = failure
      state.troubleWait = min(state.troubleWait * 2, .seconds(30))
      return .trouble(failure, retryAfter: state.troubleWait)
    case .filtered, .failed, .retry:
      // Something was made durable: the machine is well again.
      guard state.trouble != nil, !state.admission.isHeld else { return nil }
      state.trouble = nil
      state.troubleWait = .seconds(1)
      return .recovered
    case .stopped: return nil
    }
  }

  private func perform(_ event: ChainEvent) {
    listener(event)
    guard case .trouble(_, let wait) = event else { return }
    queues.isSuspended = true
    // A stop that came in between would wait for ever for what a suspended queue holds.
    if state.withLock({ $0.isStopping }) { queues.isSuspended = false }
    _ = time.after(wait) { [self] in tryAgain() }
  }

  /// Trouble of this machine passes by itself; the next photo shows whether it has.
  private func tryAgain() {
    let isRunning = state.withLock { state in
      guard !state.isStopping else { return false }
      state.admission.isHeld = false
      state.holds += 1
      return true
    }
    guard isRunning else { return }
    queues.isSuspended = false
    pump()
    // Nothing is left that could show whether the trouble is over: then nobody has it.
    let isOver = state.withLock { state in
      guard state.trouble != nil, state.chains.isEmpty, !state.admission.isHeld else {
        return false
      }
      state.trouble = nil
      state.troubleWait = .seconds(1)
      return true
    }
    if isOver { listener(.recovered) }
  }

  private func finishDoneLists() {
    let done = state.withLock { state in
      let done = state.admission.doneLists.filter { !state.finishing.contains($0) }
      state.finishing.formUnion(done)
      return done
    }
    for list in done { TaskHome.start { await self.finish(list) } }
  }

  private func finish(_ list: ListID) async {
    do throws(Failure) {
      let isFinished = try await books.recordFinished(list)
      // Told before it leaves the books: whoever looks for idleness must not see a gap.
      if isFinished { listener(.finished(list)) }
      let now = time.uptime()
      state.withLock { state in
        state.admission.drop(list, now: now)
        state.finishing.remove(list)
      }
    } catch {
      // It stays, done and not recorded, and is tried again with the next pump.
      state.withLock { _ = $0.finishing.remove(list) }
      _ = time.after(.seconds(5)) { [self] in pump() }
    }
  }
}
