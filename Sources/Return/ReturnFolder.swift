// SPDX-License-Identifier: Apache-2.0
// Returns a list to the folders `done` and `failed`: a fresh copy under the dropped name and the results
// beside it. The files appear whole, with mode 0640, are never the dropper's inode and never replace another
// file. Then marks the list's folder as returned. Raises `list.gone`, `cancelled`, `machine`, and the
// failures of ListOutcome that are not `final`.
// Concurrency: immutable. Any thread may use it, but only one at a time for a list.

internal import Files
package import Vocabulary

package struct ReturnFolder: Sendable {
  private let done: any Folder
  private let failed: any Folder
  private let lists: any Folder

  /// `lists` is STATE/lists.
  package init(done: any Folder, failed: any Folder, lists: any Folder) {
    self.done = done
    self.failed = failed
    self.lists = lists
  }

  /// Makes the files of a list that has ended, durable on return, and marks the list; does nothing for a
  /// marked list. Takes long for a long list. Raises `final` if the list's folder or file is gone. Without a
  /// name, because `about` is damaged, the list's number makes one. Returns the failure if there will never
  /// be results.
  package func giveBack(
    _ list: ListID, named name: FileName?, telling outcome: OutcomeSource? = nil
  ) throws(Failure) -> Failure? {
    do throws(Failure) { return try attempt(list, name, outcome) } catch {
      // A disk that is full stays full while they lie there.
      removeDrafts(of: list)
      throw error
    }
  }

  /// Marks a list whose files cannot be returned, ever, as returned.
  package func giveUp(_ list: ListID) throws(SystemError) {
    if let folder = try lists.folder(ifThere: ListFolder.name(list)) {
      try ListMarks.noteReturn(in: folder)
    }
  }

  private func removeDrafts(of list: ListID) {
    try? done.removeIfThere(ReturnPart.copy.temporary(list))
    try? results(of: list).removeDrafts()
  }

  private func results(of list: ListID) -> ListResults {
    ListResults(of: list, done: done, failed: failed)
  }

  private func attempt(
    _ list: ListID, _ name: FileName?, _ outcome: OutcomeSource?
  ) throws(Failure) -> Failure? {
    let begun = try asMachine { () throws(SystemError) in try begin(list) }
    guard let (folder, copy) = begun else {
      throw Failure(
        .final, code: "list.gone", reason: "the list's folder is missing from the state folder")
    }
    guard let copy else { return nil }
    var files = [copy]
    let trouble = try results(of: list).write(outcome, into: &files)
    let own = name ?? FileName(made: "list-\(list).plist")
    try asMachine { () throws(SystemError) in
      try files.appear(under: FreshName.choices(own, list))
      try ListMarks.noteReturn(in: folder)
    }
    return trouble
  }

  /// False for a list that was returned, or whose folder is gone: its return reported that.
  package func isPending(_ list: ListID) throws(SystemError) -> Bool {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)) else { return false }
    return try !ListMarks(of: folder).isReturned
  }

  /// Removes unfinished files that a crash left. Call before any return begins.
  package func sweep() throws(SystemError) {
    try FreshName.sweep(done)
    try FreshName.sweep(failed)
  }

  /// The list's folder, and a copy of the list unless it was returned already. Nil if there is nothing to
  /// copy.
  private func begin(
    _ list: ListID
  ) throws(SystemError) -> (folder: any Folder, copy: FreshFile?)? {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)) else { return nil }
    if try ListMarks(of: folder).isReturned { return (folder, nil) }
    guard try folder.has(ListFolder.list) else { return nil }
    let source = try folder.open(ListFolder.list, .read)
    let copy = try FreshFile(
      copying: source, upTo: try source.status().size, as: ReturnPart.copy.temporary(list),
      in: done)
    return (folder, copy)
  }
}
