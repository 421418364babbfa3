// SPDX-License-Identifier: Apache-2.0
// When the files of entries are compared with the files on the shelf: once when this node continues the list after a
// restart, and again whenever a node reports that it cannot have them. Comparing the bytes takes as long as reading
// the list twice, so it has pauses. A value; raises nothing.

import Vocabulary

struct EntryChecks: Sendable {
  struct Check: Equatable, Sendable {
    let list: ListID
    /// Of the bytes, not only of the names and sizes.
    let isReading: Bool
  }

  private struct Entry {
    /// Nil if no check is wanted.
    var due: Duration?
    var isReading = false
    /// When the bytes were last compared.
    var read: Duration?
    /// Trouble is shown.
    var isTroubled = false
    /// After a check that failed.
    var again = Backoff(.seconds(30), to: .seconds(300))

    mutating func postpone(at now: Duration) {
      let next = now + again.take()
      due = due.map { min($0, next) } ?? next
    }
  }

  /// Between two comparisons of the bytes of a list.
  private static let pause = Duration.seconds(300)

  private var entries: [ListID: Entry] = [:]

  /// The list was submitted in an earlier run.
  mutating func began(_ list: ListID, at now: Duration) {
    if entries[list] == nil { entries[list] = Entry(due: now) }
  }

  /// A node cannot have the files of the list.
  mutating func asked(_ list: ListID, at now: Duration) {
    var entry = entries[list] ?? Entry()
    entry.isReading = true
    let due = entry.read.map { max(now, $0 + Self.pause) } ?? now
    entry.due = min(entry.due ?? due, due)
    entries[list] = entry
  }

  mutating func forget(_ list: ListID) { entries[list] = nil }

  /// The check that is due.
  mutating func next(at now: Duration) -> Check? {
    let due = entries.compactMap { list, entry in entry.due.map { (due: $0, list: list) } }
    // The one that has waited for the longest time.
    guard let (time, list) = due.min(by: { ($0.due, $0.list) < ($1.due, $1.list) }), time <= now,
      let entry = entries[list]
    else { return nil }
    entries[list]?.due = nil
    if entry.isReading { entries[list]?.read = now }
    return Check(list: list, isReading: entry.isReading)
  }

  var nextTime: Duration? { entries.values.compactMap(\.due).min() }

  /// Files are missing or differ. Returns whether that is to be shown: not beside trouble that is shown already.
  mutating func found(_ list: ListID) -> Bool {
    guard let entry = entries[list], !entry.isTroubled else { return false }
    entries[list]?.isTroubled = true
    return true
  }

  /// The ledger does not answer: nothing is known.
  mutating func undecided(_ check: Check, at now: Duration) {
    guard var entry = entries[check.list] else { return }
    entry.postpone(at: now)
    entries[check.list] = entry
  }

  /// Returns whether the outcome is to be shown: trouble that a node has met, and the end of trouble that is shown.
  mutating func ended(_ check: Check, isWell: Bool, at now: Duration) -> Bool {
    guard var entry = entries[check.list] else { return false }
    if isWell {
      // Another node may have asked meanwhile.
      if entry.due == nil { entry.isReading = false }
      entry.again.reset()
    } else {
      entry.postpone(at: now)
    }
    let isShown = entry.isTroubled || (!isWell && check.isReading)
    entry.isTroubled = !isWell && isShown
    entries[check.list] = entry
    return isShown
  }
}
