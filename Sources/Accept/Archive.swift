// SPDX-License-Identifier: Apache-2.0
// The folders `done` and `failed`: fresh copies under the dropped name and what is written beside them,
// whole or not there at all, mode 0640, never the dropper's own inode, never over another file. Repeating
// after a crash finds what is there already by its contents. Can raise what the kernel says.

internal import Linux
package import Vocabulary

package struct Archive: Sendable {
  static let mode: UInt32 = 0o640

  package let done: any Folder
  package let failed: any Folder

  package init(done: any Folder, failed: any Folder) {
    self.done = done
    self.failed = failed
  }

  /// The files of a list that is over, in `done` and where photos failed in `failed`; does nothing where
  /// that is done. Takes long for a long list, and touches nothing of the inbox's: any one thread may do
  /// it. `final` where the list's folder is gone and there is nothing to copy. Answers why the results
  /// are not among the files, where they never will be.
  package func copy(
    _ list: ListID, in lists: any Folder, telling outcome: OutcomeSource? = nil,
    unless isCancelled: () -> Bool = { false }
  ) throws(Failure) -> Failure? {
    var parts: [ArchivePart] = []
    let folder = try kernel { () throws(SystemError) -> (any Folder)? in
      guard let folder = try existing(list, in: lists) else { return nil }
      if try ListFolder.state(of: folder) == .archived { return folder }
      guard try folder.has(ListFolder.list) else { return nil }
      let source = try folder.open(ListFolder.list, .read)
      let size = try source.status().size
      let sum = try copy(source, list, to: done, upTo: size, unless: isCancelled)
      parts.append(ArchivePart(.copy, done, ArchiveName.temporary(list), sum))
      return folder
    }
    guard let folder else {
      throw Failure(
        .final, code: "list.gone", reason: "the list's folder is gone from the state folder")
    }
    if parts.isEmpty { return nil }
    let trouble = try write(outcome, of: list, into: &parts, unless: isCancelled)
    try kernel { () throws(SystemError) in
      let choices = ArchiveName.choices(try name(of: list, in: folder), list)
      try settle(parts, choices, unless: isCancelled)
    }
    return trouble
  }

  /// What the kernel says of our own files is this machine's trouble.
  func kernel<Value>(_ act: () throws(SystemError) -> Value) throws(Failure) -> Value {
    do throws(SystemError) { return try act() } catch { throw error.machine }
  }

  /// Marks a list whose files are made. On the inbox's thread, which alone changes that mark.
  package func close(_ list: ListID, in lists: any Folder) throws(Failure) {
    try kernel { () throws(SystemError) in
      // Not while the dropped file may still be in the inbox: it is known by this state.
      if let folder = try existing(list, in: lists), try ListFolder.state(of: folder) == .claimed {
        try ListFolder.setState(.archived, of: folder)
      }
    }
  }

  /// nil where the file changed while it was copied.
  func reject(
    _ original: Original, _ note: ReasonNote, unless isCancelled: () -> Bool
  ) throws(SystemError) -> FileCopy.Sum? {
    let sum = try copy(
      original.file, note.list, to: failed, upTo: original.status.size, unless: isCancelled)
    guard sum.size == original.status.size, try original.isUntouched() else {
      try failed.removeIfThere(ArchiveName.temporary(note.list))
      return nil
    }
    let choices = ArchiveName.choices(note.name, note.list)
    let part = ArchivePart(.copy, failed, ArchiveName.temporary(note.list), sum)
    let name = try settle([part], choices, unless: isCancelled)
    try write(note, beside: name)
    return sum
  }

  /// Moves the file itself; false where `failed` is on another file system and only the reason was
  /// written.
  func move(_ original: Original, _ note: ReasonNote) throws(SystemError) -> Bool {
    for name in ArchiveName.choices(note.name, note.list) {
      do throws(SystemError) {
        try original.folder.rename(original.name, to: failed, as: name, replacing: false)
        try write(note, beside: name)
        try original.folder.sync()
        return true
      } catch {
        if error.exists { continue }
        guard error.isOtherFileSystem else { throw error }
        try write(note, beside: name)
        return false
      }
    }
    throw SystemError(code: 17, call: "archive", thing: "\(failed.path)/\(note.name)")
  }

  /// Removes what a crash left half-copied.
  func sweep() throws(SystemError) {
    for folder in [done, failed] {
      for name in try folder.names() where ArchiveName.isTemporary(name) {
        try folder.removeIfThere(name)
      }
    }
  }

  private func copy(
    _ source: any OpenFile, _ list: ListID, to folder: any Folder, upTo limit: UInt64,
    unless isCancelled: () -> Bool
  ) throws(SystemError) -> FileCopy.Sum {
    let name = ArchiveName.temporary(list)
    try folder.removeIfThere(name)
    let file = try folder.open(name, .create)
    let sum = try FileCopy.copy(source, to: file, upTo: limit, unless: isCancelled)
    try folder.setMode(Self.mode, of: name)
    try file.sync()
    return sum
  }

  private func write(_ note: ReasonNote, beside name: FileName) throws(SystemError) {
    guard let target = ArchiveName.reason(beside: name) else { return }
    let temporary = ArchiveName.temporary(note.list)
    try failed.removeIfThere(temporary)
    let file = try failed.open(temporary, .create)
    try file.write(Array(note.text.utf8), at: 0)
    try failed.setMode(Self.mode, of: temporary)
    try file.sync()
    try failed.rename(temporary, to: failed, as: target, replacing: true)
    try failed.sync()
  }

  private func existing(_ list: ListID, in lists: any Folder) throws(SystemError) -> (any Folder)? {
    do throws(SystemError) { return try lists.folder(ListFolder.name(list), creating: false) } catch
    {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Under which the list was dropped; where the file that says so is damaged, one made of its number.
  private func name(of list: ListID, in folder: any Folder) throws(SystemError) -> FileName {
    do throws(Failure) { return try AboutFile.read(from: folder).name } catch {
      guard error.kind == .final, let name = FileName("list-\(list).plist") else {
        throw SystemError(code: 5, call: "read", thing: "\(folder.path)/about (\(error.reason))")
      }
      return name
    }
  }
}
