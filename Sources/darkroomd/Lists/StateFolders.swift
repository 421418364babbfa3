// SPDX-License-Identifier: Apache-2.0
// The folders that the daemon writes to. `init` makes those inside the state folder. Raises `SystemError`.
// Concurrency: immutable; every function waits for a disk.

import Output
import Vocabulary

struct StateFolders: Sendable {
  let state: any Folder
  let lists: any Folder
  let originals: any Folder
  /// Incomplete downloads, by their URL.
  let incoming: any Folder
  let cache: any Folder
  let prints: any Folder
  let quarantine: any Folder
  /// Orders for hooks and for webhooks; see `Outbox`.
  let hooks: any Folder
  let webhooks: any Folder
  let done: any Folder
  let failed: any Folder
  /// Begins the names of drafts among the prints; see `Places`.
  let mark: String
  let way: PrintWay

  init(
    state: any Folder, prints: any Folder, done: any Folder, failed: any Folder, mark: String = "",
    way: PrintWay = .replace
  ) throws(SystemError) {
    (self.mark, self.way) = (mark, way)
    (self.state, self.prints, self.done, self.failed) = (state, prints, done, failed)
    lists = try state.folder(FileName(literal: "lists"), creating: true)
    originals = try state.folder(FileName(literal: "originals"), creating: true)
    incoming = try state.folder(FileName(literal: "incoming"), creating: true)
    cache = try state.folder(FileName(literal: "cache"), creating: true)
    quarantine = try state.folder(FileName(literal: "quarantine"), creating: true)
    hooks = try state.folder(FileName(literal: "hooks"), creating: true)
    webhooks = try state.folder(FileName(literal: "webhooks"), creating: true)
  }

  /// Copies of the files of lists that all nodes develop, by their numbers in the ledger.
  func copies() throws(SystemError) -> any Folder {
    try state.folder(FileName(literal: "cluster"), creating: true)
  }

  /// Removes the originals of a list that is over.
  func removeOriginals(of list: ListID) throws(SystemError) {
    let name = FileName(number: list.number)
    guard try originals.has(name) else { return }
    let folder = try originals.folder(name, creating: false)
    for file in try folder.names() { try folder.removeIfThere(file) }
    try originals.removeFolder(name)
  }

  /// Removes the originals of all other lists, which a crash may have left.
  func removeOriginals(except open: Set<ListID>) throws(SystemError) {
    for name in try originals.names() {
      guard let list = ListFolder.number(name), !open.contains(list) else { continue }
      try removeOriginals(of: list)
    }
  }
}
