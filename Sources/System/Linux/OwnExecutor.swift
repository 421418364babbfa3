// SPDX-License-Identifier: Apache-2.0
// Runs Swift tasks on our own threads. Once used, libdispatch's pool wakes the process every second to
// inspect its threads through /proc, and ends the process if that fails. A pool may grow while all its
// threads hang in calls, so that calls to a dead disk do not block others. Added threads end when idle.
// Concurrency model: `state` guards jobs and threads; jobs run with it released. Each thread sleeps on its
// own bell, so one job wakes one thread. Raises `SystemError` if the first threads cannot be made.

internal import Synchronization
package import Vocabulary

package final class OwnExecutor: TaskExecutor {
  private struct Thread {
    let bell = ThreadSignal()
    /// The start of the running job; nil between jobs.
    var busy: Duration?
    var isOver = false
  }

  private struct State {
    var jobs: [UnownedJob] = []
    /// Jobs before this index are taken.
    var next = 0
    var threads: [Thread] = []
    var idle: [Int] = []
    /// A check for hung threads is scheduled.
    var isWatched = false

    var isEmpty: Bool { next >= jobs.count }

    mutating func take() -> UnownedJob? {
      guard next < jobs.count else { return nil }
      defer { next += 1 }
      let job = jobs[next]
      if next + 1 == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        next = -1
      } else if next > 4096, next > jobs.count / 2 {
        // A queue that never empties would grow without limit.
        jobs.removeFirst(next + 1)
        next = -1
      }
      return job
    }
  }

  /// A thread that runs one job for this long counts as hung.
  private static let patience = Duration.milliseconds(100)
  private static let idleTime = Duration.seconds(10)

  private let name: String
  private let least: Int
  private let most: Int
  private let clock: (any Timekeeper)?
  private let pulse: (any Pulse)?
  private let state = Mutex(State())

  /// The first `threads` threads live as long as the process. With a clock, the pool grows to `most`.
  /// - Parameter pulse: of a pool with one thread.
  package init(
    _ name: String, threads: Int, most: Int = 0, clock: (any Timekeeper)? = nil,
    pulse: (any Pulse)? = nil
  ) throws(SystemError) {
    self.name = name
    self.pulse = pulse
    least = threads
    self.most = clock == nil ? threads : max(threads, most)
    self.clock = clock
    for _ in 0..<threads { try addThread() }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (bell, watches) = state.withLock { state -> (ThreadSignal?, Bool) in
      state.jobs.append(job)
      if let idle = state.idle.popLast() { return (state.threads[idle].bell, false) }
      return (nil, mustWatch(&state))
    }
    bell?.ring()
    if watches { watch() }
  }

  private func addThread() throws(SystemError) {
    let number = state.withLock { state in
      if let free = state.threads.firstIndex(where: \.isOver) {
        state.threads[free] = Thread()
        return free
      }
      state.threads.append(Thread())
      return state.threads.count - 1
    }
    do throws(SystemError) { try OwnThread.start(name) { self.work(number) } } catch {
      state.withLock { $0.threads[number].isOver = true }
      throw error
    }
  }

  // MARK: a thread

  private func work(_ number: Int) {
    let executor = unsafe asUnownedTaskExecutor()
    let bell = state.withLock { $0.threads[number].bell }
    while true {
      let job = state.withLock { state in
        let job = state.take()
        if job == nil { state.idle.append(number) }
        if most > least { state.threads[number].busy = job == nil ? nil : MachineTime().uptime() }
        return job
      }
      if let job {
        pulse?.busy()
        unsafe job.runSynchronously(on: executor)
        continue
      }
      pulse?.idle()
      if number < least {
        bell.wait()
      } else if !bell.wait(atMost: Self.idleTime) {
        if isSpare(number) { return }
        // A job was left to this thread at that moment: its ring follows.
        bell.wait()
      }
    }
  }

  /// True if an added thread may end: no job has been assigned to it.
  private func isSpare(_ number: Int) -> Bool {
    state.withLock { state in
      guard let place = state.idle.firstIndex(of: number) else { return false }
      state.idle.remove(at: place)
      state.threads[number].isOver = true
      return true
    }
  }

  // MARK: growing

  private func mustWatch(_ state: inout State) -> Bool {
    guard most > least, !state.isWatched else { return false }
    state.isWatched = true
    return true
  }

  private func watch() { _ = clock?.after(Self.patience) { self.grow() } }

  /// Adds a thread if a job waits and all threads hang.
  private func grow() {
    let now = MachineTime().uptime()
    let (grows, again) = state.withLock { state -> (Bool, Bool) in
      state.isWatched = false
      guard !state.isEmpty else { return (false, false) }
      let living = state.threads.filter { !$0.isOver }
      let hangs = living.allSatisfy { $0.busy.map { now - $0 >= Self.patience } ?? false }
      return (hangs && living.count < most, mustWatch(&state))
    }
    // If no thread can be made, the next check tries again.
    if grows { try? addThread() }
    if again { watch() }
  }
}
