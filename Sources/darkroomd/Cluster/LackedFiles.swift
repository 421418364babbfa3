// SPDX-License-Identifier: Apache-2.0
// Lists whose shares this node cannot make. Says which list's home must be told, which list to check next, because a
// list that is over must no longer be shown, and which lists other nodes finish. A value; raises nothing.

import Cluster
import Vocabulary

struct LackedFiles: Sendable {
  /// When a share of the list could last not be made.
  private var lists: [LedgerList: Duration] = [:]
  /// The first one whose home is to be told that its files cannot be had.
  private var untold: Set<LedgerList> = []
  private var last = LedgerList(0)

  /// - Parameter mustTell: its home has the files.
  mutating func failed(_ list: LedgerList, mustTell: Bool, at now: Duration) {
    lists[list] = now
    if mustTell { untold.insert(list) }
  }

  /// A share of it was made, or it is over. False if there was no trouble with it.
  mutating func forget(_ list: LedgerList) -> Bool {
    untold.remove(list)
    return lists.removeValue(forKey: list) != nil
  }

  /// The ledger has no share for this node, which refused only the lists in `full`. Forgets and returns the lists
  /// that nothing waits for here: a share that other nodes had left would have been leased again by now.
  mutating func nothingLeft(
    besides full: [LedgerList], after patience: Duration, at now: Duration
  ) -> [LedgerList] {
    let over = lists.filter { now - $0.value >= patience && !full.contains($0.key) }.keys.sorted()
    for list in over { _ = forget(list) }
    return over
  }

  var toTell: LedgerList? { untold.min() }
  mutating func told(_ list: LedgerList) { untold.remove(list) }

  /// In turns.
  mutating func next() -> LedgerList? {
    guard let next = lists.keys.filter({ $0 > last }).min() ?? lists.keys.min() else { return nil }
    last = next
    return next
  }
}
