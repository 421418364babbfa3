// SPDX-License-Identifier: Apache-2.0
// Sets aside the folder of prints of a list that ended long ago, and removes it when it has rested. One rename decides
// it, and until the removal another one takes it back; the steps after it are repeated until all are done, even after a
// crash. The list's folder keeps the note. A link, and a folder that is a mount, are not
// touched; a mount inside the folder is not entered, and keeps the removal from its end. Raises SystemError.
// Concurrency: immutable; waits for a disk. One task at a time may use it.
//
//   hide     prints/NAME → prints/.expired-N
//   note     lists/N/expired has the time; also in earlier lists that have their prints there
//   clear    removes prints/.expired-N, after ExpiryGrace.rest

package import Files
package import Vocabulary

package struct PrintsExpiry: Sendable {
  private let lists: any Folder
  private let prints: any Folder

  /// `lists` is STATE/lists.
  package init(lists: any Folder, prints: any Folder) {
    (self.lists, self.prints) = (lists, prints)
  }

  /// The lists whose prints are set aside and not removed yet.
  package func pending() throws(SystemError) -> [ListID] {
    try prints.names().compactMap(ListFolder.expiredNumber).sorted()
  }

  /// Decides that the prints go, and frees the name of their folder, durably. False, and changes nothing, if there is
  /// no such folder, or not one of ours.
  package func hide(
    _ folder: FileName, of list: ListID, _ mark: PrintsMark? = nil
  ) throws(SystemError) -> Bool {
    try HiddenPrints.hide(folder, in: prints, as: ListFolder.expired(list), for: mark)
  }

  /// Notes the time of the expiry, in milliseconds since 1970, or 0 if no prints of ours were there. A list that is
  /// gone needs no note, and a first note stays.
  package func note(_ list: ListID, at time: UInt64) throws(SystemError) {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)),
      try !folder.has(ListFolder.expired)
    else { return }
    try ListMarks.noteExpiry(in: folder, at: time)
  }

  package func clear(_ list: ListID) throws(SystemError) {
    try prints.removeTree(ListFolder.expired(list))
    try prints.sync()
  }
}
