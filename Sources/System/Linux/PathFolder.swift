// SPDX-License-Identifier: Apache-2.0
// A folder by its path, opened anew for each call: for folders that an operator may remove and make
// again while we run, and that we only put things into. Concurrency: immutable.

package import Vocabulary

package final class PathFolder: Folder {
  package let path: String

  /// Raises where it cannot be opened now.
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
}
