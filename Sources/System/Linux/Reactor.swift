// SPDX-License-Identifier: Apache-2.0
// One thread for loops that wait for descriptors: it runs their tasks and, while no task can run, waits for
// all their descriptors in one poll. No task here may wait for a disk or for another thread.
// Concurrency model: `state` guards jobs and waits; jobs run, and replies are given, with it released. One
// thread calls `work`, so a task's own values are confined to that thread.

import Synchronization
package import Vocabulary

package final class Reactor: TaskExecutor, SerialExecutor {
  private struct Wait {
    let watches: [Poll.Watch]
    let due: Duration?
    let reply: Reply<[Poll.Watch]>

    /// The answer, or nil while the wait continues.
    func answer(_ watches: ArraySlice<Poll.Watch>, at now: Duration) -> [Poll.Watch]? {
      let isReady = watches.contains(where: \.isReady)
      guard isReady || due.map({ $0 <= now }) == true else { return nil }
      return Array(watches)
    }
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var waits: [UInt64: Wait] = [:]
    var lastWait: UInt64 = 0
    /// The thread is in its poll or about to enter it: the next job rings.
    var isAsleep = false
    var end: Int32?
  }

  private let state = Mutex(State())
  private let wake: WakeEvent
  private let pulse: (any Pulse)?

  package init(pulse: (any Pulse)? = nil) throws(SystemError) {
    wake = try WakeEvent()
    self.pulse = pulse
  }

  /// Runs a reactor on a new thread until `body` has ended. A name has at most 15 bytes.
  package static func start(
    _ name: String, _ body: @escaping @Sendable (Reactor) async -> Void
  ) throws(SystemError) {
    let reactor = try Reactor()
    try OwnThread.start(name) { _ = reactor.work() }
    Task.detached(executorPreference: reactor) {
      await body(reactor)
      reactor.end()
    }
  }

  /// Starts a task of this reactor; it runs only while the reactor works.
  package func start(_ body: @escaping @Sendable () async -> Void) {
    Task.detached(executorPreference: self) { await body() }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { $0.jobs.append(job) }
  }

  /// Returns, as `Poll.wait` does, when a descriptor is ready or the limit is over, or when the task is
  /// cancelled; other tasks of the thread continue. Only tasks of this reactor may call it.
  package func ready(_ watches: [Poll.Watch], for limit: Duration? = nil) async -> [Poll.Watch] {
    let due = limit.map { MachineTime().uptime() + $0 }
    let number = state.withLock { state in
      state.lastWait += 1
      return state.lastWait
    }
    return await withTaskCancellationHandler {
      await Reply.wait { reply in
        let wait = Wait(watches: watches, due: due, reply: reply)
        let isOver = change { state in
          if Task.isCancelled { return true }
          state.waits[number] = wait
          return false
        }
        if isOver { reply.give(watches) }
      }
    } onCancel: {
      state.withLock { $0.waits.removeValue(forKey: number) }?.reply.give(watches)
    }
  }

  /// Runs tasks on the calling thread until `end` is called; returns the code passed to `end`.
  package func work() -> Int32 {
    while true {
      let (jobs, end) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.end)
      }
      if let end { return end }
      for job in jobs {
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      look()
    }
  }

  /// The same with a task whose end ends the reactor; returns the task's code.
  package func work(_ body: @escaping @Sendable () async -> Int32) -> Int32 {
    Task.detached(executorPreference: self) { self.end(await body()) }
    return work()
  }

  package func end(_ code: Int32 = 0) { change { $0.end = code } }

  @discardableResult
  private func change<Value>(_ act: (inout State) -> Value) -> Value {
    let (value, rings) = state.withLock { state in
      defer { state.isAsleep = false }
      return (act(&state), state.isAsleep)
    }
    if rings { wake.ring() }
    return value
  }

  /// Polls, without waiting if there is a job; resumes the tasks whose wait is over.
  private func look() {
    let (waits, isIdle) = state.withLock { state in
      state.isAsleep = state.jobs.isEmpty && state.end == nil
      return (Array(state.waits), state.isAsleep)
    }
    var watches = [Poll.Watch(wake.descriptor)]
    for wait in waits { watches += wait.value.watches }
    let due = waits.compactMap(\.value.due).min().map { max(.zero, $0 - MachineTime().uptime()) }
    if isIdle { pulse?.idle() }
    // After a poll that fails (no memory), the loops merely check too early.
    let found = (try? Poll.wait(watches, for: isIdle ? due : .zero)) ?? watches
    if isIdle { pulse?.busy() }
    state.withLock { $0.isAsleep = false }
    if found[0].isReadable { wake.clear() }
    answer(waits, found.dropFirst())
  }

  private func answer(_ waits: [(key: UInt64, value: Wait)], _ found: ArraySlice<Poll.Watch>) {
    let now = MachineTime().uptime()
    var rest = found
    for (number, wait) in waits {
      let own = rest.prefix(wait.watches.count)
      rest = rest.dropFirst(own.count)
      guard let answer = wait.answer(own, at: now) else { continue }
      // A wait that was cancelled in the meantime has its reply.
      let isHere = state.withLock { $0.waits.removeValue(forKey: number) } != nil
      if isHere { wait.reply.give(answer) }
    }
  }
}
