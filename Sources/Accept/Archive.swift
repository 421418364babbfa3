// SPDX-License-Identifier: Apache-2.0
// The folders `done` and `failed`: fresh copies under the dropped name, whole or not there at all, mode
// 0640, never the dropper's own inode, never over another file. Repeating after a crash finds what is
// there already by its contents. Can raise what the kernel says.

internal import Linux
package import Vocabulary

package struct Archive: Sendable {
  private static let mode: UInt32 = 0o640

  package let done: any Folder
  package let failed: any Folder

  package init(done: any Folder, failed: any Folder) {
    self.done = done
    self.failed = failed
  }

  /// Copies the bytes of a list that is over to `done`. Does nothing where that is done. Final where
  /// the list's folder is gone and there is nothing to copy.
  package func finish(
    _ list: ListID, in lists: any Folder, unless isCancelled: () -> Bool = { false }
  ) throws(Failure) {
    let isThere: Bool
    do throws(SystemError) {
      isThere = try finishCopy(list, in: lists, unless: isCancelled)
    } catch { throw error.machine }
    if !isThere {
      throw Failure(
        .final, code: "list.gone", reason: "the list's folder is gone from the state folder")
    }
  }

  /// False where there is no such list.
  private func finishCopy(
    _ list: ListID, in lists: any Folder, unless isCancelled: () -> Bool
  ) throws(SystemError) -> Bool {
    guard let folder = try existing(list, in: lists) else { return false }
    let state = try ListFolder.state(of: folder)
    if state == .archived { return true }
    guard try folder.has(ListFolder.list) else { return false }
    let source = try folder.open(ListFolder.list, .read)
    let size = try source.status().size
    let sum = try copy(source, list, to: done, upTo: size, unless: isCancelled)
    let choices = ArchiveName.choices(try name(of: list, in: folder), list)
    _ = try settle(sum, list, choices, in: done, unless: isCancelled)
    // Not while the dropped file may still be in the inbox: it is known by this state.
    if state == .claimed { try ListFolder.setState(.archived, of: folder) }
    return true
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
    let name = try settle(sum, note.list, choices, in: failed, unless: isCancelled)
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

  /// Gives the copy its final name; the same bytes under one of the names are taken for it.
  private func settle(
    _ sum: FileCopy.Sum, _ list: ListID, _ choices: [FileName], in folder: any Folder,
    unless isCancelled: () -> Bool
  ) throws(SystemError) -> FileName {
    let temporary = ArchiveName.temporary(list)
    for name in choices {
      do throws(SystemError) {
        try folder.rename(temporary, to: folder, as: name, replacing: false)
        try folder.sync()
        return name
      } catch { if !error.exists { throw error } }
      if try holds(name, sum, in: folder, unless: isCancelled) {
        try folder.remove(temporary)
        try folder.sync()
        return name
      }
    }
    throw SystemError(code: 17, call: "archive", thing: "\(folder.path)/\(temporary)")
  }

  private func holds(
    _ name: FileName, _ sum: FileCopy.Sum, in folder: any Folder, unless isCancelled: () -> Bool
  ) throws(SystemError) -> Bool {
    let status = try folder.status(of: name)
    guard status.kind == .file, status.size == sum.size else { return false }
    let file = try folder.open(name, .read)
    return try FileCopy.sum(file, upTo: sum.size, unless: isCancelled) == sum
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
