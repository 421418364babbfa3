// SPDX-License-Identifier: Apache-2.0
// The folder `failed`: holds a fresh copy of each rejected file or, if that is too large to copy, the file
// itself, with the reason beside it: for its owner alone. A repeat after a crash finds the copy by its contents. Raises
// SystemError, and `publish` a `Failure`.

internal import Files
internal import Vocabulary

struct FailedFolder {
  let folder: any Folder

  /// For one rejection, whose files belong into one folder.
  func standing() throws(SystemError) -> FailedFolder {
    FailedFolder(folder: try folder.standing())
  }

  /// Returns the hidden copy, or nil if the file changed meanwhile.
  func copy(_ dropped: DroppedFile, _ note: ReasonNote) throws(SystemError) -> FreshFile? {
    let copy = try FreshFile(
      copying: dropped.file, upTo: dropped.status.size, as: FreshName.temporary(note.list),
      in: folder, for: .user(note.owner))
    guard copy.sum.size == dropped.status.size, try dropped.isUntouched() else {
      try copy.discard()
      return nil
    }
    return copy
  }

  /// Gives the copy its name, and writes the reason, durably.
  func publish(
    _ copy: FreshFile, _ note: ReasonNote, _ groups: any SyncGroups
  ) async throws(Failure) {
    let name = try await [copy].appear(under: FreshName.choices(note.name, note.list), groups)
    try asMachine { () throws(SystemError) in try write(note, beside: name) }
  }

  /// Moves the file itself. Returns false if `failed` is on another file system; only the reason is written
  /// then.
  func move(_ dropped: DroppedFile, _ note: ReasonNote) throws(SystemError) -> Bool {
    for name in FreshName.choices(note.name, note.list) {
      do throws(SystemError) {
        try dropped.folder.rename(dropped.name, to: folder, as: name, replacing: false)
        try write(note, beside: name)
        try dropped.folder.sync()
        return true
      } catch {
        if error.exists { continue }
        guard error.name == .crossesDevices else { throw error }
        try write(note, beside: name)
        return false
      }
    }
    throw SystemError(.exists, call: "rename", thing: "\(folder.path)/\(note.name)")
  }

  private func write(_ note: ReasonNote, beside name: FileName) throws(SystemError) {
    guard let target = ReasonNote.name(beside: name) else { return }
    try folder.write(
      whole: Array(note.text.utf8), as: target, through: FreshName.temporary(note.list),
      for: .user(note.owner))
  }
}
