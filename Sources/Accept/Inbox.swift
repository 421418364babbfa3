// SPDX-License-Identifier: Apache-2.0
// The inbox as the daemon sees it: start it, wake it, ask for a whole sweep, hand it the lists that are
// over, stop it. A folder that is not there, or not what it was, is the reception's to tell, and waited for.
// Concurrency model: files of lists that are over are made on the lane's thread, which touches nothing
// but them and what it reads. `shared` guards what other threads ask for. Everything else (state machine, claims,
// descriptors) belongs to `InboxLoop`, which lives on the thread "inbox" alone. That thread waits for
// slow calls through `bridge`, and for news in one poll without a time-out.

internal import Linux
internal import Synchronization
package import Vocabulary

package final class Inbox: Sendable {
  struct Job {
    let list: ListID
    let done: CheckedContinuation<Result<Void, Failure>, Never>
  }

  private struct Shared {
    var phase: Phase = .new
    var sweeps: [CheckedContinuation<SweepReport, Never>] = []
    var isAsked = false
    var jobs: [Job] = []
    var ends: [CheckedContinuation<Void, Never>] = []
  }

  private enum Phase { case new, running, stopping, over }

  let path: String
  let state: any Folder
  let lists: any Folder
  let archive: Archive
  let quarantine: Quarantine
  let reception: any Reception
  let clock: any Timekeeper
  let settings: InboxSettings
  let bridge: ThreadBridge
  /// Rung by whoever wants a whole sweep, or something else of the thread.
  let bell: WakeEvent
  /// Rung by the clock.
  let alarm: WakeEvent
  /// Makes the files of lists that are over.
  private let lane: WorkLane
  private let shared = Mutex(Shared())

  package init(
    path: String, state: any Folder, lists: any Folder, archive: Archive, quarantine: Quarantine,
    reception: any Reception, clock: any Timekeeper, settings: InboxSettings
  ) throws(SystemError) {
    self.path = path
    self.state = state
    self.lists = lists
    self.archive = archive
    self.quarantine = quarantine
    self.reception = reception
    self.clock = clock
    self.settings = settings
    bridge = try ThreadBridge()
    bell = try WakeEvent()
    alarm = try WakeEvent()
    lane = try WorkLane("archive")
    FileLease.ignoreBreaks()
    // Rubbish only, and found by its name again. Before anything is under way there.
    try? archive.sweep()
  }

  deinit { lane.stop() }

  package func start() {
    let starts = shared.withLock { shared in
      defer { if shared.phase == .new { shared.phase = .running } }
      return shared.phase == .new
    }
    if starts { OwnThread.start("inbox") { InboxLoop(self).run() } }
  }

  /// Somebody says that what the path leads to now is the inbox: it gets its mark, unless another file
  /// system lies there than before.
  package func adopt() {
    shared.withLock { $0.isAsked = true }
    bell.ring()
  }

  /// Returns when one full sweep that began after this call is over, with all it led to.
  package func sweepNow() async -> SweepReport {
    await withCheckedContinuation { waiter in
      let isOver = shared.withLock { shared in
        if shared.phase == .over { return true }
        shared.sweeps.append(waiter)
        return false
      }
      if isOver { waiter.resume(returning: .stopped) } else { bell.ring() }
    }
  }

  /// Makes the files of a list that is over, on a thread beside the inbox's, which then marks the list:
  /// a long one keeps no file in the inbox waiting. Repeating does no harm. Answers why there are no
  /// results among the files, where there will never be any.
  @discardableResult
  package func archive(
    _ list: ListID, telling outcome: OutcomeSource? = nil
  ) async throws(Failure) -> Failure? {
    let copy = await withCheckedContinuation { done in
      lane.run {
        let bridge = self.bridge
        do throws(Failure) {
          if bridge.isCancelled { throw .cancelled }
          let trouble = try self.archive.copy(
            list, in: self.lists, telling: outcome, unless: { bridge.isCancelled })
          done.resume(returning: Result<Failure?, Failure>.success(trouble))
        } catch { done.resume(returning: .failure(error)) }
      }
    }
    let trouble = try copy.get()
    let result = await withCheckedContinuation { done in
      let isOver = shared.withLock { shared in
        if shared.phase == .over { return true }
        shared.jobs.append(Job(list: list, done: done))
        return false
      }
      if isOver { done.resume(returning: .failure(.cancelled)) } else { bell.ring() }
    }
    try result.get()
    return trouble
  }

  /// Cancels what runs, begins nothing more, and returns when the thread has ended. What was begun is
  /// finished by the next start.
  package func stop() async {
    bridge.cancel()
    await withCheckedContinuation { waiter in
      let isOver = shared.withLock { shared in
        switch shared.phase {
        case .new, .over:
          return true
        case .running, .stopping:
          shared.phase = .stopping
          shared.ends.append(waiter)
          return false
        }
      }
      if isOver { waiter.resume() } else { bell.ring() }
    }
    // Where it never ran, somebody may wait for it all the same.
    end()
  }
}

extension Inbox {
  var isStopping: Bool { shared.withLock { $0.phase == .stopping } }

  func takeAsk() -> Bool {
    shared.withLock { shared in
      defer { shared.isAsked = false }
      return shared.isAsked
    }
  }

  func takeSweeps() -> [CheckedContinuation<SweepReport, Never>] {
    shared.withLock { shared in
      defer { shared.sweeps = [] }
      return shared.sweeps
    }
  }

  func takeJobs() -> [Job] {
    shared.withLock { shared in
      defer { shared.jobs = [] }
      return shared.jobs
    }
  }

  /// The thread's last act.
  func end() {
    let left = shared.withLock { shared in
      defer {
        shared = Shared()
        shared.phase = .over
      }
      return shared
    }
    for waiter in left.sweeps { waiter.resume(returning: .stopped) }
    for job in left.jobs { job.done.resume(returning: .failure(.cancelled)) }
    for waiter in left.ends { waiter.resume() }
  }
}
