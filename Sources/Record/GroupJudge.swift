// SPDX-License-Identifier: Apache-2.0
// Judges the transitions of a group, each after those before it that hold, while the ledger stays as it
// is: nothing may show there before it is durable. A plain value; what one group needed is kept for
// the next.

package import Vocabulary

package struct GroupJudge: Sendable {
  /// A list as it will be.
  private struct Prospect {
    let id: ListID
    /// Nil where there is no such list.
    var rules: ListRules?
    /// How many photos it has whose state is known.
    var photos: UInt32 = 0
    /// Those that the ledger has; empty where all are new.
    var states: [UInt8] = []
  }

  private var lists: [Prospect] = []
  /// Only those that the group has changed.
  private var photos: [PhotoID: PhotoState] = [:]

  package init() {}

  /// Whether the change would be within the rules.
  package mutating func isLegal(_ change: Change, _ ledger: borrowing Ledger) -> Bool {
    let place = prospect(change.list, ledger)
    switch change {
    case .accepted(let list, let acceptance):
      guard Ledger.mayAccept(list, acceptance), lists[place].rules == nil else { return false }
      lists[place].rules = ListRules(.accepted, unfinished: acceptance.photos)
      lists[place].photos = acceptance.photos
      return true
    case .rejected(let list, _): return list.number > 0 && lists[place].rules == nil
    default:
      guard let id = change.photo else {
        var none: PhotoState?
        return lists[place].rules?.take(change, &none) ?? false
      }
      let before = state(of: id, lists[place])
      var after = before
      guard lists[place].rules?.take(change, &after) == true else { return false }
      if after != before { photos[id] = after }
      return true
    }
  }

  /// Before the ledger changes: it would copy what is still looked at here.
  package mutating func forget() {
    lists.removeAll(keepingCapacity: true)
    photos.removeAll(keepingCapacity: true)
  }

  private mutating func prospect(_ id: ListID, _ ledger: borrowing Ledger) -> Int {
    // Neighbours are mostly of one list, and a group speaks of few.
    if let known = lists.lastIndex(where: { $0.id == id }) { return known }
    var prospect = Prospect(id: id)
    if let entry = ledger[id] {
      prospect.rules = entry.rules
      prospect.states = entry.states
      prospect.photos = UInt32(entry.states.count)
    }
    lists.append(prospect)
    return lists.count - 1
  }

  private func state(of photo: PhotoID, _ list: borrowing Prospect) -> PhotoState? {
    guard photo.number >= 1, photo.number <= list.photos else { return nil }
    if let changed = photos[photo] { return changed }
    if list.states.isEmpty { return .new }
    return PhotoState(rawValue: list.states[Int(photo.number) - 1])
  }
}
