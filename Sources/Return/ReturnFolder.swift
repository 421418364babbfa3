// SPDX-License-Identifier: Apache-2.0
// Returns a list to the folders `done` and `failed`: a fresh copy under the dropped name and the results beside it. The
// files appear whole, are for the owner of the list alone, are never the dropper's inode and never replace another
// file. Then marks the list's folder as returned. While the list is missing from its folder, the copy alone waits for
// it. Raises `list.gone`, `cancelled`, `machine`, and the failures of ListOutcome that are not `final`.
// The syncs of lists that end together share groups. Concurrency: immutable. Any thread may use it, but only one task
// at a time for a list.

internal import Files
package import Vocabulary

package struct ReturnFolder: Sendable {
  private let done: any Folder
  private let failed: any Folder
  private let lists: any Folder
  private let groups: any SyncGroups

  /// `lists` is STATE/lists.
  package init(
    done: any Folder, failed: any Folder, lists: any Folder, groups: any SyncGroups
  ) {
    self.done = done
    self.failed = failed
    self.lists = lists
    self.groups = groups
  }

  /// The folders that the paths lead to now: a return has many calls.
  private func standing() throws(SystemError) -> ReturnFolder {
    ReturnFolder(
      done: try done.standing(), failed: try failed.standing(), lists: lists, groups: groups)
  }

  /// Makes the files of a list that has ended, durable on return, and marks the list; does nothing for a
  /// marked list. Takes long for a long list. Raises `final` if the list's folder is gone. Without a
  /// name or owner, because `about` is damaged, the list's number makes a name, and root alone can read. Calls
  /// `leave` when the files have their names, before the mark: after a crash in between it is called again,
  /// with the same names. Returns the failure if there will never be results.
  package func giveBack(
    _ list: ListID, named name: FileName?, to owner: UInt32? = nil,
    telling outcome: OutcomeSource? = nil,
    leaving leave: (ReturnedNames) throws(SystemError) -> Void = { _ in }
  ) async throws(Failure) -> Failure? {
    do throws(Failure) {
      let begun = try asMachine { () throws(SystemError) in try begin(list) }
      guard let (folder, isReturned) = begun else {
        throw Failure(
          .final, code: "list.gone", reason: "the list's folder is missing from the state folder")
      }
      if isReturned { return nil }
      let here = try asMachine { () throws(SystemError) in try standing() }
      let (own, readers) = (name ?? Self.name(of: list), FileReaders(owner: owner))
      let source = try asMachine { () throws(SystemError) in
        try folder.open(ifThere: ListFolder.list)
      }
      guard let source else {
        try await here.giveResults(list, named: own, from: folder, readers, outcome, leave)
        throw Failure(
          .machine, scope: .one, code: ListFolder.missing,
          reason: "\(ListFolder.list) is missing from the list's folder, \(folder.path)",
          advice: "Put the file back; an empty file ends the wait with an empty copy")
      }
      return try await here.attempt(list, named: own, from: folder, source, readers, outcome, leave)
    } catch {
      // A disk that is full stays full while they lie there.
      removeDrafts(of: list)
      throw error
    }
  }

  /// Marks a list whose files cannot be returned, ever, as returned.
  package func giveUp(_ list: ListID, to owner: UInt32? = nil) throws(SystemError) {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)) else { return }
    if let pictures = try? pictures(of: list, in: folder, FileReaders(owner: owner), nil) {
      try pictures.giveBack(to: done, failed, named: Self.name(of: list))
    }
    try ListMarks.noteReturn(in: folder)
  }

  /// For a list whose own name is lost.
  private static func name(of list: ListID) -> FileName { FileName(made: "list-\(list).plist") }

  /// The names are lost: each picture comes back under its number.
  private func namelessPictures(
    of list: ListID, in folder: any Folder, _ readers: FileReaders
  ) throws(Failure) -> PictureReturn {
    let names = try asMachine { () throws(SystemError) in try folder.names() }
    let highest = names.compactMap(ListFolder.pictureNumber).max() ?? 0
    var rows: [RollRow] = []
    while rows.count < min(Int(highest), 1 << 20) {
      let name = ListFolder.picture(UInt32(rows.count + 1))
      let sum = FileCopy.Sum(size: 0, sha256: "")
      rows.append(RollRow(path: [name], inode: 0, modified: 0, sum: sum))
    }
    let roll = RollFile(rows: rows, base: 0)
    return PictureReturn(list: list, folder: folder, roll: roll, readers: readers) { _ in false }
  }

  private func removeDrafts(of list: ListID) {
    for target in [done, failed] { try? PictureReturn.removeDrafts(of: list, in: target) }
    try? done.removeIfThere(ReturnPart.copy.temporary(list))
    try? results(of: list, .user(0)).removeDrafts()
  }

  private func results(of list: ListID, _ readers: FileReaders) -> ListResults {
    ListResults(of: list, done: done, failed: failed, for: readers)
  }

  /// The results alone, once: their names count when the copy follows.
  private func giveResults(
    _ list: ListID, named own: FileName, from folder: any Folder, _ readers: FileReaders,
    _ outcome: OutcomeSource?, _ leave: (ReturnedNames) throws(SystemError) -> Void
  ) async throws(Failure) {
    var files: [FreshFile] = []
    let isDone = try asMachine { () throws(SystemError) in try folder.has(ListFolder.resulted) }
    guard !isDone, try results(of: list, readers).write(outcome, into: &files) == nil,
      !files.isEmpty
    else { return }
    let first = try await files.appear(under: FreshName.choices(own, list), groups)
    try asMachine { () throws(SystemError) in
      try leave(ReturnedNames(first, hasResults: true, hasRetry: files.count > 1))
      try folder.write(whole: [], as: ListFolder.resulted)
    }
  }

  /// `source` is the list, in its folder.
  private func attempt(
    _ list: ListID, named own: FileName, from folder: any Folder, _ source: any OpenFile,
    _ readers: FileReaders, _ outcome: OutcomeSource?,
    _ leave: (ReturnedNames) throws(SystemError) -> Void
  ) async throws(Failure) -> Failure? {
    let copy = try asMachine { () throws(SystemError) in
      try FreshFile(
        copying: source, upTo: source.status().size, as: ReturnPart.copy.temporary(list),
        in: done, for: readers)
    }
    var files = [copy]
    let trouble = try results(of: list, readers).write(outcome, into: &files)
    let pictures = try pictures(of: list, in: folder, readers, trouble == nil ? outcome : nil)
    try asMachine { () throws(SystemError) in
      try pictures?.giveBack(to: done, failed, named: own)
    }
    let first = try await files.appear(under: FreshName.choices(own, list), groups)
    let mark = try asMachine { () throws(SystemError) in
      // The copy, then the results, then a retry list if there is one.
      if try !folder.has(ListFolder.resulted) {
        try leave(ReturnedNames(first, hasResults: files.count > 1, hasRetry: files.count > 2))
      }
      let receipt = ReturnReceipt(files, beside: first)
      return try ListMarks.writeReturn(in: folder, Array(receipt.text.utf8))
    }
    try await groups.sync(mark)
    try asMachine { () throws(SystemError) in try pictures?.clear() }
    return trouble
  }

  /// Nil if the list was not made of pictures. Without an outcome all pictures count as failed.
  private func pictures(
    of list: ListID, in folder: any Folder, _ readers: FileReaders, _ source: OutcomeSource?
  ) throws(Failure) -> PictureReturn? {
    let roll: RollFile?
    do throws(Failure) { roll = try RollFile.read(from: folder) } catch {
      guard error.kind == .final else { throw error }
      return try namelessPictures(of: list, in: folder, readers)
    }
    guard let roll else { return nil }
    var prints: Set<UInt32> = []
    if let outcome = try source?() {
      for number in 1...max(1, outcome.total) where number <= outcome.total {
        if case .filtered = try outcome.photo(number).ending { prints.insert(number) }
      }
    }
    return PictureReturn(list: list, folder: folder, roll: roll, readers: readers) { [prints] in
      prints.contains($0)
    }
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

  /// The list's folder, if it is there, and whether the list was returned already.
  private func begin(
    _ list: ListID
  ) throws(SystemError) -> (folder: any Folder, isReturned: Bool)? {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)) else { return nil }
    return (folder, try ListMarks(of: folder).isReturned)
  }
}
