// SPDX-License-Identifier: Apache-2.0
// Removes the folders of lists that are long over: out of sight by one rename first, so that no half
// of a list is ever found under its number. Can raise what the kernel says. Any one thread may use it,
// once the inbox has made sense of what a crash left.

package import Vocabulary

package struct OldLists: Sendable {
  private let lists: any Folder

  /// STATE/lists.
  package init(_ lists: any Folder) { self.lists = lists }

  /// Whether nothing of the list is there any more.
  package func isGone(_ list: ListID) throws(SystemError) -> Bool {
    try !lists.has(ListFolder.name(list))
  }

  /// The list is over and its copy is made: nothing is lost with its folder.
  package func isArchived(_ list: ListID) throws(SystemError) -> Bool {
    do throws(SystemError) {
      return try ListFolder.state(of: lists.folder(ListFolder.name(list), creating: false))
        == .archived
    } catch {
      if error.isMissing { return false }
      throw error
    }
  }

  package func remove(_ list: ListID) throws(SystemError) {
    do throws(SystemError) {
      try lists.rename(
        ListFolder.name(list), to: lists, as: ListFolder.old(list), replacing: false)
    } catch {
      if !error.isMissing, !error.exists { throw error }
      if error.exists {
        // Left by a crash; now there is room for this one.
        try lists.removeFlat(ListFolder.old(list))
        try lists.rename(
          ListFolder.name(list), to: lists, as: ListFolder.old(list), replacing: false)
      }
    }
    try lists.sync()
    try lists.removeFlat(ListFolder.old(list))
  }

  /// Finishes what a crash interrupted.
  package func sweep() throws(SystemError) {
    for name in try lists.names() where name.bytes.starts(with: ".old-".utf8) {
      try lists.removeFlat(name)
    }
  }

  /// Archived lists that the record does not know any more, and since when they are archived, in
  /// milliseconds since 1970.
  package func unknown(
    to isKnown: (ListID) -> Bool
  ) throws(SystemError) -> [(list: ListID, since: UInt64)] {
    var found: [(list: ListID, since: UInt64)] = []
    for name in try lists.names() {
      guard let list = ListFolder.number(name), !isKnown(list), try isArchived(list) else {
        continue
      }
      let folder = try lists.folder(name, creating: false)
      let time = try folder.status(of: ListFolder.state).modified
      found.append((list, UInt64(max(0, time / 1_000_000))))
    }
    return found
  }
}
