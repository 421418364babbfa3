// SPDX-License-Identifier: Apache-2.0
// Removes the folders of lists that ended long ago: hides each by one rename first, so that no partial list
// ever has its number. Raises SystemError. One thread at a time may use it, and only after the recovery of
// the inbox.

internal import Files
package import Vocabulary

package struct OldLists: Sendable {
  private let lists: any Folder

  /// STATE/lists.
  package init(_ lists: any Folder) { self.lists = lists }

  /// True if the list's folder is gone, even under the name of a list that its owner removes.
  package func isGone(_ list: ListID) throws(SystemError) -> Bool {
    if try lists.has(ListFolder.name(list)) { return false }
    return try !lists.has(ListFolder.removed(list))
  }

  /// Why a list that is over is lost: its folder is gone. Nil while it has one.
  package func loss(of list: ListID) throws(SystemError) -> Failure? {
    try isGone(list) ? Self.gone(list, from: lists) : nil
  }

  static func gone(_ list: ListID, from lists: any Folder) -> Failure {
    Failure(
      .final, code: "list.gone",
      reason: "the folder of list \(list), \(lists.path)/\(ListFolder.name(list)), is missing")
  }

  /// True if the list was returned, or its copy alone waits for a person, and its dropped file has left the inbox: then its
  /// folder can go.
  /// - Parameter isWaived: its owner does not wait for what is lost of it, and gets its pictures back before.
  package func isRemovable(_ list: ListID, isWaived: Bool = false) throws(SystemError) -> Bool {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)) else { return false }
    let marks = try ListMarks(of: folder)
    guard marks.drop == .claimed else { return false }
    if marks.isReturned || isWaived { return true }
    return try folder.has(ListFolder.resulted)
  }

  package func remove(_ list: ListID) throws(SystemError) {
    // A crash may have left it; it would block the rename.
    try lists.removeFlat(ListFolder.old(list))
    do throws(SystemError) {
      try lists.rename(
        ListFolder.name(list), to: lists, as: ListFolder.old(list), replacing: false)
    } catch {
      if !error.isMissing { throw error }
    }
    try lists.sync()
    try lists.removeFlat(ListFolder.old(list))
  }

  /// Finishes interrupted removals.
  package func sweep() throws(SystemError) {
    for name in try lists.names() where ListFolder.isOld(name) { try lists.removeFlat(name) }
  }

  /// Removable lists that the record has forgotten, each with the time of its return in milliseconds since
  /// 1970.
  package func unknown(
    to isKnown: (ListID) -> Bool
  ) throws(SystemError) -> [(list: ListID, since: UInt64)] {
    var found: [(list: ListID, since: UInt64)] = []
    for name in try lists.names() {
      guard let list = ListFolder.number(name), !isKnown(list), try isRemovable(list) else {
        continue
      }
      let folder = try lists.folder(name, creating: false)
      found.append((list, try ListMarks.returnTime(in: folder)))
    }
    return found
  }
}
