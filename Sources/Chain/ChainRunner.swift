// SPDX-License-Identifier: Apache-2.0
// Runs chains: admits photos through the window, starts their chains, handles their ends, and reports
// finished lists. Requests of people (pause, resume, give up, stop) arrive here.
//
// Concurrency model: all state is in one `Mutex`. A call decides under it, and rings the bell if `run` has to
// look; chains, queues and the record are called with it released. `run` alone admits photos, begins chains,
// suspends queues and reports events, so these happen one after the other; it may wait for a disk.
//
// The walk: a photo, from its row to its print.
// - `Admission` picks photos, and `PhotoChain` makes three operations of each: download, filter, output.
// - `PhotoStages` (in darkroomd) downloads, filters and outputs. A dropped picture is not downloaded but linked
//   (`Downloader.take`). The worker writes to files without names (`WorkerFile`), and the output copies them,
//   because a worker may change its file after its answer. The filter also makes the thumbnail, which gets its
//   name just before the record of the print, unsynced.
// - The download and the print are durable before `Narrator` reports them; the filter records nothing.
// - The runner reports the end of the last photo (`ChainEvent.done`); `ListLife` continues.

internal import Linux
import Synchronization
package import Vocabulary

package final class ChainRunner<Work: Stages>: Sendable {
  struct State {
    var admission: Admission
    var chains: [PhotoID: PhotoChain<Work.Order>] = [:]
    var filterTurns: FilterTurns<PhotoChain<Work.Order>>
    /// Chains with operations in the queues; cancelled ones stay there for a while.
    var queued = 0
    var trouble = MachineTrouble()
    var proxyTrouble = MachineTrouble()
    var events: [ChainEvent] = []
    /// Lists that were reported as done.
    var toldDone: Set<ListID> = []
    var whenIdle: [(list: ListID?, reply: Reply<Void>)] = []
    var mode = Mode.running
    var random = SystemRandomNumberGenerator()

    /// Limits the queues when lists are added and cancelled again and again.
    var longestQueue: Int { 2 * admission.window }

    func isIdle(_ list: ListID?) -> Bool {
      guard let list else { return chains.isEmpty }
      return !chains.keys.contains { $0.list == list }
    }

    /// Takes out the replies for lists that are idle now.
    mutating func takeIdle() -> [Reply<Void>] {
      if whenIdle.isEmpty { return [] }
      let ready = whenIdle.filter { isIdle($0.list) }.map(\.reply)
      whenIdle = whenIdle.filter { !isIdle($0.list) }
      return ready
    }
  }

  enum Mode {
    /// → stopping
    case running
    /// → over
    case stopping
    case over
  }

  let state: Mutex<State>
  /// Rings at each change that could let a photo begin.
  let bell = ChangeSignal()
  let stages: Work
  private let queues: StageQueues
  let record: any ChainRecord<Work.Order>
  let time: any Timekeeper
  let policy: RetryPolicy

  package init(
    _ stages: Work, widths: StageQueues.Widths, record: any ChainRecord<Work.Order>,
    time: any Timekeeper, policy: RetryPolicy = RetryPolicy(), hosts: HostLimits = HostLimits()
  ) {
    self.stages = stages
    self.queues = StageQueues(widths)
    self.record = record
    self.time = time
    self.policy = policy
    let windows = HostWindows(hosts, triedPatience: policy.span)
    state = Mutex(
      State(
        admission: Admission(
          window: widths.window, reserve: widths.reserve, kept: widths.kept, hosts: windows),
        filterTurns: FilterTurns(width: widths.filter, urgent: widths.urgent)))
  }

  // MARK: lists

  package func add(_ list: ListID, _ lines: ListLines, isPaused: Bool = false) {
    let now = time.uptime()
    state.withLock { state in
      state.toldDone.remove(list)
      state.admission.add(list, lines, isPaused: isPaused, now: now)
    }
    bell.changed()
  }

  /// Running steps finish; no other begins until the list is resumed.
  package func pause(_ list: ListID) {
    let now = time.uptime()
    let chains = state.withLock { state in
      state.admission.pause(list, now: now)
      return state.chains.values.filter { $0.work.photo.list == list }
    }
    let connecting = connecting(chains)
    for chain in chains {
      if connecting.contains(chain) { chain.giveWay(atOnce: true) }
      chain.stopAfterStep()
    }
  }

  /// The chains whose transfers wait for a connection: they lose nothing when they end.
  func connecting(_ chains: [PhotoChain<Work.Order>]) -> Set<PhotoChain<Work.Order>> {
    if chains.isEmpty { return [] }
    let transfers = stages.transfers()
    return Set(chains.filter { transfers[$0.work.photo] == .waiting })
  }

  package func resume(_ list: ListID) {
    let now = time.uptime()
    state.withLock { $0.admission.resume(list, now: now) }
    bell.changed()
  }

  /// Photos whose chains have not begun to filter get new chains in the new class.
  package func setClass(_ serviceClass: ServiceClass, of list: ListID) {
    let now = time.uptime()
    state.withLock { $0.admission.setClass(serviceClass, of: list, now: now) }
    reclass { $0.list == list }
    bell.changed()
  }

  /// Ends the chains of photos that are in another class than the photos are now. `renewing`: only
  /// focused photos, which keep their places.
  func reclass(renewing: Bool = false, _ isMeant: (PhotoID) -> Bool) {
    let chains = state.withLock { state in
      let chains = state.chains.values.filter { chain in
        let photo = chain.work.photo
        return isMeant(photo) && (!renewing || state.admission.focus.isFocused(photo))
          && state.admission.serviceClass(of: photo) != chain.work.serviceClass
      }
      if renewing { for chain in chains { state.admission.renew(chain.work.photo) } }
      return chains
    }
    let connecting = connecting(chains)
    for chain in chains { chain.giveWay(atOnce: connecting.contains(chain)) }
  }

  /// Forgets the list and cancels its chains at once; `idle` returns when they have ended.
  package func giveUp(_ list: ListID) {
    let now = time.uptime()
    let chains = state.withLock { state in
      state.toldDone.remove(list)
      state.admission.drop(list, now: now)
      return state.chains.values.filter { $0.work.photo.list == list }
    }
    for chain in chains { chain.cancel() }
    bell.changed()
  }

  package func setWidths(_ widths: StageQueues.Widths) {
    queues.setWidths(widths)
    state.withLock { state in
      state.admission.size = widths.size
    }
    turn { ($0.width, $0.urgent) = (widths.filter, widths.urgent) }
    bell.changed()
  }

  /// Stops admission, cancels all chains and returns when they have ended; `run` returns then.
  package func stop() async {
    state.withLock { state in
      if state.mode == .running { state.mode = .stopping }
      state.admission.isHeld = true
    }
    bell.changed()
    await idle()
  }

  /// Returns once no chain, or none of the list, is left and none is about to begin.
  package func idle(_ list: ListID? = nil) async {
    await Reply.wait { reply in
      let isOver = state.withLock { state in
        if state.mode != .over { state.whenIdle.append((list, reply)) }
        return state.mode == .over
      }
      if isOver { reply.give() } else { bell.changed() }
    }
  }

  package func counts() -> ChainCounts {
    var counts = ChainCounts()
    let chains = state.withLock { state in
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

  // MARK: the loop

  /// Admits photos and reports events, in order, until `stop`. Call it once.
  package func run(telling tell: (ChainEvent) -> Void) async {
    while true {
      let seen = bell.version
      steer()
      admit()
      let look = makeRoom()
      let (events, idle, due, isOver) = outcome()
      for event in events { tell(event) }
      for reply in idle { reply.give() }
      if isOver { return }
      if let due = [due, look].compactMap({ $0 }).min() {
        await bell.change(after: seen, within: max(.zero, due - time.uptime()), on: time)
      } else {
        await bell.change(after: seen)
      }
    }
  }

  /// Suspends or resumes the queues for trouble; cancels all chains for a stop.
  private func steer() {
    let now = time.uptime()
    let (isSuspended, cancelled) = state.withLock {
      state -> (Bool, [PhotoChain<Work.Order>]) in
      if state.mode != .running {
        // A cancelled operation in a suspended queue never finishes.
        return (false, Array(state.chains.values))
      }
      if state.trouble.release(now: now) { state.admission.isHeld = false }
      if state.proxyTrouble.release(now: now) { state.admission.shutProxy(false, now: now) }
      return (state.trouble.isHeld, [])
    }
    if queues.isSuspended != isSuspended {
      queues.isSuspended = isSuspended
      if isSuspended { disconnect() }
    }
    for chain in cancelled { chain.cancel() }
  }

  /// The photos whose transfers wait for a connection come back, and wait for their turn.
  func disconnect() {
    let chains = state.withLock { Array($0.chains.values) }
    for chain in connecting(chains) { chain.giveWay(atOnce: true) }
  }

  private func admit() {
    var known: (photo: PhotoID, order: Work.Order)?
    while let step = nextStep() {
      do throws(Failure) {
        switch step {
        case .seek(let list, let after):
          let number = record.nextUnfinished(in: list, after: after)
          state.withLock { $0.admission.sought(list, number) }
        case .ask(let photo):
          let (order, prospect) = try record.order(of: photo)
          known = (photo, order)
          state.withLock { $0.admission.learn(photo, prospect) }
        case .give(let admitted):
          let order: Work.Order
          if let known, known.photo == admitted.photo {
            order = known.order
          } else {
            // The photo has waited for its host since it was asked about.
            order = try record.order(of: admitted.photo).order
          }
          if let work = work(admitted, order) { begin(work) }
        }
      } catch { failed(step, error) }
    }
  }

  private func nextStep() -> Admission.Step? {
    let now = time.uptime()
    return state.withLock { state in
      guard state.queued < state.longestQueue else { return nil }
      return state.admission.next(now: now)
    }
  }

  /// A list whose files cannot be read is dropped; the owner handles the event.
  private func failed(_ step: Admission.Step, _ failure: Failure) {
    let list: ListID
    switch step {
    case .seek(let sought, _): list = sought
    case .ask(let photo): list = photo.list
    case .give(let admitted): list = admitted.photo.list
    }
    let now = time.uptime()
    state.withLock { state in
      state.admission.drop(list, now: now)
      state.events.append(.unreadable(list, failure))
    }
  }

  /// Nil if nothing of the photo is left to do.
  private func work(
    _ admitted: Admission.Admitted, _ order: Work.Order
  ) -> PhotoWork<Work.Order>? {
    let now = time.uptime()
    let found = record.standing(of: admitted.photo)
    let standing = state.withLock { $0.admission.begin(admitted.photo, found, now: now) }
    guard let standing else { return nil }
    return PhotoWork(
      photo: admitted.photo, order: order, state: standing.state,
      serviceClass: admitted.serviceClass, attempt: standing.attempts + 1, admitted: now,
      refusal: admitted.lost.map { Self.refusal($0) })
  }

  private func begin(_ work: PhotoWork<Work.Order>) {
    let chain = PhotoChain(work, owner: self)
    let isWanted = state.withLock { state in
      // Since admission the list may have been given up, or the daemon may be stopping.
      guard state.mode == .running, state.admission.holds(work.photo) else { return false }
      state.chains[work.photo] = chain
      state.queued += 1
      return true
    }
    guard isWanted else { return }
    chain.begin(stages, on: queues)
    // A pause, another class or a give-up in between did not reach the chain.
    let (isPaused, serviceClass) = state.withLock { state in
      (state.admission.isPaused(work.photo.list), state.admission.serviceClass(of: work.photo))
    }
    if isPaused { chain.stopAfterStep() }
    guard let serviceClass else { return chain.cancel() }
    if serviceClass != work.serviceClass { chain.giveWay() }
  }

  /// The events to report, the replies for idle lists, and the time of the next look.
  private func outcome() -> (
    events: [ChainEvent], idle: [Reply<Void>], due: Duration?, isOver: Bool
  ) {
    state.withLock { state in
      if state.chains.isEmpty {
        let isProven = state.trouble.failure?.scope != .prints
        if state.trouble.passed() { state.events.append(.recovered(isProven: isProven)) }
        if state.proxyTrouble.passed() { state.events.append(.proxyRecovered) }
      }
      if state.admission.hosts.takeSeatNews() { state.events.append(.seatsWanted) }
      for news in state.admission.setbacks.takeNews() {
        state.events.append(
          news.failure.map { .listTroubled(news.list, $0) } ?? .listRecovered(news.list))
      }
      for list in state.admission.doneLists where state.toldDone.insert(list).inserted {
        state.events.append(.done(list))
      }
      if state.mode == .stopping, state.chains.isEmpty { state.mode = .over }
      let idle = state.takeIdle()
      defer { state.events = [] }
      let isFull = state.queued >= state.longestQueue
      let due = isFull ? nil : state.admission.nextDue
      return (
        state.events, idle,
        [due, state.trouble.due, state.proxyTrouble.due].compactMap { $0 }.min(),
        state.mode == .over
      )
    }
  }
}
