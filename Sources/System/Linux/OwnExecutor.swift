// SPDX-License-Identifier: Apache-2.0
// Runs Swift's tasks on a few threads of our own. libdispatch's pool, once used, wakes the process
// every second for ever to look at its threads through /proc, and ends it when that look fails.
// Concurrency model: `state` guards jobs and idle threads; jobs run with the lock released. Each
// thread sleeps on a bell of its own, so one job wakes one thread.

internal import Synchronization

package final class OwnExecutor: TaskExecutor {
  private struct State {
    /// Those before `next` are taken.
    var jobs: [UnownedJob] = []
    var next = 0
    var idle: [Int] = []

    mutating func take() -> UnownedJob? {
      guard next < jobs.count else { return nil }
      defer { next += 1 }
      let job = jobs[next]
      if next + 1 == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        next = -1
      } else if next > 4096, next > jobs.count / 2 {
        // Never empty, it would grow for ever.
        jobs.removeFirst(next + 1)
        next = -1
      }
      return job
    }
  }

  private let state = Mutex(State())
  private let bells: [ThreadSignal]

  /// Its threads live as long as the process.
  package init(threads: Int) {
    bells = (0..<threads).map { _ in ThreadSignal() }
    for number in bells.indices { OwnThread.start("tasks") { self.work(number) } }
  }

  /// Has one thread, the one that calls `workForever`.
  package init() { bells = [ThreadSignal()] }

  package func workForever() -> Never { work(0) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let idle = state.withLock { state in
      state.jobs.append(job)
      return state.idle.popLast()
    }
    if let idle { bells[idle].ring() }
  }

  private func work(_ number: Int) -> Never {
    let executor = unsafe asUnownedTaskExecutor()
    while true {
      let job = state.withLock { state in
        let job = state.take()
        // Whoever takes it from there rings, once.
        if job == nil { state.idle.append(number) }
        return job
      }
      if let job {
        unsafe job.runSynchronously(on: executor)
      } else {
        bells[number].wait()
      }
    }
  }
}
