// SPDX-License-Identifier: Apache-2.0
// Orders to remove lists wait for earlier orders, and their lists go in turns. Values; raise nothing.

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

/// The lines of lists whose removal has begun. One list goes after the other, in turns between the users who ordered them:
/// a list that was dropped a thousand times is a long line.
struct RemovalLines {
  struct Line {
    let order: RemovalOrder
    /// The lists that left for it.
    let departed: [ListID]
    /// The last one goes first.
    fileprivate var lists: [ListID]

    init(order: RemovalOrder, departed: [ListID], _ lists: [ListID]) {
      (self.order, self.departed) = (order, departed)
      self.lists = lists.reversed()
    }

    var hasNext: Bool { !lists.isEmpty }
    mutating func takeNext() -> ListID? { lists.popLast() }
  }

  private var lines: [UInt32: [Line]] = [:]
  private var turns: [UInt32] = []

  /// Of the lists that have not gone.
  var count: Int { lines.values.joined().reduce(0) { $0 + $1.lists.count } }
  var lists: Set<ListID> { Set(lines.values.joined().flatMap(\.lists)) }

  mutating func add(_ line: Line) {
    enter(line, at: lines[line.order.caller]?.count ?? 0)
  }

  private mutating func enter(_ line: Line, at place: Int) {
    let user = line.order.caller
    if lines[user] == nil { turns.append(user) }
    lines[user, default: []].insert(line, at: place)
  }

  /// Takes out the first line of the user whose turn it is.
  mutating func next() -> Line? {
    guard let user = turns.first, var own = lines.removeValue(forKey: user) else { return nil }
    turns.removeFirst()
    let line = own.removeFirst()
    if !own.isEmpty {
      lines[user] = own
      turns.append(user)
    }
    return line
  }

  /// It stays the first one of its user.
  mutating func putBack(_ line: Line) { enter(line, at: 0) }

  /// At the stop.
  func refuse(_ failure: Failure) {
    for line in lines.values.joined() { line.order.reply.give(failure) }
  }
}

/// All removals. Leftovers are those that a crash or trouble has interrupted, and that no order waits for; they are tried
/// in rounds, one after the other.
struct RemovalWork {
  /// Each with the user who wanted it, if that is known.
  typealias Begun = [ListID: UInt32?]

  var departures = Departures()
  var begun: Begun = [:]
  /// Of the begun ones those whose orders wait for their end.
  var lines = RemovalLines()
  /// The leftovers that this round has tried, and the last trouble of one.
  var tried: Set<ListID> = []
  var trouble: Failure?

  var hasLeftovers: Bool { begun.count > lines.count }

  /// The leftovers that this round has not tried.
  var left: [ListID] {
    let waiting = lines.lists
    return begun.keys.filter { !waiting.contains($0) && !tried.contains($0) }
  }
}
