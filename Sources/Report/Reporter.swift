// SPDX-License-Identifier: Apache-2.0
// Queues notices from any thread and writes them to the sink in order. Promises: `report` never waits for
// journald; dropped notices are counted, and the count is reported.
// Concurrency model: `state` guards the ring and is never held while writing. One thread owns the sink,
// writes, and sleeps on `bell` while the ring is empty.

internal import Linux
internal import Synchronization
package import Vocabulary

package final class Reporter: Sendable {
  private struct State {
    var ring: ReportRing
    var isWriting = false
    var awaiting: [WakeEvent] = []
    var counts = ReporterCounts()
  }

  private let state: Mutex<State>
  private let sink: ReportSink
  private let level: Priority
  private let bell: WakeEvent
  private let users: @Sendable (UInt32) -> String?

  /// Ignores notices less urgent than `level`. `users` returns the name of a user, if it has one, and may wait.
  package init(
    sink: ReportSink, level: Priority = .info, capacity: Int = 4096,
    users: @escaping @Sendable (UInt32) -> String? = { _ in nil }
  ) throws(SystemError) {
    self.users = users
    state = Mutex(State(ring: ReportRing(capacity: capacity)))
    self.sink = sink
    self.level = level
    bell = try WakeEvent()
  }

  /// Starts the writer. Earlier notices are queued until then.
  package func start() throws(SystemError) { try OwnThread.start("report") { self.write() } }

  package func report(_ notice: Notice) {
    guard notice.priority <= level else { return }
    let wakes = state.withLock { state in
      defer {
        state.ring.push(notice)
        state.counts.add(notice)
      }
      return state.ring.isEmpty && !state.isWriting
    }
    if wakes { bell.ring() }
  }

  package var counts: ReporterCounts { state.withLock { $0.counts } }

  /// Waits until everything reported before the call is written, at most `limit`. Returns false on time-out.
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
    var unsaid = LostMessages()
    var names = PersonNames(users)
    while true {
      let (notices, leftOut) = state.withLock { state in
        state.isWriting = !state.ring.isEmpty
        state.counts.leftOut += state.ring.leftOut
        return state.ring.takeAll()
      }
      if notices.isEmpty, leftOut == 0 {
        rest()
      } else {
        unsaid.late += leftOut
        unsaid = write(notices, missing: unsaid, &names)
      }
    }
  }

  /// Returns the dropped notices not yet reported. When the sink does not take the count, the count
  /// waits for the next notice: retrying at once would spin.
  private func write(
    _ notices: [Notice], missing: LostMessages, _ names: inout PersonNames
  ) -> LostMessages {
    var missing = missing
    var isHeard = true
    for notice in notices {
      isHeard = sink.write(notice.message(&names))
      if !isHeard {
        missing.refused += 1
        state.withLock { $0.counts.leftOut += 1 }
      }
    }
    guard missing.count > 0, isHeard else { return missing }
    return sink.write(Notice.recordsCoalesced(missing).message) ? LostMessages() : missing
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

/// The notices since the start; never falls.
package struct ReporterCounts: Equatable, Sendable {
  private var kinds: [Notice.Counter: UInt64] = [:]
  private var priorities: [Priority: UInt64] = [:]
  /// Notices for which the ring had no room, or that the sink did not take.
  package internal(set) var leftOut: UInt64 = 0

  package subscript(_ kind: Notice.Counter) -> UInt64 { kinds[kind] ?? 0 }
  package subscript(_ priority: Priority) -> UInt64 { priorities[priority] ?? 0 }

  mutating func add(_ notice: Notice) {
    priorities[notice.priority, default: 0] += 1
    if let counter = notice.counter { kinds[counter, default: 0] += 1 }
  }
}
