// SPDX-License-Identifier: Apache-2.0
// Counts the prints and lists that KeepPrints= and KeepLists= are about to remove, in words for the administrator at a
// reload. A value; reads the record and the index.

import Record
import Return
import Vocabulary

struct ExpiryForecast {
  let recorder: Recorder
  let index: ListIndex
  /// Prints of a store do not rest.
  let hasStore: Bool
  let now: UInt64

  private struct Sum {
    var lists = 0
    var owners: Set<UInt32> = []
    var prints: UInt64 = 0

    mutating func add(_ entry: ListEntry, of owner: UInt32) {
      lists += 1
      owners.insert(owner)
      prints += UInt64(entry.counts.filtered)
    }
  }

  /// None if nothing is older than these settings allow by then.
  func words(_ settings: Settings.Record, in wait: Duration) -> [String] {
    let keepLists = Retention(settings.keepLists)
    let keepPrints = settings.keepPrints.map { Retention($0) }
    let then = now + UInt64(clamping: wait.milliseconds)
    var (prints, lists) = (Sum(), Sum())
    let ended = recorder.ledger { $0.lists.values.filter { $0.state.isFinal } }
    for entry in ended {
      guard let label = index[entry.id], label.terms.share == nil else { continue }
      let holds = keepPrints != nil && index.holdsPrints(entry.id)
      let isOld = keepPrints?.isOver(since: entry.endedTime, now: then) ?? false
      if holds, isOld { prints.add(entry, of: label.owner) }
      if keepLists.isOver(since: entry.endedTime, now: then), !holds || isOld {
        lists.add(entry, of: label.owner)
      }
    }
    let time = wait.spoken
    var words: [String] = []
    if prints.prints > 0 {
      let what = Self.counted(prints.prints, "print") + Self.whose(prints)
      words.append(
        hasStore
          ? "KeepPrints= removes \(what) in \(time)"
          : "KeepPrints= sets \(what) aside in \(time), and removes them a day later")
    }
    if lists.lists > 0 {
      words.append(
        "KeepLists= removes the records of \(Self.counted(UInt64(lists.lists), "list")) of "
          + "\(Self.counted(UInt64(lists.owners.count), "user")) in \(time)")
    }
    return words
  }

  private static func whose(_ sum: Sum) -> String {
    " of \(counted(UInt64(sum.owners.count), "user")) in \(counted(UInt64(sum.lists), "list"))"
  }

  private static func counted(_ count: UInt64, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
