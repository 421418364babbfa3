// SPDX-License-Identifier: Apache-2.0
// The rooms of lists with work left, by number. Concurrency model: one Mutex around the dictionary;
// rooms are opened outside it.

import Synchronization
import Vocabulary

final class ListShelf: Sendable {
  private let rooms = Mutex<[ListID: ListRoom]>([:])
  let folders: StateFolders

  init(_ folders: StateFolders) { self.folders = folders }

  /// The list's room, opened where it was not yet.
  func room(_ list: ListID) throws(Failure) -> ListRoom {
    if let room = rooms.withLock({ $0[list] }) { return room }
    let room = try ListRoom(list, in: folders)
    return rooms.withLock { rooms in
      if let other = rooms[list] { return other }
      rooms[list] = room
      return room
    }
  }

  /// The same, without keeping it: for a look at a list that is over.
  func look(_ list: ListID) throws(Failure) -> ListRoom {
    if let room = rooms.withLock({ $0[list] }) { return room }
    return try ListRoom(list, in: folders, isOver: true)
  }

  func close(_ list: ListID) { rooms.withLock { $0[list] = nil } }

  /// Who has prints in this folder now.
  func usesFolder(_ name: FileName) -> Bool {
    rooms.withLock { $0.values.contains { $0.terms.prints == name } }
  }
}
