// SPDX-License-Identifier: Apache-2.0
// The state in memory: every list by its number. One function changes it, for recovery and for live
// work alike. A transition against the rules changes nothing, is counted, and never stops anything.

package import Vocabulary

package struct Ledger: Equatable, Sendable {
  /// So many photos a list may have, whatever the configuration says: one byte of memory each.
  package static let maximumPhotos: UInt32 = 50_000_000
  /// So many lists that are finished or cancelled are remembered, and a tenth more before the lowest
  /// numbers are forgotten. Their folders keep the results.
  package static let finalListsKept = 10_000

  package private(set) var lists: [ListID: ListEntry] = [:]
  /// The number of the next list. A number is never used twice, for a rejected list neither.
  package private(set) var nextList = ListID(1)
  /// Transitions that were against the rules.
  package private(set) var refused: UInt64 = 0
  private var finalLists = 0

  package init() {}

  package init(nextList: ListID, refused: UInt64, entries: [ListEntry]) {
    for entry in entries { lists[entry.id] = entry }
    self.nextList = nextList
    self.refused = refused
    finalLists = entries.count { $0.state.isFinal }
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

  @discardableResult
  package mutating func apply(_ transition: Transition) -> Bool {
    let isLegal = step(transition)
    if !isLegal, refused < .max { refused += 1 }
    return isLegal
  }

  private mutating func step(_ transition: Transition) -> Bool {
    let id = transition.change.list
    guard id.number > 0 else { return false }
    switch transition.change {
    case .accepted(_, let acceptance):
      guard lists[id] == nil, acceptance.photos <= Self.maximumPhotos else { return false }
      lists[id] = ListEntry(id: id, acceptance, time: transition.time)
      reserve(upTo: id)
      return true
    case .rejected:
      guard lists[id] == nil else { return false }
      reserve(upTo: id)
      return true
    case .finished, .cancelled:
      guard lists[id]?.apply(transition.change, time: transition.time) == true else { return false }
      finalLists += 1
      forgetOldest()
      return true
    default:
      return lists[id]?.apply(transition.change, time: transition.time) ?? false
    }
  }

  private mutating func forgetOldest() {
    guard finalLists > Self.finalListsKept + Self.finalListsKept / 10 else { return }
    let final = lists.values.filter { $0.state.isFinal }.map(\.id).sorted()
    for id in final.prefix(finalLists - Self.finalListsKept) { lists[id] = nil }
    finalLists = Self.finalListsKept
  }
}
