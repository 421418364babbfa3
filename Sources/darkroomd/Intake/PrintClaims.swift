// SPDX-License-Identifier: Apache-2.0
// The folders of prints of lists that are not accepted yet. A list has the folder that it made: of several daemons that
// make one name, even on different machines, one succeeds. A note in STATE/claims identifies the folder, so that it
// goes again if the list is not accepted, even after a crash. Only the folder that was made goes, and only while
// nothing was ever in it. A crash before the note, or a power cut before the list is accepted, leaves an empty folder,
// which then belongs to no list. Raises SystemError.
// Concurrency: immutable; waits for a disk. One task at a time works on a draft.

import Files
import Vocabulary

struct PrintClaims: Sendable {
  private static let longest = 300

  private struct Note {
    let folder: FileName
    /// A file system gives the inode of a folder that was removed to the next one, but not its time.
    let identity: String
  }

  private let notes: any Folder
  private let prints: any Folder

  init(_ folders: StateFolders) { (notes, prints) = (folders.claims, folders.prints) }

  private func note(of draft: ListID) throws(SystemError) -> Note? {
    guard let text = try notes.contents(of: ListFolder.name(draft), upTo: Self.longest),
      let end = text.firstIndex(of: 0x20), let folder = FileName(bytes: Array(text[(end + 1)...]))
    else { return nil }
    return Note(folder: folder, identity: String(decoding: text[..<end], as: UTF8.self))
  }

  private func identity(of folder: FileName) throws(SystemError) -> String? {
    guard let status = try prints.status(ifThere: folder), status.kind == .folder else {
      return nil
    }
    return "\(status.inode):\(status.modified)"
  }

  /// The folder that an earlier attempt of the draft has made.
  func folder(of draft: ListID) throws(SystemError) -> FileName? {
    guard let note = try note(of: draft), try identity(of: note.folder) == note.identity else {
      return nil
    }
    return note.folder
  }

  /// False, and changes nothing, if the name is taken, by whomever. Nobody can open the folder before it has its readers.
  func make(
    _ folder: FileName, for draft: ListID, readers: FileReaders
  ) throws(SystemError) -> Bool {
    do throws(SystemError) { try prints.makeFolder(folder) } catch {
      if error.exists { return false }
      throw error
    }
    do throws(SystemError) {
      try prints.setReaders(readers, of: folder)
      let identity = try identity(of: folder) ?? ""
      try notes.openAnew(ListFolder.name(draft))
        .write(Array("\(identity) ".utf8) + folder.bytes, at: 0)
      return true
    } catch {
      try? prints.removeFolder(folder)
      throw error
    }
  }

  /// Frees the name that an earlier attempt of the draft took. Readers of its folder see nothing of the next one.
  func takeBack(_ draft: ListID) throws(SystemError) {
    if let folder = try folder(of: draft) { try prints.removeFolder(folder) }
  }

  /// Makes the name of the folder durable, before the list is recorded.
  func steps(of draft: ListID) throws(SystemError) -> [SyncStep] {
    guard try note(of: draft) != nil else { return [] }
    return [.folder(prints)]
  }

  /// The list is accepted.
  func keep(_ list: ListID) { try? notes.removeIfThere(ListFolder.name(list)) }

  /// The draft does not become a list, or prints elsewhere. The note stays while the folder cannot be seen or removed: the
  /// next attempt frees the name, instead of taking another one.
  func giveUp(_ draft: ListID) {
    do throws(SystemError) {
      try takeBack(draft)
    } catch { return }
    keep(draft)
  }

  /// Gives up the drafts that a crash has left. The record alone knows the lists whose labels cannot be read now.
  func sweep(except isRecorded: (ListID) -> Bool) throws(SystemError) {
    for draft in try notes.names().compactMap(ListFolder.number) {
      if !isRecorded(draft) { try? takeBack(draft) }
      // A note that cannot be read must not stand in the way of later drafts of its number.
      keep(draft)
    }
  }
}
