// SPDX-License-Identifier: Apache-2.0
// The lists that print into one folder, in their order, and the owners that labels name. A user may have many thousands
// in one folder, and a removal asks about each, so that no question looks at all lists. A value; raises nothing.

import Vocabulary

struct FolderPrinters: Sendable {
  private struct Kind: Hashable {
    let owner: UInt32
    let isOfCluster: Bool

    init(_ label: ListLabel) { (owner, isOfCluster) = (label.owner, label.terms.isOfCluster) }
  }

  /// The oldest first.
  private(set) var lists: [ListID] = []
  /// How many lists with labels there are of each kind.
  private var labels: [Kind: Int] = [:]

  /// Does nothing if it is there.
  mutating func insert(_ list: ListID) {
    let place = place(of: list)
    if place == lists.endIndex || lists[place] != list { lists.insert(list, at: place) }
  }

  mutating func remove(_ list: ListID) {
    let place = place(of: list)
    if place < lists.endIndex, lists[place] == list { lists.remove(at: place) }
  }

  mutating func add(_ label: ListLabel) { labels[Kind(label), default: 0] += 1 }

  mutating func drop(_ label: ListLabel) {
    let count = labels[Kind(label), default: 0] - 1
    labels[Kind(label)] = count > 0 ? count : nil
  }

  func hasStranger(to owner: UInt32, ofCluster isOfCluster: Bool) -> Bool {
    labels.keys.contains { $0.owner != owner && $0.isOfCluster == isOfCluster }
  }

  /// Of the first list that is not older.
  private func place(of list: ListID) -> Int {
    var (low, high) = (0, lists.count)
    // Most are the newest.
    if let last = lists.last, last < list { return high }
    while low < high {
      let middle = (low + high) / 2
      if lists[middle] < list { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
