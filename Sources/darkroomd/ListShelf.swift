// SPDX-License-Identifier: Apache-2.0
// The rooms of lists with work left, by number, and a card of every list that was asked for.
// Concurrency model: one Mutex around both dictionaries; files are read outside it.

import Accept
import Synchronization
import Vocabulary

/// What is told of a list without opening it.
struct ListCard: Sendable {
  let name: String
  let owner: UInt32
  let terms: FrozenSettings
}

final class ListShelf: Sendable {
  private struct State {
    var rooms: [ListID: ListRoom] = [:]
    var cards: [ListID: ListCard] = [:]
  }

  private let state = Mutex(State())
  let folders: StateFolders

  init(_ folders: StateFolders) { self.folders = folders }

  /// The list's room, opened where it was not yet.
  func room(_ list: ListID) throws(Failure) -> ListRoom {
    if let room = state.withLock({ $0.rooms[list] }) { return room }
    let room = try ListRoom(list, in: folders)
    return state.withLock { state in
      if let other = state.rooms[list] { return other }
      state.rooms[list] = room
      return room
    }
  }

  /// The same, without keeping it: for a look at a list that is over.
  func look(_ list: ListID) throws(Failure) -> ListRoom {
    if let room = state.withLock({ $0.rooms[list] }) { return room }
    return try ListRoom(list, in: folders, isOver: true)
  }

  func close(_ list: ListID) { state.withLock { $0.rooms[list] = nil } }

  /// Whether a list with work left prints into this folder.
  func usesFolder(_ name: FileName) -> Bool {
    state.withLock { $0.rooms.values.contains { $0.terms.prints == name } }
  }

  /// Nil where the list's folder is gone or damaged. What is written there never changes.
  func card(_ list: ListID) -> ListCard? {
    if let card = state.withLock({ $0.cards[list] }) { return card }
    guard let folder = try? folders.lists.folder(ListFolder.name(list), creating: false),
      let about = try? AboutFile.read(from: folder),
      let terms = try? FrozenSettings(text: about.terms.settings)
    else { return nil }
    let card = ListCard(name: ListRoom.name(of: about.name), owner: about.owner, terms: terms)
    state.withLock { $0.cards[list] = card }
    return card
  }

  /// Cards of lists that the record has forgotten go, too.
  func keepCards(of lists: Set<ListID>) {
    state.withLock { state in state.cards = state.cards.filter { lists.contains($0.key) } }
  }
}
