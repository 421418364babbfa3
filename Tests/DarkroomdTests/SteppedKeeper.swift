// SPDX-License-Identifier: Apache-2.0
// A real keeper under a simulation's hand: its tasks run one job at a time, when the world says so, and its
// effects become news for the world, which ends them when it likes. Concurrency: one thread drives it; the
// locks are for the compiler.

import Linux
import Support
import Synchronization
import Vocabulary

@testable import darkroomd

/// Keeps the jobs of tasks until each is asked for, in their order.
private final class SteppedExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var next = 0
  }

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  /// Runs the oldest job; false if there is none.
  func step() -> Bool {
    let job = state.withLock { state -> UnownedJob? in
      guard state.next < state.jobs.count else { return nil }
      defer {
        state.next += 1
        if state.next == state.jobs.count { (state.jobs, state.next) = ([], 0) }
      }
      return state.jobs[state.next]
    }
    guard let job else { return false }
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }
}

struct SteppedKeeper {
  enum News {
    /// With a reply, the effect lasts until the reply is given.
    case deed(ListLives.Deed, Reply<Failure?>?)
    case answer(UInt64, Failure?)
    case lives(ListLives?)
    /// `run` has returned.
    case over
  }

  private final class Desk: ListEffects {
    private let news = Mutex<[News]>([])
    let open: Mutex<Set<ListID>>

    init(open: Set<ListID>) { self.open = Mutex(open) }

    func put(_ one: News) { news.withLock { $0.append(one) } }

    func take() -> [News] {
      news.withLock { news in
        defer { news = [] }
        return news
      }
    }

    private func note(_ list: ListID, _ action: ListLife.Action) {
      put(.deed(ListLives.Deed(list, action), nil))
    }

    private func wait(_ list: ListID, _ action: ListLife.Action) async -> Failure? {
      await Reply.wait { put(.deed(ListLives.Deed(list, action), $0)) }
    }

    func record(
      _ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?
    ) async -> Failure? {
      await wait(list, .record(turn, by: asker))
    }
    func takeOver(_ list: ListID) async -> Failure? { await wait(list, .takeOver) }
    func open(_ list: ListID) async -> Failure? { await wait(list, .open) }
    func idle(_ list: ListID) async { _ = await wait(list, .awaitIdle(0)) }
    func giveBack(_ list: ListID) async -> Failure? { await wait(list, .giveBack) }
    func isOpen(_ list: ListID) -> Bool { open.withLock { $0.contains(list) } }
    func pauseChains(_ list: ListID) { note(list, .pauseChains) }
    func resumeChains(_ list: ListID) { note(list, .resumeChains) }
    func setClass(_ serviceClass: ServiceClass, of list: ListID) {
      note(list, .setClass(serviceClass))
    }
    func dropChains(_ list: ListID) { note(list, .dropChains) }
    func tell(_ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?) {
      note(list, .tell(turn, by: asker))
    }
    func health(_ failure: Failure?, of list: ListID) { note(list, .health(failure)) }
    func copyHealth(_ failure: Failure?, of list: ListID) { note(list, .copyHealth(failure)) }
    func forget(_ list: ListID) { note(list, .forget) }
    func forgetAll() {}
  }

  private let executor = SteppedExecutor()
  private let desk: Desk
  private let keeper: ListKeeper

  /// `open`: the lists that the record has, and not as over.
  init(clock: any Timekeeper, open: Set<ListID>) {
    desk = Desk(open: open)
    keeper = ListKeeper(clock: clock, changes: ChangeSignal())
    start { [keeper, desk] in
      await keeper.run(desk)
      desk.put(.over)
    }
  }

  private func start(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: executor) { await body() }
  }

  /// Runs one job; nil if there is none.
  func step() -> [News]? { executor.step() ? desk.take() : nil }

  func isOpen(_ list: ListID, _ isOpen: Bool) {
    desk.open.withLock { open in
      if isOpen { open.insert(list) } else { open.remove(list) }
    }
  }

  func begin(_ birth: ListLives.Birth) { keeper.begin(birth) }
  func happened(_ event: ListLife.Event, to list: ListID) { keeper.happened(event, to: list) }
  func stop() { keeper.stop() }

  /// The answer comes as news with this number.
  func ask(_ ask: ListLife.Ask, of list: ListID, _ number: UInt64) {
    start { [keeper, desk] in
      do throws(Failure) {
        try await keeper.ask(ask, of: list, by: 0)
        desk.put(.answer(number, nil))
      } catch { desk.put(.answer(number, error)) }
    }
  }

  /// The lives come as news.
  func look() {
    start { [keeper, desk] in desk.put(.lives(await keeper.lives())) }
  }
}
