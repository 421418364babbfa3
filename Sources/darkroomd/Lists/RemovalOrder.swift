// SPDX-License-Identifier: Apache-2.0
// The orders to remove lists, and which of them wait for an earlier one. Values; raise nothing.

import Linux
import Vocabulary

struct RemovalOrder: Sendable {
  let list: ListID
  /// The user who wants it.
  let caller: UInt32
  let reply: Reply<Failure?>
  let isSparing: Bool
  /// The lists of its line that lost files.
  var lost: Set<ListID> = []
}

/// The lists that leave for a removal, and the later orders for such lists.
struct Departures {
  private var lists: Set<ListID> = []
  private var later: [RemovalOrder] = []

  mutating func begin(_ line: [ListID]) { lists.formUnion(line) }

  /// Returns the orders that waited.
  mutating func end(_ line: [ListID]) -> [RemovalOrder] {
    lists.subtract(line)
    defer { later = [] }
    return later
  }

  /// True if the order waits for an earlier one. An earlier list that is withdrawn is in no line.
  mutating func hold(_ order: RemovalOrder, _ line: [ListID], _ index: ListIndex) -> Bool {
    let prints = index[order.list]?.terms.prints
    let isHeld = lists.contains { list in
      line.contains(list) || prints != nil && index.reserved(list)?.terms.prints == prints
    }
    if isHeld { later.append(order) }
    return isHeld
  }

  /// At the stop.
  func refuse() { for order in later { order.reply.give(.cancelled) } }
}
