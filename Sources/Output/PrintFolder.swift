// SPDX-License-Identifier: Apache-2.0
// The folder of one list's prints. A print is made under a hidden name and appears by one rename or link when it is
// durable: whole or not at all. Raises SystemError.
// Concurrency model: the standing under one lock, under which the first print writes the mark of the folder; the rest is
// immutable. A draft belongs to its maker.

package import Files
internal import Synchronization
package import Vocabulary

package final class PrintFolder: Sendable {
  /// The hidden file of a print that is being made.
  package struct Draft: Sendable {
    package let file: any OpenFile
    package let temporary: FileName
  }

  /// Where the name of the folder is, and the folder to which it led at the beginning.
  private struct Place: Sendable {
    let parent: any Folder
    let name: FileName
    let identity: FolderIdentity
  }

  package let folder: any Folder
  /// Nil for a folder whose name does not matter.
  private let place: Place?
  private let readers: FileReaders
  /// Begins the names of drafts: other processes may have theirs here.
  private let mark: String
  package let way: PrintWay
  /// Whose prints are here. Nil for a folder without a mark.
  private let label: PrintsMark?
  private let standing = Mutex(Standing.unsigned)

  /// How far it is known to be durable that the folder is there, and whose prints it holds.
  private enum Standing {
    case unsigned
    /// The mark is written, and to be synced with each print.
    case signed(any OpenFile)
    /// A sync of the mark failed, so that it is written again.
    case lost
    case settled
  }

  package init(
    _ folder: any Folder, for readers: FileReaders = .group, mark: String = "",
    way: PrintWay = .replace
  ) {
    place = nil
    (self.folder, self.readers) = (folder, readers)
    (self.mark, self.way, label) = (mark, way, nil)
  }

  /// - Parameter parent: The folder that holds this one, under this name.
  package init(
    _ folder: any Folder, in parent: any Folder, as name: FileName,
    for readers: FileReaders = .group, mark: String = "", way: PrintWay = .replace,
    label: PrintsMark? = nil
  ) throws(SystemError) {
    place = Place(parent: parent, name: name, identity: try folder.identity())
    (self.folder, self.readers) = (folder, readers)
    (self.mark, self.way, self.label) = (mark, way, label)
  }

  /// Writes whose prints are here, once. The file is to be synced before a print appears here. Nil after `settle`. Raises
  /// EEXIST if the folder holds the prints of another list by now.
  package func sign() throws(SystemError) -> (any OpenFile)? {
    guard let label else { return nil }
    return try standing.withLock { standing throws(SystemError) in
      let isLost: Bool
      switch standing {
      case .settled: return nil
      case .signed(let file): return file
      case .unsigned: isLost = false
      case .lost: isLost = true
      }
      guard let file = try label.put(on: folder, for: readers, again: isLost) else {
        throw SystemError(.exists, call: "open", thing: "\(folder.path)/\(PrintsMark.file)")
      }
      standing = .signed(file)
      return file
    }
  }

  /// Call when the sync of the mark may have failed.
  package func loseSign() {
    standing.withLock { if case .signed = $0 { $0 = .lost } }
  }

  /// The folder to be synced with a print, because the name of this one may not be durable; nil after `settle`.
  package var unsettled: (any Folder)? {
    standing.withLock { if case .settled = $0 { nil } else { place?.parent } }
  }

  /// Raises ENOENT if the name of the folder no longer leads to it: no result would name a print that appears there.
  package func checkName() throws(SystemError) {
    guard let place else { return }
    let found: FolderIdentity?
    do throws(SystemError) { found = try place.parent.identity(of: place.name) } catch {
      guard error.isMissing else { throw error }
      found = nil
    }
    if found == place.identity { return }
    // Raises if the disk of the parent is away, which is the trouble of all lists.
    _ = try place.parent.standing()
    throw SystemError(.missing, call: "fstatat", thing: folder.path)
  }

  /// Call when `unsettled` and the file of `sign` were synced.
  package func settle() { standing.withLock { $0 = .settled } }

  /// Call at start, before any draft: removes drafts that an earlier run left. Only drafts, the folder of thumbnails
  /// and the mark begin with a dot, and the drafts of other processes have other marks.
  package func sweep() throws(SystemError) {
    for name in try folder.names()
    where name.bytes.starts(with: ".\(mark)".utf8) && name != Thumbnail.folder
      && name != PrintsMark.file
    {
      try folder.removeIfThere(name)
    }
  }

  /// Removes the drafts of one list, none of whose photos is being worked on.
  package func sweep(_ list: ListID) throws(SystemError) {
    for name in try folder.names() where name.bytes.starts(with: ".\(mark)\(list)-".utf8) {
      try folder.removeIfThere(name)
    }
  }

  /// A new file for one photo's print.
  package func draft(_ photo: PhotoID) throws(SystemError) -> Draft {
    try draft(temporary(photo, "print"))
  }

  /// Nil if it cannot be made: a photo does not fail for want of a thumbnail.
  package func thumbnailDraft(_ photo: PhotoID) -> Draft? {
    try? draft(temporary(photo, "thumbnail"))
  }

  /// A new file that the readers of the prints may read; none if that fails.
  package func draft(_ name: FileName) throws(SystemError) -> Draft {
    let draft = Draft(file: try folder.openAnew(name), temporary: name)
    do throws(SystemError) { try draft.file.setReaders(readers) } catch {
      discard(draft)
      throw error
    }
    return draft
  }

  /// Removes a draft. Ignores errors: the next start sweeps.
  package func discard(_ draft: Draft) { try? folder.remove(draft.temporary) }

  /// Contains the list's number: a cancelled list may still run its last step when the next list takes over
  /// its folder.
  private func temporary(_ photo: PhotoID, _ kind: String) -> FileName {
    FileName(made: ".\(mark)\(photo.list)-\(photo.number).\(kind)")
  }

  // MARK: thumbnails

  /// Gives a thumbnail its name, before its print appears. It is not synced: it can be made again. Returns false, and
  /// removes the draft, if that fails.
  package func show(_ draft: Draft, of number: UInt32) -> Bool {
    do throws(SystemError) {
      let sheet = try sheetFolder()
      try folder.rename(draft.temporary, to: sheet, as: Thumbnail.file(number), replacing: true)
      return true
    } catch {
      discard(draft)
      return false
    }
  }

  /// Makes the folder if it is missing.
  package func sheetFolder() throws(SystemError) -> any Folder {
    let isThere = try folder.has(Thumbnail.folder)
    let sheet = try folder.folder(Thumbnail.folder, creating: true)
    if isThere { return sheet }
    do throws(SystemError) { try folder.setReaders(readers, of: Thumbnail.folder) } catch {
      // The next call repeats both steps.
      try? folder.removeFolder(Thumbnail.folder)
      throw error
    }
    return sheet
  }
}
