// SPDX-License-Identifier: Apache-2.0
// How far one transfer is, for whoever looks: the loop's thread counts, anybody reads.
// Concurrency model: one Mutex, held for a few additions.

import Synchronization
import Vocabulary

final class TransferGauge: Sendable {
  private struct State {
    var server: String
    var received: UInt64 = 0
    var total: UInt64?
    var marks = RateMarks()
  }

  private let state: Mutex<State>

  init(server: String) { state = Mutex(State(server: server)) }

  /// What is there already was not received now: it counts for the progress, not for the rate.
  func begin(server: String, at received: UInt64, of total: UInt64?, now: ContinuousClock.Instant) {
    state.withLock { state in
      state = State(server: server, received: received, total: total)
      state.marks.note(received, now: now)
    }
  }

  func add(_ count: Int, now: ContinuousClock.Instant) {
    state.withLock { state in
      state.received += UInt64(count)
      state.marks.note(state.received, now: now)
    }
  }

  func reading(_ ticket: TransferTicket, now: ContinuousClock.Instant) -> TransferProgress {
    state.withLock { state in
      TransferProgress(
        ticket: ticket, server: state.server, received: state.received, total: state.total,
        rate: state.marks.rate(state.received, now: now))
    }
  }
}

/// Where the count stood during the last seconds. A value.
struct RateMarks {
  private static let apart = Duration.seconds(1)
  private static let kept = 6

  private var marks: [(time: ContinuousClock.Instant, count: UInt64)] = []

  /// Cheap where the last mark is young.
  mutating func note(_ count: UInt64, now: ContinuousClock.Instant) {
    if let last = marks.last, last.time.duration(to: now) < Self.apart { return }
    if marks.count == Self.kept { marks.removeFirst() }
    marks.append((now, count))
  }

  /// Bytes a second since the oldest mark that is still young; what stalls comes down to nothing.
  func rate(_ count: UInt64, now: ContinuousClock.Instant) -> UInt64 {
    let oldest = Self.apart * Self.kept
    let young = marks.first { $0.time.duration(to: now) <= oldest }
    guard let mark = young ?? marks.last else { return 0 }
    let milliseconds = mark.time.duration(to: now) / .milliseconds(1)
    guard milliseconds >= 1, count >= mark.count else { return 0 }
    return UInt64(Double(count - mark.count) * 1000 / milliseconds)
  }
}
