// SPDX-License-Identifier: Apache-2.0
// Judges the transitions of a group, each on top of the legal ones before it. The ledger itself does not
// change: it shows durable transitions only. A value; `forget` keeps its memory for the next group.

package import Vocabulary

package struct GroupJudge: Sendable {
  /// A list as the group will leave it.
  private struct Prospect {
    let id: ListID
    /// Nil if there is no such list.
    var rules: ListRules?
    /// How many photos the list has; 0 for a final list.
    var photos: UInt32 = 0
    /// The states in the ledger; empty when all photos are new.
    var states: [UInt8] = []
  }

  private var lists: [Prospect] = []
  /// The states that the group has changed.
  private var photos: [PhotoID: PhotoState] = [:]

  package init() {}

  /// True if the change is within the rules. A legal change counts for those that follow.
  package mutating func isLegal(_ change: Change, _ ledger: borrowing Ledger) -> Bool {
    let place = prospect(change.list, ledger)
    switch change {
    case .accepted(let list, let acceptance):
      guard Ledger.mayAccept(list, acceptance), lists[place].rules == nil else { return false }
      lists[place].rules = ListRules(.accepted, unfinished: acceptance.photos)
      lists[place].photos = acceptance.photos
      return true
    case .rejected(let list, _): return list.number > 0 && lists[place].rules == nil
    case .removed:
      guard lists[place].rules?.standing.state.isFinal == true else { return false }
      lists[place].rules = nil
      return true
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

  /// Call before the ledger changes: arrays still shared with it would be copied.
  package mutating func forget() {
    lists.removeAll(keepingCapacity: true)
    photos.removeAll(keepingCapacity: true)
  }

  private mutating func prospect(_ id: ListID, _ ledger: borrowing Ledger) -> Int {
    // Consecutive changes mostly belong to one list, and a group has few lists.
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
