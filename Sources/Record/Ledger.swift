// SPDX-License-Identifier: Apache-2.0
// The state in memory: every list by its number. One function changes it, for recovery and for live
// work alike. A transition against the rules changes nothing, is counted, and never stops anything.

package import Vocabulary

package struct Ledger: Equatable, Sendable {
  /// So many photos a list may have, whatever the configuration says: one byte of memory each.
  package static let maximumPhotos: UInt32 = 50_000_000
  /// So many archived lists are remembered, and a tenth more before the lowest numbers are forgotten.
  /// Their folders keep the results.
  package static let finalListsKept = 10_000

  package private(set) var lists: [ListID: ListEntry] = [:]
  /// The number of the next list. A number is never used twice, for a rejected list neither.
  package private(set) var nextList = ListID(1)
  /// Transitions that were against the rules.
  package private(set) var refused: UInt64 = 0
  /// Final lists whose files are where they stay. A list that is forgotten before would be taken for a
  /// new one at the next start.
  private var archivedLists: Set<ListID> = []
  /// Lists with work left, and how many photos that is.
  package private(set) var open = OpenTotal()

  package init() {}

  package init(nextList: ListID, refused: UInt64, entries: [ListEntry]) {
    for entry in entries { lists[entry.id] = entry }
    for entry in lists.values { open.add(entry, 1) }
    self.nextList = nextList
    self.refused = refused
  }

  package subscript(_ list: ListID) -> ListEntry? { lists[list] }

  /// Lists with work left, in the order of their numbers.
  package var openLists: [ListEntry] {
    lists.values.filter { !$0.state.isFinal }.sorted { $0.id < $1.id }
  }

  package func state(of photo: PhotoID) -> PhotoState? {
    lists[photo.list]?.state(of: photo.number)
  }

  /// No list gets this number or a lower one from now on: a folder of that name exists.
  package mutating func reserve(upTo list: ListID) {
    guard list >= nextList, list.number < .max else { return }
    nextList = ListID(list.number + 1)
  }

  /// Counts what was against the rules and has not been written.
  package mutating func refuse(_ count: Int) { refused += UInt64(count) }

  @discardableResult
  package mutating func apply(_ transition: Transition) -> Bool {
    let isLegal = step(transition)
    if !isLegal, refused < .max { refused += 1 }
    return isLegal
  }

  /// Whether there may be such a list, where its number is not taken.
  static func mayAccept(_ list: ListID, _ acceptance: Acceptance) -> Bool {
    list.number > 0 && acceptance.photos <= maximumPhotos
  }

  private mutating func step(_ transition: Transition) -> Bool {
    switch transition.change {
    case .accepted(let list, let acceptance):
      guard lists[list] == nil, Self.mayAccept(list, acceptance) else { return false }
      let entry = ListEntry(id: list, acceptance, time: transition.time)
      open.add(entry, 1)
      lists[list] = entry
      reserve(upTo: list)
      return true
    case .rejected(let list, _):
      guard list.number > 0, lists[list] == nil else { return false }
      reserve(upTo: list)
      return true
    default:
      // By its place: an entry is large, and is changed where it lies.
      guard let place = lists.index(forKey: transition.change.list) else { return false }
      return Self.step(transition, &lists.values[place], &open)
    }
  }

  private static func step(
    _ transition: Transition, _ entry: inout ListEntry, _ open: inout OpenTotal
  ) -> Bool {
    open.add(entry, -1)
    defer { open.add(entry, 1) }
    return entry.apply(transition.change, time: transition.time)
  }

  /// What is not final is never forgotten. The number is not used again all the same. No transition.
  package mutating func forget(_ list: ListID) {
    guard lists[list]?.state.isFinal == true else { return }
    lists[list] = nil
    archivedLists.remove(list)
  }

  /// The list may be forgotten once it is old. What is not final is never forgotten. No transition: a
  /// ledger that was read back has to be told again.
  package mutating func archived(_ list: ListID) {
    guard lists[list]?.state.isFinal == true, archivedLists.insert(list).inserted,
      archivedLists.count > Self.finalListsKept + Self.finalListsKept / 10
    else { return }
    for old in archivedLists.sorted().prefix(archivedLists.count - Self.finalListsKept) {
      lists[old] = nil
      archivedLists.remove(old)
    }
  }
}

/// Kept along, so that asking costs nothing however many lists there are.
package struct OpenTotal: Equatable, Sendable {
  package private(set) var lists = 0
  package private(set) var photos = 0

  fileprivate mutating func add(_ entry: borrowing ListEntry, _ sign: Int) {
    guard !entry.state.isFinal else { return }
    lists += sign
    photos += sign * Int(entry.counts.unfinished)
  }
}

extension Change {
  var photo: PhotoID? {
    switch self {
    case .accepted, .rejected, .paused, .resumed, .cancelled, .finished: nil
    case .downloaded(let photo, _), .filtered(let photo, _), .failed(let photo, _, _, _),
      .retry(let photo, _, _, _, _, _), .lost(let photo), .died(let photo):
      photo
    }
  }
}
