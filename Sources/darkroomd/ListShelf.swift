// SPDX-License-Identifier: Apache-2.0
// The rooms of lists with work left, by number, and a card of every list that was asked for.
// Concurrency model: `state` guards the dictionaries; files are read outside it. Two who open the same
// room at once both read the files, and the first to come back is kept.

import Accept
import Synchronization
import Vocabulary

/// What is told of a list without opening it.
struct ListCard: Sendable {
  let name: String
  let owner: UInt32
  let sha256: String
  /// The dropped file's name without its ending, as it is.
  let stem: [UInt8]
  let terms: FrozenSettings
}

final class ListShelf: Sendable {
  private struct ListName: Hashable {
    let stem: [UInt8]
    let owner: UInt32
  }

  private struct State {
    var rooms: [ListID: (room: ListRoom, used: UInt64)] = [:]
    var uses: UInt64 = 0
    var cards: [ListID: ListCard] = [:]
    /// The lists of each name and owner, as far as their cards are known.
    var names: [ListName: Set<ListID>] = [:]
    /// Who prints, or last printed, into a folder.
    var printers: [FileName: ListID] = [:]

    mutating func forget(_ list: ListID) {
      guard let card = cards.removeValue(forKey: list) else { return }
      let name = ListName(stem: card.stem, owner: card.owner)
      names[name]?.remove(list)
      if names[name]?.isEmpty == true { names[name] = nil }
    }

    mutating func use(_ list: ListID) -> ListRoom? {
      guard let room = rooms[list]?.room else { return nil }
      uses += 1
      rooms[list]?.used = uses
      return room
    }
  }

  /// A room holds three descriptors; the ones used longest ago are closed and opened again when needed.
  private static let roomsKept = 256

  private let state = Mutex(State())
  let folders: StateFolders

  init(_ folders: StateFolders) { self.folders = folders }

  /// The list's room, opened where it was not yet.
  func room(_ list: ListID) throws(Failure) -> ListRoom {
    if let room = state.withLock({ $0.use(list) }) { return room }
    let opened = try ListRoom(list, in: folders)
    return state.withLock { state in
      if let room = state.use(list) { return room }
      state.uses += 1
      state.rooms[list] = (opened, state.uses)
      Self.closeOldest(&state)
      return opened
    }
  }

  /// The same, without keeping it: for a look at a list that is over.
  func look(_ list: ListID) throws(Failure) -> ListRoom {
    if let room = state.withLock({ $0.use(list) }) { return room }
    return try ListRoom(list, in: folders, isOver: true)
  }

  func close(_ list: ListID) { state.withLock { $0.rooms[list] = nil } }

  /// The list's folder is gone. Whose its prints are stays known until the next start.
  func forget(_ list: ListID) {
    state.withLock { state in
      state.rooms[list] = nil
      state.forget(list)
    }
  }

  private static func closeOldest(_ state: inout State) {
    guard state.rooms.count > roomsKept else { return }
    let oldest = state.rooms.sorted { $0.value.used < $1.value.used }.prefix(roomsKept / 4)
    for (list, _) in oldest { state.rooms[list] = nil }
  }

  /// The list that prints, or last printed, into a folder.
  func printer(into folder: FileName) -> ListID? { state.withLock { $0.printers[folder] } }

  /// Notes where a list prints; of two, the newer counts.
  func notePrinter(_ list: ListID, into folder: FileName) {
    state.withLock { $0.printers[folder] = max($0.printers[folder] ?? list, list) }
  }

  /// Nil where the list's folder is gone or damaged. What is written there never changes.
  func card(_ list: ListID) -> ListCard? {
    if let card = state.withLock({ $0.cards[list] }) { return card }
    guard let folder = try? folders.lists.folder(ListFolder.name(list), creating: false),
      let about = try? AboutFile.read(from: folder),
      let terms = try? FrozenSettings(text: about.terms.settings)
    else { return nil }
    let card = ListCard(
      name: ListRoom.name(of: about.name), owner: about.owner, sha256: about.sha256,
      stem: ListRoom.stem(of: about.name), terms: terms)
    state.withLock { state in
      state.cards[list] = card
      state.names[ListName(stem: card.stem, owner: card.owner), default: []].insert(list)
    }
    return card
  }

  /// Those that were asked for before, which at the start all are.
  func lists(called stem: [UInt8], of owner: UInt32) -> Set<ListID> {
    state.withLock { $0.names[ListName(stem: stem, owner: owner)] ?? [] }
  }

  /// Cards of lists that the record has forgotten go, too.
  func keepCards(of lists: Set<ListID>) {
    state.withLock { state in
      for list in state.cards.keys where !lists.contains(list) { state.forget(list) }
    }
  }
}
