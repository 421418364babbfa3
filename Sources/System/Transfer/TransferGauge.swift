// SPDX-License-Identifier: Apache-2.0
// The progress of one transfer, for display. A value.

import Vocabulary

struct TransferGauge {
  private var url: PhotoURL
  private var received: UInt64 = 0
  private var total: UInt64?
  private var marks = RateMarks()
  private var isResumable = false
  /// It has a connection.
  var isRunning = false

  init(_ url: PhotoURL) { self.url = url }

  /// Bytes that the sink already had count for the progress, not for the rate.
  init(_ url: PhotoURL, at received: UInt64, of entity: EntityFacts, now: ContinuousClock.Instant) {
    (self.url, self.received, self.total) = (url, received, entity.total)
    (isRunning, isResumable) = (true, entity.strongValidator != nil)
    marks.note(received, now: now)
  }

  mutating func add(_ count: Int, now: ContinuousClock.Instant) {
    received += UInt64(count)
    marks.note(received, now: now)
  }

  func reading(_ ticket: TransferTicket, now: ContinuousClock.Instant) -> TransferProgress {
    TransferProgress(
      ticket: ticket, server: url.serverName, received: received, total: total,
      rate: marks.rate(received, now: now), isRunning: isRunning, isResumable: isResumable)
  }
}

/// The count of bytes at moments of the last seconds. A value.
struct RateMarks {
  private static let apart = Duration.seconds(1)
  private static let kept = 6

  private typealias Mark = (time: ContinuousClock.Instant, count: UInt64)

  private var oldest: Mark?
  /// Empty for most transfers, which are over within a second.
  private var later: [Mark] = []

  /// Cheap if the last mark is recent.
  mutating func note(_ count: UInt64, now: ContinuousClock.Instant) {
    guard let first = oldest else {
      oldest = (now, count)
      return
    }
    if (later.last ?? first).time.duration(to: now) < Self.apart { return }
    if later.count == Self.kept - 1 { oldest = later.removeFirst() }
    later.append((now, count))
  }

  /// Bytes per second since the oldest recent mark; falls towards zero while a transfer stalls.
  func rate(_ count: UInt64, now: ContinuousClock.Instant) -> UInt64 {
    guard let oldest else { return 0 }
    let isYoung: (Mark) -> Bool = { $0.time.duration(to: now) <= Self.apart * Self.kept }
    let mark = isYoung(oldest) ? oldest : later.first(where: isYoung) ?? later.last ?? oldest
    let milliseconds = mark.time.duration(to: now) / .milliseconds(1)
    guard milliseconds >= 1, count >= mark.count else { return 0 }
    return UInt64(Double(count - mark.count) * 1000 / milliseconds)
  }
}
