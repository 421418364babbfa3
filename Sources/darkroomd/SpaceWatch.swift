// SPDX-License-Identifier: Apache-2.0
// Looks after the room on the disks whenever something was downloaded or dropped, and, only while it is
// short and there is work, every few seconds. Nothing is given up for it: downloads wait.
// Concurrency model: `state` guards what is known; `acting` lets one thread at a time act on it, so that
// the last word is the newest.

import Synchronization
import Vocabulary

final class SpaceWatch: Sendable {
  private struct State {
    var floor = SpaceFloor()
    var last: Duration?
    var timer: (any Cancellable)?
    var isStopped = false
  }

  private static let interval = Duration.seconds(5)
  /// Looks that come faster than this are one.
  private static let shortest = Duration.milliseconds(100)

  private let folders: [(name: String, folder: any Folder)]
  private let clock: any Timekeeper
  private let settings: LiveSettings
  private let hasWork: @Sendable () -> Bool
  private let changed: @Sendable (Failure?) -> Void
  private let state = Mutex(State())
  private let acting = Mutex(())

  /// - Parameter changed: called with what is wrong, or nil once all is well again.
  init(
    _ folders: StateFolders, clock: any Timekeeper, settings: LiveSettings,
    hasWork: @escaping @Sendable () -> Bool, changed: @escaping @Sendable (Failure?) -> Void
  ) {
    self.folders = [
      ("the state folder", folders.state), ("the folder of prints", folders.prints),
    ]
    self.clock = clock
    self.settings = settings
    self.hasWork = hasWork
    self.changed = changed
  }

  /// What is wrong now, if anything: for whoever would rather not take in more.
  var shortage: Failure? {
    let setting = settings.current.freeSpace
    return state.withLock { $0.floor.failure(setting: setting) }
  }

  /// The room is another now, or may be.
  func look(isUrgent: Bool = false) {
    let now = clock.uptime()
    let isDue = state.withLock { state in
      if state.isStopped { return false }
      if !isUrgent, let last = state.last, now - last < Self.shortest {
        // Nothing that happens goes unseen.
        if state.timer == nil { state.timer = timer(last + Self.shortest - now) }
        return false
      }
      state.last = now
      return true
    }
    guard isDue else { return }
    let measures = folders.compactMap { name, folder in
      // What cannot be measured is told of by whoever cannot write there.
      if let free = try? folder.freeSpace(), let total = try? folder.totalSpace() {
        SpaceFloor.Measure(name: name, free: free, total: total)
      } else {
        nil as SpaceFloor.Measure?
      }
    }
    acting.withLock { _ in
      let setting = settings.current.freeSpace
      let isNews = state.withLock { $0.floor.take(measures, setting: setting) }
      if isNews { changed(shortage) }
    }
    setTimer()
  }

  private func setTimer() {
    let isWaiting = shortage != nil && hasWork()
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      guard isWaiting, !state.isStopped else { return }
      state.timer = timer(Self.interval)
    }
  }

  private func timer(_ time: Duration) -> any Cancellable {
    clock.after(time) { [weak self] in self?.look(isUrgent: true) }
  }

  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.timer?.cancel()
    }
  }
}
