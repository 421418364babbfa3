// SPDX-License-Identifier: Apache-2.0
// A thread on which users take turns: each user has a lane of jobs, and the thread takes one job of each lane in turn. A
// user with many calls delays the calls of another user by one job alone.
// Concurrency model: `state` guards lanes and jobs; jobs run with it released. A lane is never removed, because jobs
// may refer to the lane, and because few users may connect. Raises `SystemError` if the thread cannot be made.

internal import Synchronization
package import Vocabulary

package final class CallThread: Sendable {
  /// The jobs of one user, in their order.
  private final class Lane: TaskExecutor {
    let user: UInt32
    let thread: CallThread

    init(_ user: UInt32, _ thread: CallThread) { (self.user, self.thread) = (user, thread) }

    func enqueue(_ job: consuming ExecutorJob) { thread.add(UnownedJob(job), of: user) }
  }

  private struct State {
    var lanes: [UInt32: Lane] = [:]
    var jobs: [UInt32: [UnownedJob]] = [:]
    /// The users with jobs, the next one first.
    var turns: [UInt32] = []
    /// The thread sleeps, or is about to.
    var isIdle = false

    mutating func take() -> (UnownedJob, Lane)? {
      guard let user = turns.first, let lane = lanes[user], let job = jobs[user]?.first else {
        isIdle = true
        return nil
      }
      turns.removeFirst()
      jobs[user]?.removeFirst()
      if jobs[user]?.isEmpty == false { turns.append(user) } else { jobs[user] = nil }
      return (job, lane)
    }
  }

  private let bell = ThreadSignal()
  private let pulse: (any Pulse)?
  private let state = Mutex(State())

  /// The thread lives as long as the process.
  package init(_ name: String, pulse: (any Pulse)? = nil) throws(SystemError) {
    self.pulse = pulse
    try OwnThread.start(name) { self.work() }
  }

  package func lane(of user: UInt32) -> any TaskExecutor {
    state.withLock { state in
      if let lane = state.lanes[user] { return lane }
      let lane = Lane(user, self)
      state.lanes[user] = lane
      return lane
    }
  }

  private func add(_ job: UnownedJob, of user: UInt32) {
    let wakes = state.withLock { state in
      if state.jobs[user] == nil { state.turns.append(user) }
      state.jobs[user, default: []].append(job)
      defer { state.isIdle = false }
      return state.isIdle
    }
    if wakes { bell.ring() }
  }

  private func work() {
    while true {
      guard let (job, lane) = state.withLock({ $0.take() }) else {
        pulse?.idle()
        bell.wait()
        continue
      }
      pulse?.busy()
      unsafe job.runSynchronously(on: lane.asUnownedTaskExecutor())
    }
  }
}
