// SPDX-License-Identifier: Apache-2.0
// Counts the prints and lists that KeepPrints= and KeepLists= are about to remove, and the prints that rest, in words
// for people: counts, no names. A value; reads the record and the index.

import Record
import Return
import Vocabulary

struct ExpiryForecast {
  /// One sentence without its full stop.
  struct Clause: Equatable, Sendable {
    let words: String
    /// The records of a list go unnoticed, its prints do not.
    let costsPrints: Bool
  }

  let recorder: Recorder
  let index: ListIndex
  /// Prints of a store do not rest.
  let hasStore: Bool
  /// The lists whose prints were set aside, with the time since which they rest.
  let resting: [ListID: UInt64]
  let rest: Retention
  /// Of lists whose recorded ends cannot be: the times from which they count.
  let ends: [ListID: UInt64]
  let now: UInt64
  /// Nothing is removed before this is over.
  let wait: Duration

  private struct Sum {
    var lists = 0
    var owners: Set<UInt32> = []
    var prints: UInt64 = 0
    /// When the first and the last of them go.
    var (first, last) = (UInt64.max, UInt64(0))

    mutating func add(_ entry: ListEntry, of owner: UInt32, at time: UInt64) {
      lists += 1
      owners.insert(owner)
      prints += UInt64(entry.counts.filtered)
      (first, last) = (min(first, time), max(last, time))
    }
  }

  /// None if nothing is due within this time.
  func clauses(_ settings: Settings.Record, within reach: Duration) -> [Clause] {
    let keepLists = Retention(settings.keepLists)
    let keepPrints = settings.keepPrints.map { Retention($0) }
    let end = now + UInt64(clamping: reach.milliseconds)
    var (prints, lists) = (Sum(), Sum())
    let ended = recorder.ledger { $0.lists.values.filter { $0.state.isFinal } }
    for entry in ended {
      let gone = keepPrints.flatMap { due($0, entry) }
      let forgotten = due(keepLists, entry) ?? .max
      guard min(gone ?? .max, forgotten) <= end, let label = index[entry.id],
        label.terms.share == nil
      else { continue }
      var cleared = resting[entry.id].map(rest.end) ?? 0
      if keepPrints != nil, index.holdsPrints(entry.id) {
        guard let gone else { continue }
        cleared = gone
        if entry.counts.filtered > 0 {
          if gone <= end { prints.add(entry, of: label.owner, at: gone) }
          // A list stays as long as its prints rest.
          if !hasStore { cleared = rest.end(since: gone) }
        }
      }
      let time = max(forgotten, cleared)
      if time <= end { lists.add(entry, of: label.owner, at: time) }
    }
    return words(prints, lists)
  }

  /// When it goes; nil if it is old and still there, because it waits for something else.
  private func due(_ keep: Retention, _ entry: ListEntry) -> UInt64? {
    let end = keep.end(since: ends[entry.id] ?? entry.endedTime)
    if end <= now, wait == .zero { return nil }
    return max(end, now + UInt64(clamping: wait.milliseconds))
  }

  // MARK: words

  private func words(_ prints: Sum, _ lists: Sum) -> [Clause] {
    var clauses: [Clause] = []
    if prints.lists > 0 {
      let what =
        "\(Self.counted(prints.prints, "print")) of \(Self.counted(prints.owners.count, "user")) in "
        + Self.counted(prints.lists, "list")
      clauses.append(
        Clause(
          words: hasStore
            ? "KeepPrints= removes \(what) \(time(prints))"
            : "KeepPrints= sets \(what) aside \(time(prints)), and removes them a day later",
          costsPrints: true))
    }
    if lists.lists > 0 {
      clauses.append(
        Clause(
          words: "KeepLists= removes the records of \(Self.counted(lists.lists, "list")) of "
            + "\(Self.counted(lists.owners.count, "user")) \(time(lists))", costsPrints: false))
    }
    return clauses
  }

  /// The prints that rest; nil if none do.
  var restingWords: String? {
    guard let first = resting.values.min().map(rest.end) else { return nil }
    let owners = Set(resting.keys.compactMap { index[$0]?.owner })
    return "KeepPrints= has set the prints of \(Self.counted(resting.count, "list")) of "
      + "\(Self.counted(owners.count, "user")) aside as .expired-NUMBER, and removes "
      + "\(resting.count == 1 ? "them" : "the first of them") in \(spoken(until: first)) unless they are taken back"
  }

  private func time(_ sum: Sum) -> String {
    let first = "in \(spoken(until: sum.first))"
    return sum.first == sum.last
      ? first : "within \(spoken(until: sum.last)), the first \(first)"
  }

  private func spoken(until time: UInt64) -> String {
    let left = Duration.milliseconds(Int64(clamping: time - min(time, now)))
    let hours = left.components.seconds / 3600
    return hours < 2 ? left.spoken : "\(hours) h"
  }

  private static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension ExpiryForecast {
  /// The clock has to be right for this time before an age is believed.
  static func unbelieved(_ wait: Duration) -> Failure {
    Failure(
      .machine, code: "clock.unbelieved",
      reason:
        "the age of a list is not believed, because darkroomd was started or the clock was set less than an "
        + "hour ago",
      advice: "Try again in \(wait.spoken), or name the lists")
  }
}
