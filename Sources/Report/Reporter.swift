// SPDX-License-Identifier: Apache-2.0
// Takes notices from anywhere and tells them to people. Promises: `report` never waits, whatever
// journald does; what had to be left out is counted and said; order is kept.
// Concurrency model: `state` guards the ring and is never held while writing; one thread writes,
// and sleeps on `bell` while the ring is empty. The sink belongs to that thread.

internal import Linux
internal import Synchronization
package import Vocabulary

package final class Reporter: Sendable {
  private struct State {
    var ring: ReportRing
    var isWriting = false
    var awaiting: [WakeEvent] = []
  }

  private let state: Mutex<State>
  private let sink: ReportSink
  private let level: Priority
  private let bell: WakeEvent

  /// Notices that matter less than `level` are not taken.
  package init(
    sink: ReportSink, level: Priority = .info, capacity: Int = 4096
  ) throws(SystemError) {
    state = Mutex(State(ring: ReportRing(capacity: capacity)))
    self.sink = sink
    self.level = level
    bell = try WakeEvent()
  }

  /// Starts the writer. Notices reported earlier wait for it.
  package func start() { OwnThread.start("report") { self.write() } }

  package func report(_ notice: Notice) {
    guard notice.priority <= level else { return }
    let wakes = state.withLock { state in
      defer { state.ring.push(notice) }
      return state.ring.isEmpty && !state.isWriting
    }
    if wakes { bell.ring() }
  }

  /// Waits until everything reported so far is written, but not longer than `limit`.
  @discardableResult
  package func flush(within limit: Duration) -> Bool {
    guard let done = try? WakeEvent() else { return false }
    let isDone = state.withLock { state in
      if state.ring.isEmpty, !state.isWriting { return true }
      state.awaiting.append(done)
      return false
    }
    if isDone { return true }
    let answer = try? Poll.wait([Poll.Watch(done.descriptor)], for: limit)
    return answer?.first?.isReadable ?? false
  }

  private func write() {
    var unsaid: UInt64 = 0
    while true {
      let (notices, leftOut) = state.withLock { state in
        state.isWriting = !state.ring.isEmpty
        return state.ring.takeAll()
      }
      if notices.isEmpty, leftOut == 0 {
        rest()
      } else {
        unsaid = write(notices, missing: unsaid + leftOut)
      }
    }
  }

  /// Answers how many are missing and could not be said to be: with nobody to hear it, the count
  /// waits for the next notice, since trying again would spin.
  private func write(_ notices: [Notice], missing: UInt64) -> UInt64 {
    var missing = missing
    var isHeard = true
    for notice in notices {
      isHeard = sink.write(notice.message)
      if !isHeard { missing += 1 }
    }
    guard missing > 0, isHeard else { return missing }
    return sink.write(Notice.recordsCoalesced(count: missing).message) ? 0 : missing
  }

  private func rest() {
    let awaited = state.withLock { state in
      guard state.ring.isEmpty else { return [WakeEvent]() }
      defer { state.awaiting = [] }
      return state.awaiting
    }
    for event in awaited { event.ring() }
    _ = try? Poll.wait([Poll.Watch(bell.descriptor)], for: nil)
    bell.clear()
  }
}
