// SPDX-License-Identifier: Apache-2.0
// The recorder's work since it was opened: recorded changes by kind, bytes, groups, and the times that the disk took.
// The only home of the numbers, which never fall. A value.

package import Vocabulary

package struct RecorderCounts: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case accepted, rejected, finished, cancelled
    case downloaded, filtered, lost
  }

  package private(set) var records: UInt64 = 0
  /// Writes to the journal file.
  package private(set) var groups: UInt64 = 0
  private var changes = [UInt64](repeating: 0, count: Kind.allCases.count)
  private var failed: [Stage: UInt64] = [:]
  private var retried: [Stage: UInt64] = [:]
  package private(set) var downloadedBytes: UInt64 = 0
  package private(set) var printedBytes: UInt64 = 0
  /// Groups of files made durable.
  package private(set) var effects = DurationCounts()
  /// Groups of records written and synced.
  package private(set) var writes = DurationCounts()

  package subscript(_ kind: Kind) -> UInt64 { changes[Self.place(kind)] }
  package func failed(in stage: Stage) -> UInt64 { failed[stage] ?? 0 }
  package func retried(in stage: Stage) -> UInt64 { retried[stage] ?? 0 }

  private static func place(_ kind: Kind) -> Int { Kind.allCases.firstIndex(of: kind) ?? 0 }

  mutating func add(effects time: Duration) { effects.add(time) }

  /// One written group.
  mutating func add(_ transitions: [Transition], in time: Duration) {
    guard !transitions.isEmpty else { return }
    records += UInt64(transitions.count)
    groups += 1
    writes.add(time)
    for transition in transitions { add(transition.change) }
  }

  private mutating func add(_ change: Change) {
    switch change {
    case .accepted: add(.accepted)
    case .rejected: add(.rejected)
    case .finished: add(.finished)
    case .cancelled: add(.cancelled)
    case .downloaded(_, let contents):
      add(.downloaded)
      downloadedBytes &+= contents.size
    case .filtered(_, let contents):
      add(.filtered)
      printedBytes &+= contents.size
    case .lost: add(.lost)
    case .failed(_, let stage, _, _): failed[stage, default: 0] += 1
    case .retry(_, let stage, _, _, _, _): retried[stage, default: 0] += 1
    case .paused, .resumed, .quality, .died, .removed: break
    }
  }

  private mutating func add(_ kind: Kind) { changes[Self.place(kind)] += 1 }
}

/// How often something took how long.
package struct DurationCounts: Equatable, Sendable {
  /// The upper bounds of the buckets, in milliseconds; the last bucket has none.
  package static let bounds: [Int64] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000,
  ]

  /// In each bucket alone.
  package private(set) var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
  package private(set) var sum = Duration.zero

  package var count: UInt64 { buckets.reduce(0, +) }

  package init() {}

  mutating func add(_ time: Duration) {
    let time = max(.zero, time)
    let place = Self.bounds.firstIndex { time <= .milliseconds($0) } ?? Self.bounds.count
    buckets[place] += 1
    sum += time
  }
}
