// SPDX-License-Identifier: Apache-2.0
// The folders of prints of lists that are not accepted yet. A list has the folder that it made: of several daemons
// that make one name, even on different machines, one succeeds. If the list is not accepted, the daemon removes the
// folder again. If it cannot remove the folder now, it does so at a later attempt to use the name, so that no list
// takes another name because of the folder. A note in STATE/claims identifies the folder for the start after a crash;
// nothing else reads the notes. Only the folder that was made goes, and only while nothing was ever in it. A crash
// before the note, or a power cut before the list is accepted, leaves an empty folder, which then belongs to no list.
// Raises SystemError.
// Concurrency: one lock; waits for a disk without it. One task at a time works on a draft, and on a name.

import Files
import Synchronization
import Vocabulary

final class PrintClaims: Sendable {
  private static let longest = 300

  private struct Made {
    let draft: ListID
    let folder: FileName
    /// A file system gives the inode of a folder that was removed to the next one, but not its time. Nil if the folder
    /// could not be asked after it was made.
    var identity: String?
  }

  private struct State {
    var drafts: [ListID: Made] = [:]
    /// Folders of drafts that became no list, which could not be removed.
    var leftovers: [FileName: Made] = [:]
    /// Notes that could not be read once.
    var unread: Set<ListID> = []
    var isSwept = false
  }

  private let notes: any Folder
  private let prints: any Folder
  private let state = Mutex(State())

  init(_ folders: StateFolders) { (notes, prints) = (folders.claims, folders.prints) }

  private func note(of draft: ListID) throws(SystemError) -> Made? {
    guard let text = try notes.contents(of: ListFolder.name(draft), upTo: Self.longest),
      let end = text.firstIndex(of: 0x20), let folder = FileName(bytes: Array(text[(end + 1)...]))
    else { return nil }
    return Made(
      draft: draft, folder: folder, identity: String(decoding: text[..<end], as: UTF8.self))
  }

  private func identity(of folder: FileName) throws(SystemError) -> String? {
    guard let status = try prints.status(ifThere: folder), status.kind == .folder else {
      return nil
    }
    return "\(status.inode):\(status.modified)"
  }

  /// False, and changes nothing, if the name is taken, by whomever. Nobody can open the folder before it has its readers.
  func make(
    _ folder: FileName, for draft: ListID, readers: FileReaders
  ) throws(SystemError) -> Bool {
    try removeLeftover(folder)
    do throws(SystemError) { try prints.makeFolder(folder) } catch {
      if error.exists { return false }
      throw error
    }
    // From here on the folder is the draft's, whatever fails.
    var made = Made(draft: draft, folder: folder)
    remember(made)
    do throws(SystemError) {
      try prints.setReaders(readers, of: folder)
      let identity = try identity(of: folder) ?? ""
      made.identity = identity
      remember(made)
      try notes.openAnew(ListFolder.name(draft))
        .write(Array("\(identity) ".utf8) + folder.bytes, at: 0)
      return true
    } catch {
      giveUp(draft)
      throw error
    }
  }

  private func remember(_ made: Made) { state.withLock { $0.drafts[made.draft] = made } }

  /// Leaves a folder that has contents, or that was made in the place of this one.
  private func remove(_ made: Made) throws(SystemError) {
    if let known = made.identity, try identity(of: made.folder) != known { return }
    do throws(SystemError) { try prints.removeFolder(made.folder) } catch {
      switch error.name {
      case .missing, .notEmpty, .exists, .notFolder, .busy: return
      default: throw error
      }
    }
  }

  /// Removes the folder of that name that an earlier draft has left. Nobody else does: one draft at a time wants a name.
  private func removeLeftover(_ folder: FileName) throws(SystemError) {
    guard let made = state.withLock({ $0.leftovers[folder] }) else { return }
    try remove(made)
    state.withLock { $0.leftovers[folder] = nil }
    forgetNote(of: made.draft)
  }

  /// Frees the name that an earlier attempt of the draft took. Readers of its folder see nothing of the next one.
  func takeBack(_ draft: ListID) throws(SystemError) {
    guard let made = state.withLock({ $0.drafts[draft] }) else { return }
    try remove(made)
    keep(draft)
  }

  /// Makes the name of the folder durable, before the list is recorded.
  func steps(of draft: ListID) -> [SyncStep] {
    state.withLock { $0.drafts[draft] } == nil ? [] : [.folder(prints)]
  }

  /// The list is accepted.
  func keep(_ list: ListID) {
    state.withLock { $0.drafts[list] = nil }
    forgetNote(of: list)
  }

  /// Leaves the note of a folder that is still there.
  private func forgetNote(of draft: ListID) {
    if !isKnown(draft) { try? notes.removeIfThere(ListFolder.name(draft)) }
  }

  /// The draft does not become a list, or prints elsewhere. The note stays while the folder does.
  func giveUp(_ draft: ListID) {
    guard let made = state.withLock({ $0.drafts[draft] }) else { return }
    do throws(SystemError) { try takeBack(draft) } catch {
      state.withLock { state in
        state.drafts[draft] = nil
        state.leftovers[made.folder] = made
      }
    }
  }

  /// Gives up the drafts that a crash has left, once. A note that cannot be read has a second try, and then goes: it must
  /// not stand in the way of later drafts of its number. The record alone knows the lists whose labels cannot be read now.
  func sweep(except isRecorded: (ListID) -> Bool) throws(SystemError) {
    if state.withLock({ $0.isSwept }) { return }
    var isWhole = true
    for draft in try notes.names().compactMap(ListFolder.number) where !isKnown(draft) {
      do throws(SystemError) {
        if !isRecorded(draft), let made = try note(of: draft) {
          remember(made)
          giveUp(draft)
        } else {
          forgetNote(of: draft)
        }
      } catch {
        let isFirst = state.withLock { $0.unread.insert(draft).inserted }
        if isFirst { isWhole = false } else { forgetNote(of: draft) }
      }
    }
    state.withLock { $0.isSwept = isWhole }
  }

  /// A draft of this run has the note, or a folder that is left.
  private func isKnown(_ draft: ListID) -> Bool {
    state.withLock { state in
      state.drafts[draft] != nil || state.leftovers.values.contains { $0.draft == draft }
    }
  }
}
