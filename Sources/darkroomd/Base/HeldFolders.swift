// SPDX-License-Identifier: Apache-2.0
// The open folders of the record, and the paths at which the next start looks for them. If a person moves a folder,
// the daemon continues to write to the moved folder, but the next start does not find it. A value; raises nothing.

import Linux
import Vocabulary

struct HeldFolders: Sendable {
  private struct Held {
    let path: String
    let identity: FolderIdentity
    let advice: String

    init(_ folder: any Folder, _ advice: String) throws(SystemError) {
      path = folder.path
      identity = try folder.identity()
      self.advice = advice
    }
  }

  private let folders: [Held]

  init() { folders = [] }

  /// Each path is what the folder was opened by.
  /// - Parameter notes: The folder of `PrintClaims`.
  init(_ folders: [any Folder], notes: any Folder) throws(SystemError) {
    let record = try folders.map { (folder) throws(SystemError) in
      try Held(folder, "Move it back before darkroomd ends: a start looks for all lists there")
    }
    let other = try Held(notes, "Move it back, or restart darkroomd, which makes the folder again")
    self.folders = record + [other]
  }

  /// The first folder whose path no longer leads to it. A stray call that fails tells nothing.
  var trouble: Failure? {
    for folder in folders {
      let found: FolderIdentity?
      do throws(SystemError) {
        found = try LinuxFolder.open(path: folder.path).identity()
      } catch {
        guard error.isMissing else { continue }
        found = nil
      }
      if found == folder.identity { continue }
      let change = found == nil ? "was removed or renamed" : "was replaced by another folder"
      return Failure(
        .machine, code: "state.moved", reason: "the folder \(folder.path) \(change)",
        advice: folder.advice)
    }
    return nil
  }
}

/// An acceptance stands on two things: the record is where a start looks for it, and no other daemon prints into the folder.
struct Footing: Sendable {
  var held = HeldFolders()
  /// Nil if the folder of prints is shared.
  var seat: PrintsSeat?
}
