// SPDX-License-Identifier: Apache-2.0
// A cache of open lists: keeps the most recently used, up to a limit on the descriptors. Raises the
// failures of `OpenList`.
// Concurrency model: one Mutex around the dictionary; files are read outside it. If two tasks `use` the same
// list at once, the one that is opened first stays.

import Files
import Synchronization
import Vocabulary

final class OpenLists: Sendable {
  private struct State {
    var lists: [ListID: (list: OpenList, used: UInt64)] = [:]
    var uses: UInt64 = 0

    mutating func use(_ id: ListID) -> OpenList? {
      guard let list = lists[id]?.list else { return nil }
      uses += 1
      lists[id]?.used = uses
      return list
    }

    mutating func keep(_ list: OpenList, most: Int) {
      uses += 1
      lists[list.id] = (list, uses)
      guard lists.count > most else { return }
      let oldest = lists.sorted { $0.value.used < $1.value.used }.prefix(max(1, most / 4))
      for (id, _) in oldest { lists[id] = nil }
    }
  }

  let folders: StateFolders
  /// For the dropped pictures of lists.
  let copies: CopyRoom
  private let most: Int
  private let state = Mutex(State())

  /// - Parameter most: the lists that are kept; each holds three descriptors.
  init(_ folders: StateFolders, most: Int, copies: CopyRoom = CopyRoom()) {
    (self.folders, self.copies) = (folders, copies)
    self.most = most
  }

  /// A list at work, reopened if the cache has dropped it. Makes no folders.
  func use(_ id: ListID) throws(Failure) -> OpenList {
    if let list = state.withLock({ $0.use(id) }) { return list }
    let opened = try OpenList(id, in: folders, to: .use)
    return state.withLock { state in
      if let list = state.use(id) { return list }
      state.keep(opened, most: most)
      return opened
    }
  }

  /// Opens a list for work and makes its missing folders.
  func begin(_ id: ListID) throws(Failure) -> OpenList {
    let list = try OpenList(id, in: folders, to: .begin)
    state.withLock { $0.keep(list, most: most) }
    return list
  }

  /// Any list, for reading only; a list opened here is not kept.
  func look(_ id: ListID) throws(Failure) -> OpenList {
    if let list = state.withLock({ $0.use(id) }) { return list }
    return try OpenList(id, in: folders, to: .look)
  }

  /// Nil for a list that is not at work.
  func known(_ id: ListID) -> OpenList? { state.withLock { $0.lists[id]?.list } }

  func close(_ id: ListID) { state.withLock { $0.lists[id] = nil } }
}
