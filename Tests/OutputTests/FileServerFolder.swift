// SPDX-License-Identifier: Apache-2.0
// A folder with the manners of file servers and of poor file systems: answers that are lost, names that are not seen,
// links that are missing or that replace. Concurrency: immutable.

import Vocabulary

final class FileServerFolder: Folder {
  enum Manner: Sendable {
    case none
    /// The call is done, and fails: the client has repeated it.
    case answerIsLost
    /// The name is taken, and this machine does not see it.
    case nameIsUnseen
    case stale
    case links(error: SystemError.Name)
    case noLinksNorRenames
    /// A planted bug: a link that replaces, as a rename does.
    case linksReplace
    case renamesReplace
    case createsAgain
    case foldersAreNotSynced(SystemError.Name)
  }

  private let base: any Folder
  private let manner: Manner

  init(_ base: any Folder, _ manner: Manner) { (self.base, self.manner) = (base, manner) }

  var path: String { base.path }

  private func fail(_ name: SystemError.Name, _ call: String) -> SystemError {
    SystemError(name, call: call, thing: path)
  }

  func link(_ name: FileName, to folder: any Folder, as newName: FileName) throws(SystemError) {
    switch manner {
    case .answerIsLost:
      try base.link(name, to: base, as: newName)
      throw fail(.exists, "linkat")
    case .nameIsUnseen: throw fail(.exists, "linkat")
    case .stale: throw fail(.stale, "linkat")
    case .links(let error): throw fail(error, "linkat")
    case .noLinksNorRenames, .renamesReplace: throw fail(.notPermitted, "linkat")
    case .linksReplace:
      try base.removeIfThere(newName)
      try base.link(name, to: base, as: newName)
    case .none, .createsAgain, .foldersAreNotSynced: try base.link(name, to: base, as: newName)
    }
  }

  func renameOnce(
    _ name: FileName, to folder: any Folder, as newName: FileName
  ) throws(SystemError) {
    switch manner {
    case .answerIsLost:
      try base.renameOnce(name, to: base, as: newName)
      throw fail(.missing, "renameat2")
    case .noLinksNorRenames: throw fail(.invalid, "renameat2")
    case .renamesReplace: try base.rename(name, to: base, as: newName, replacing: true)
    default: try base.renameOnce(name, to: base, as: newName)
    }
  }

  func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    if case .createsAgain = manner, use == .create { try base.removeIfThere(name) }
    return try base.open(name, use)
  }

  func sync() throws(SystemError) {
    if case .foldersAreNotSynced(let error) = manner { throw fail(error, "fsync") }
    try base.sync()
  }

  func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    try base.rename(name, to: base, as: newName, replacing: replacing)
  }

  func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try base.folder(name, creating: creating)
  }

  func remove(_ name: FileName) throws(SystemError) { try base.remove(name) }
  func removeFolder(_ name: FileName) throws(SystemError) { try base.removeFolder(name) }
  func names() throws(SystemError) -> [FileName] { try base.names() }
  func status(of name: FileName) throws(SystemError) -> FileStatus { try base.status(of: name) }
  func syncFileSystem() throws(SystemError) { try base.syncFileSystem() }
  func identity() throws(SystemError) -> FolderIdentity { try base.identity() }
  func room() throws(SystemError) -> DiskRoom { try base.room() }
  func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try base.setMode(mode, of: name)
  }
}
