// SPDX-License-Identifier: Apache-2.0
// A list from accepted to over. A value: events in, actions out; no clock, no lock, no I/O; raises nothing.
//
//   takingOver → opening → open → finishing ─┬→ ending → returning → over
//        ↕          ↕        ↓               │      (a cancel leads to ending from every phase before)
//     blocked    blocked  damaged ───────────┘
//
// `opening` may also lead to `damaged`; `open` and `finishing` may fall back to `blocked`. Changes are
// recorded one at a time, in the order of the requests; their consequences follow when they are durable. A
// cancel is answered when no photo of the list is being worked on, before the copy is made.
//
// The walk: a list, from its record to `done`.
// - `ListLife` asks for `takeOver` (a revision only), then for `open`; `ListWork.open` adds the list to
//   `ChainRunner`, paused. The event `opened` leads to `resumeChains`.
// - When the last photo has ended, `Darkroom` passes `photosDone` to the keeper, and `ListLife` asks for
//   `record(.finished)`. When that is durable and nothing of the list runs, it asks for `giveBack`.
// - `ContactSheets.finish` writes the last pages. `ReturnFolder.giveBack` makes the copy and the results appear in
//   `done`, and a retry list in `failed` if failed photos can be retried, with syncs through `SyncGroups`;
//   `PictureReturn` gives dropped pictures back; `HookDesk` orders hooks and webhooks, durably (`Outbox`); the
//   list is marked as returned.
// - `ListLife` is `over`; `ListWork.forget` releases everything that was kept for it. `ListRetention` removes its
//   folder later.
//
// The walk: a cancel.
// - `darkroomctl cancel 17` calls the control socket; `ControlLoop` reads the caller's user from the socket and
//   starts a task. `ControlCalls` finds the list, checks that the caller may change it, and calls
//   `ListKeeper.ask(.cancel, of: 17)`.
// - The keeper passes the event through `ListLives` to `ListLife`, which asks for `record(.cancelled)`;
//   `ListWork.record` writes it through `Recorder`, which syncs the journal.
// - `ListLife` is `ending`: it asks for `dropChains` and `awaitIdle`, which waits until `ChainRunner` has no photo
//   of the list under way. Then it is `returning`: the keeper answers the caller, and the copy and the results
//   follow.

import Vocabulary

struct ListLife: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    /// Earlier lists with the same print folder are ending, or their prints are being taken over.
    case takingOver
    /// `isDone`: the chains have already reported the last photo.
    case opening(isDone: Bool)
    /// A failure that may pass prevents the next step, which is tried again.
    case blocked(Step, Failure, until: Duration)
    /// Its own files are damaged or gone. Waits for a cancel, or for a restart after a repair.
    case damaged(Failure)
    /// The chains have the list. `trouble` concerns this list alone.
    case open(trouble: Failure?)
    /// Every photo is done; `finished` is being recorded, or will be tried again.
    case finishing(Failure?, until: Duration?)
    /// Recorded as over; its running steps are ending.
    case ending
    /// Its copy and results are being made in `done`, or will be tried again.
    case returning(Failure?, until: Duration?)
    case over
  }

  enum Step: Equatable, Sendable { case takeOver, open }

  /// A change that is recorded after the acceptance.
  enum Turn: Hashable, Sendable {
    case paused, resumed, cancelled, finished
    case quality(ServiceClass)
  }

  /// A request by a user, or by a later list that takes over.
  enum Ask: Hashable, Sendable {
    case pause, resume, cancel
    case quality(ServiceClass)
  }

  enum Asker: Hashable, Sendable {
    /// The number tells the callers apart.
    case person(UInt64, user: UInt32)
    case successor(ListID)
    /// The list follows the ledger; no caller waits for an answer.
    case ledger
  }

  enum Event: Equatable, Sendable {
    /// Nil when done; a `final` failure if nothing can be taken over.
    case tookOver(Failure?)
    case opened(Failure?)
    /// From the chains: trouble of this list alone has begun, or is over (nil).
    case troubled(Failure?)
    /// From the chains: the list's files cannot be read.
    case unreadable(Failure)
    case photosDone
    case asked(Ask, Asker)
    /// The result of `record`.
    case recorded(Failure?)
    /// Nothing of the list runs: the answer to `awaitIdle` of this number.
    case idle(UInt64)
    case returned(Failure?)
    /// The list is being removed, and its copy is not awaited any more.
    case abandoned
    case timePassed
    /// A disk is better: the pause is over.
    case relieved
  }

  enum Action: Equatable, Sendable {
    /// Each is answered by its event: `tookOver`, `opened`, `returned`.
    case takeOver, open, giveBack
    case awaitIdle(UInt64)
    case record(Turn, by: Asker? = nil)
    /// Ends the step early if it has not begun; its event follows in any case.
    case stop(Step)
    case pauseChains, resumeChains, dropChains
    case setClass(ServiceClass)
    case tell(Turn, by: Asker? = nil)
    /// Trouble of the list has begun or is over (nil); `copyHealth`: trouble of its copy.
    case health(Failure?)
    case copyHealth(Failure?)
    case answer(Asker, Failure?)
    case wake(after: Duration)
    /// The list is over: releases everything that is kept for it.
    case forget
  }

  private struct Request: Equatable, Sendable {
    let turn: Turn
    /// Nil for a request of the list itself.
    let asker: Asker?
  }

  private static let unfinished = Failure(
    .machine, scope: .one, code: "list.unfinished",
    reason: "the record still has unfinished photos of the list")
  private static let pause = Duration.seconds(5)

  private(set) var phase: Phase
  private(set) var isPaused = false
  /// The class as recorded.
  private(set) var serviceClass: ServiceClass
  /// The recorded end.
  private(set) var end: Turn?
  /// The first who asked for the end.
  private var ender: Asker?
  /// The list is paused or damaged, and its running steps have ended.
  private(set) var isAtRest = false
  /// Recorded while the list was being opened; the chains may have an earlier one.
  private var newClass: ServiceClass?
  /// The first one is being recorded.
  private var requests: [Request] = []
  /// The running step, if any.
  private var running: Step?
  /// The number of the last `awaitIdle`; earlier ones do not count.
  private var waits: UInt64 = 0
  /// A return copies the whole list: the pauses between failed ones grow.
  private var returnPause = Backoff(Self.pause, to: .seconds(80))
  /// Callers whose cancel is answered when nothing of the list runs.
  private var cancellers: [Asker] = []
  /// A return that fails is the last.
  private var isAbandoned = false
  /// Nothing but a person ends the loss that keeps the copy: a file that could not be read once may be read the next time.
  private var isLost = false

  /// A life that continues from the recorded state.
  init(_ state: ListState, _ serviceClass: ServiceClass = .default, takesOver: Bool) {
    self.serviceClass = serviceClass
    phase = takesOver ? .takingOver : .opening(isDone: false)
    switch state {
    case .accepted, .running: break
    case .paused: isPaused = true
    case .finished: end = .finished
    case .cancelled: end = .cancelled
    }
    if end != nil { phase = .returning(nil, until: nil) }
  }

  /// The list does not change without a user or an event from outside.
  var isSettled: Bool {
    switch phase {
    case .over: true
    case .damaged: isAtRest && requests.isEmpty
    case .open: isPaused && isAtRest && requests.isEmpty
    case .returning(_, until: .some): isLost
    case .takingOver, .opening, .blocked, .finishing, .ending, .returning: false
    }
  }

  /// The first actions.
  mutating func begin() -> [Action] {
    switch phase {
    case .takingOver: start(.takeOver)
    case .opening: start(.open)
    case .returning: [.giveBack]
    // No life begins in these.
    case .blocked, .damaged, .open, .finishing, .ending, .over: []
    }
  }

  mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    switch event {
    case .tookOver(let failure): ended(.takeOver, failure, now)
    case .opened(let failure): ended(.open, failure, now)
    case .troubled(let failure): troubled(failure)
    case .unreadable(let failure): unreadable(failure, now)
    case .photosDone: photosDone()
    case .asked(let ask, let asker): request(Request(turn: ask.turn, asker: asker))
    case .recorded(let failure): recorded(failure, now)
    case .idle(let number): idle(number)
    case .returned(let failure): returned(failure, now)
    case .abandoned: abandoned()
    case .timePassed: timePassed(now)
    case .relieved: until.map { timePassed($0) } ?? []
    }
  }

  // MARK: opening

  private mutating func start(_ step: Step) -> [Action] {
    running = step
    switch step {
    case .takeOver:
      phase = .takingOver
      return [.takeOver]
    case .open:
      phase = .opening(isDone: false)
      newClass = nil
      return [.open]
    }
  }

  private mutating func ended(_ step: Step, _ failure: Failure?, _ now: Duration) -> [Action] {
    guard running == step else { return [] }
    running = nil
    // The list has ended meanwhile: drop it even if it was opened.
    if phase == .ending { return [.dropChains] + awaitIdle() }
    // The list is over: the event `recorded` follows.
    if step == .open, failure?.kind == .cancelled { return [] }
    if failure?.kind == .machine || failure?.kind == .passing, let failure {
      return block(step, failure, now)
    }
    switch step {
    // Nothing is taken over from a list that cannot be read.
    case .takeOver: return start(.open)
    case .open:
      if let failure { return damage(failure) }
      let isDone = phase == .opening(isDone: true)
      phase = .open(trouble: nil)
      isAtRest = false
      return [.health(nil)] + (newClass.map { [.setClass($0)] } ?? [])
        + (isPaused ? awaitIdle() : [.resumeChains])
        + (isDone ? photosDone() : [])
    }
  }

  private mutating func block(_ step: Step, _ failure: Failure, _ now: Duration) -> [Action] {
    phase = .blocked(step, failure, until: now + Self.pause)
    return [.health(failure), .wake(after: Self.pause)]
  }

  private mutating func damage(_ failure: Failure) -> [Action] {
    phase = .damaged(failure)
    isAtRest = false
    return [.dropChains, .health(failure)] + awaitIdle()
  }

  // MARK: at work

  private mutating func troubled(_ failure: Failure?) -> [Action] {
    guard case .open = phase else { return [] }
    phase = .open(trouble: failure)
    return [.health(failure)]
  }

  private mutating func unreadable(_ failure: Failure, _ now: Duration) -> [Action] {
    guard case .open = phase else { return [] }
    if failure.kind == .final { return damage(failure) }
    return [.dropChains] + block(.open, failure, now)
  }

  private mutating func photosDone() -> [Action] {
    if case .opening = phase { phase = .opening(isDone: true) }
    guard case .open = phase else { return [] }
    phase = .finishing(nil, until: nil)
    return request(Request(turn: .finished, asker: nil))
  }

  // MARK: changes

  private mutating func request(_ request: Request) -> [Action] {
    requests.append(request)
    return requests.count == 1 ? next() : []
  }

  /// Records the next change; answers requests that change nothing.
  private mutating func next() -> [Action] {
    var actions: [Action] = []
    while let request = requests.first {
      if end == nil, isChange(request.turn) {
        return actions + [.record(request.turn, by: request.asker)]
      }
      requests.removeFirst()
      guard let asker = request.asker else { continue }
      if end != nil, request.turn == .cancelled, end == .cancelled {
        actions += cancelAgain(asker)
      } else {
        actions.append(.answer(asker, end == nil ? nil : OpenList.over))
      }
    }
    return actions
  }

  private func isChange(_ turn: Turn) -> Bool {
    switch turn {
    case .paused: !isPaused
    case .resumed: isPaused
    case .cancelled, .finished: true
    case .quality(let new): new != serviceClass
    }
  }

  private mutating func recorded(_ failure: Failure?, _ now: Duration) -> [Action] {
    guard !requests.isEmpty else { return [] }
    let request = requests.removeFirst()
    let actions =
      failure.map { notRecorded(request, $0, now) } ?? recorded(request)
    return actions + next()
  }

  private mutating func recorded(_ request: Request) -> [Action] {
    var actions: [Action] = []
    switch request.turn {
    case .paused:
      isPaused = true
      if case .open = phase { actions += [.pauseChains] + awaitIdle() }
    case .resumed:
      isPaused = false
      if case .open = phase {
        isAtRest = false
        actions.append(.resumeChains)
      }
    case .quality(let new):
      serviceClass = new
      if case .opening = phase { newClass = new }
      if case .open = phase { actions.append(.setClass(new)) }
    case .cancelled, .finished: return ends(request)
    }
    actions.append(.tell(request.turn, by: request.asker))
    return actions + answer(request.asker, nil)
  }

  private mutating func ends(_ request: Request) -> [Action] {
    (end, ender) = (request.turn, request.asker)
    phase = .ending
    if let asker = request.asker { cancellers.append(asker) }
    var actions: [Action] = [.health(nil), .dropChains]
    if request.turn == .finished { actions.append(.tell(.finished)) }
    return actions + (running.map { [.stop($0)] } ?? awaitIdle())
  }

  private mutating func notRecorded(
    _ request: Request, _ failure: Failure, _ now: Duration
  ) -> [Action] {
    let isRefused = failure == .overtaken
    guard request.turn == .finished else {
      return answer(request.asker, isRefused ? OpenList.over : failure)
    }
    guard case .finishing = phase else { return [] }
    // The record of a photo was damaged: the photo has work left after all.
    if isRefused { return [.dropChains] + block(.open, Self.unfinished, now) }
    phase = .finishing(failure, until: now + Self.pause)
    return [.health(failure), .wake(after: Self.pause)]
  }

  private func answer(_ asker: Asker?, _ failure: Failure?) -> [Action] {
    asker.map { [.answer($0, failure)] } ?? []
  }

  // MARK: the end

  private mutating func awaitIdle() -> [Action] {
    waits += 1
    return [.awaitIdle(waits)]
  }

  /// The list is cancelled already: the caller is answered together with the first one.
  private mutating func cancelAgain(_ asker: Asker) -> [Action] {
    guard phase == .ending else { return [.answer(asker, nil)] }
    cancellers.append(asker)
    return []
  }

  private mutating func idle(_ number: UInt64) -> [Action] {
    guard number == waits else { return [] }
    switch phase {
    case .ending: break
    case .damaged:
      isAtRest = true
      return []
    case .open:
      isAtRest = isPaused
      return []
    case .takingOver, .opening, .blocked, .finishing, .returning, .over: return []
    }
    phase = .returning(nil, until: nil)
    var actions: [Action] = end == .cancelled ? [.tell(.cancelled, by: ender)] : []
    actions += cancellers.map { .answer($0, nil) }
    cancellers = []
    return actions + [.giveBack]
  }

  private mutating func returned(_ failure: Failure?, _ now: Duration) -> [Action] {
    guard case .returning(let earlier, _) = phase else { return [] }
    if let failure, failure.kind != .final, !isAbandoned {
      let loss = ListLoss(failure)
      isLost = loss.map { !$0.mayPass || earlier.flatMap(ListLoss.init) == $0 } ?? false
      let pause = returnPause.take()
      phase = .returning(failure, until: now + pause)
      return [.copyHealth(failure), .wake(after: pause)]
    }
    phase = .over
    // A copy that can never be made is reported, and the list ends without it.
    return [.copyHealth(isAbandoned ? nil : failure), .forget]
  }

  /// A return that runs ends first.
  private mutating func abandoned() -> [Action] {
    isAbandoned = true
    guard case .returning(_, until: .some) = phase else { return [] }
    phase = .over
    return [.forget]
  }

  /// Why the copy waits for a person, if it does: the results are there.
  var loss: Failure? {
    guard case .returning(let failure?, _) = phase, ListLoss(failure) != nil else { return nil }
    return failure
  }

  /// The end of a pause after trouble.
  private var until: Duration? {
    switch phase {
    case .blocked(_, _, let until): until
    case .finishing(_, let until), .returning(_, let until): until
    case .takingOver, .opening, .damaged, .open, .ending, .over: nil
    }
  }

  private mutating func timePassed(_ now: Duration) -> [Action] {
    switch phase {
    case .blocked(let step, _, let until) where until <= now: return start(step)
    case .finishing(.some, let until?) where until <= now:
      phase = .finishing(nil, until: nil)
      return request(Request(turn: .finished, asker: nil))
    case .returning(.some(let failure), let until?) where until <= now:
      phase = .returning(failure, until: nil)
      return [.giveBack]
    // The wake-up of a wait that is over.
    case .blocked, .finishing, .returning, .takingOver, .opening, .damaged, .open, .ending, .over:
      return []
    }
  }
}

extension ListLife.Ask {
  /// The change that the request records.
  var turn: ListLife.Turn {
    switch self {
    case .pause: .paused
    case .resume: .resumed
    case .cancel: .cancelled
    case .quality(let serviceClass): .quality(serviceClass)
    }
  }
}
