// SPDX-License-Identifier: Apache-2.0
// Lists of which this node can make no share. Says whether the node where a list was dropped is to be told, and which list
// is looked after next, because a list that is over is shown no longer. A value; raises nothing.

import Cluster

struct LackedFiles: Sendable {
  private var lists: Set<LedgerList> = []
  /// The first one whose home is to be told that its files cannot be had.
  private var untold: Set<LedgerList> = []
  private var last = LedgerList(0)

  /// - Parameter mustTell: its home has the files.
  mutating func failed(_ list: LedgerList, mustTell: Bool) {
    lists.insert(list)
    if mustTell { untold.insert(list) }
  }

  /// A share of it was made, or it is over. False if there was no trouble with it.
  mutating func forget(_ list: LedgerList) -> Bool {
    untold.remove(list)
    return lists.remove(list) != nil
  }

  var toTell: LedgerList? { untold.min() }
  mutating func told(_ list: LedgerList) { untold.remove(list) }

  /// In turns.
  mutating func next() -> LedgerList? {
    guard let next = lists.filter({ $0 > last }).min() ?? lists.min() else { return nil }
    last = next
    return next
  }
}
