// SPDX-License-Identifier: Apache-2.0
// Looks after the room on the disks whenever something was downloaded or dropped, and, only while it is
// short and there is work, every few seconds. Nothing is given up for it: downloads wait.
// Concurrency model: `state` guards what is known. One thread at a time measures and acts, with the lock
// released; who comes meanwhile leaves a mark and goes, so the last word is the newest and nobody waits.

import Synchronization
import Vocabulary

final class SpaceWatch: Sendable {
  private struct State {
    var floor = SpaceFloor()
    var last: Duration?
    var timer: (any Cancellable)?
    var isStopped = false
    var isLooking = false
    var mustLook = false

    /// False when there is nothing to look at any more; then the next one looks himself.
    mutating func takeMark() -> Bool {
      isLooking = mustLook
      defer { mustLook = false }
      return mustLook
    }
  }

  private static let interval = Duration.seconds(5)
  /// Looks that come faster than this are one.
  private static let shortest = Duration.milliseconds(100)

  private let folders: [(name: String, folder: any Folder)]
  private let clock: any Timekeeper
  private let settings: LiveSettings
  private let hasWork: @Sendable () -> Bool
  private let makeRoom: @Sendable () -> Void
  private let changed: @Sendable (Failure?) -> Void
  private let state = Mutex(State())

  /// - Parameter makeRoom: gives away what nobody needs, before downloads wait.
  /// - Parameter changed: called with what is wrong, or nil once all is well again.
  init(
    _ folders: StateFolders, clock: any Timekeeper, settings: LiveSettings,
    hasWork: @escaping @Sendable () -> Bool, makeRoom: @escaping @Sendable () -> Void,
    changed: @escaping @Sendable (Failure?) -> Void
  ) {
    self.folders = [
      ("the state folder", folders.state), ("the folder of prints", folders.prints),
    ]
    self.clock = clock
    self.settings = settings
    self.hasWork = hasWork
    self.makeRoom = makeRoom
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
      state.mustLook = true
      if state.isLooking { return false }
      state.isLooking = true
      return true
    }
    guard isDue else { return }
    while state.withLock({ $0.takeMark() }) { measureAndTell() }
    setTimer()
  }

  private func measureAndTell() {
    let setting = settings.current.freeSpace
    var measures = measures()
    let wasLow = state.withLock { $0.floor.low != nil }
    if !wasLow, SpaceFloor.isShort(measures, setting: setting) {
      makeRoom()
      measures = self.measures()
    }
    // What cannot be measured is told of by whoever cannot write there, and is no reason to go on.
    guard measures.count == folders.count || !wasLow else { return }
    let taken = measures
    if state.withLock({ $0.floor.take(taken, setting: setting) }) { changed(shortage) }
  }

  private func measures() -> [SpaceFloor.Measure] {
    folders.compactMap { name, folder in
      guard let free = try? folder.freeSpace(), let total = try? folder.totalSpace() else {
        return nil
      }
      return SpaceFloor.Measure(name: name, free: free, total: total)
    }
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
