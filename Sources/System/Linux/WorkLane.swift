// SPDX-License-Identifier: Apache-2.0
// A thread of our own that does jobs one after the other: for what may wait for a disk, so that no
// thread of a shared pool does. Starts with the first job; without jobs it waits for ever.
// Concurrency model: `state` guards the jobs; they run on the lane's thread, lock released.

import Synchronization
package import Vocabulary

package final class WorkLane: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isStarted = false
    var isStopped = false
  }

  private let name: String
  private let wake: WakeEvent
  private let state = Mutex(State())

  /// A name has at most 15 bytes.
  package init(_ name: String) throws(SystemError) {
    self.name = name
    wake = try WakeEvent()
  }

  package func run(_ job: @escaping @Sendable () -> Void) {
    let starts = state.withLock { state in
      state.jobs.append(job)
      defer { state.isStarted = true }
      return !state.isStarted
    }
    wake.ring()
    if starts { OwnThread.start(name) { self.work() } }
  }

  /// Does the jobs it has, then ends its thread.
  package func stop() {
    state.withLock { $0.isStopped = true }
    wake.ring()
  }

  private func work() {
    while true {
      wake.clear()
      let (jobs, isStopped) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.isStopped)
      }
      for job in jobs { job() }
      if jobs.isEmpty {
        if isStopped { return }
        _ = try? Poll.wait([Poll.Watch(wake.descriptor)], for: nil)
      }
    }
  }
}
