// SPDX-License-Identifier: Apache-2.0
// A folder by its path, opened again for each call: for folders that the daemon only adds files to, and that
// an operator may remove and make again while it runs. Raises `SystemError`. Concurrency: immutable.

package import Vocabulary

package final class PathFolder: Folder {
  package let path: String

  /// Raises if the folder cannot be opened.
  package init(path: String) throws(SystemError) {
    self.path = path
    _ = try here()
  }

  /// The folder that the path leads to now.
  package func here() throws(SystemError) -> LinuxFolder { try LinuxFolder.open(path: path) }

  package func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    try here().open(name, use)
  }

  package func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try here().folder(name, creating: creating)
  }

  package func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    try here().rename(name, to: folder, as: newName, replacing: replacing)
  }

  package func remove(_ name: FileName) throws(SystemError) { try here().remove(name) }
  package func removeFolder(_ name: FileName) throws(SystemError) { try here().removeFolder(name) }
  package func names() throws(SystemError) -> [FileName] { try here().names() }
  package func entries() throws(SystemError) -> [FolderEntry] { try here().entries() }

  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    try here().status(of: name)
  }

  package func sync() throws(SystemError) { try here().sync() }
  package func syncFileSystem() throws(SystemError) { try here().syncFileSystem() }
  package func device() throws(SystemError) -> UInt64 { try here().device() }
  package func freeSpace() throws(SystemError) -> UInt64 { try here().freeSpace() }
  package func totalSpace() throws(SystemError) -> UInt64 { try here().totalSpace() }

  package func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try here().setMode(mode, of: name)
  }

  package func setReader(_ user: UInt32, of name: FileName) throws(SystemError) {
    try here().setReader(user, of: name)
  }

  package func reader(of name: FileName) throws(SystemError) -> UInt32? {
    try here().reader(of: name)
  }
}
