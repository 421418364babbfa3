// SPDX-License-Identifier: Apache-2.0
// A folder that is opened again by its path for each call. For folders to which the daemon only adds files, and which
// an operator may remove, make again, unmount and mount while the daemon runs. If another folder is at the path than
// before, that folder is judged once, so that the bare folder below a mount point is not taken for the mounted
// folder. Raises `SystemError`. Concurrency model: one atomic word; the rest is immutable.

internal import CLinux
internal import Synchronization
package import Vocabulary

package final class PathFolder: Folder {
  /// Raises if the folder at the path is the wrong one.
  package typealias Check = @Sendable (LinuxFolder) throws(SystemError) -> Void

  package let path: String
  private let check: Check
  /// The identity of the last folder that was found to be right. The bare folder has another identity, so each disk
  /// is judged once.
  private let found = Atomic(WordPair(first: 0, second: 0))

  /// Raises if the folder cannot be opened.
  /// - Parameter isApart: The folder is on a separate disk. Otherwise it stays on the disk on which it is now, unless
  ///   another disk is mounted in its place.
  package convenience init(path: String, isApart: Bool = false) throws(SystemError) {
    let device = isApart ? nil : try LinuxFolder.open(path: path).identity().device
    self.init(path: path) { (folder) throws(SystemError) in
      if let device, try folder.identity().device == device { return }
      guard try folder.isApart() else { throw .unmounted(path) }
    }
    _ = try here()
  }

  /// The folder may be the wrong one, or may be missing.
  package init(path: String, check: @escaping Check) {
    (self.path, self.check) = (path, check)
  }

  /// The folder that the path leads to now.
  package func here() throws(SystemError) -> LinuxFolder {
    let folder = try LinuxFolder.open(path: path)
    let identity = try folder.identity()
    let own = WordPair(first: UInt(identity.device), second: UInt(identity.inode))
    if found.load(ordering: .relaxed) == own { return folder }
    try check(folder)
    // A mount that came in between was judged in the place of the folder.
    guard try LinuxFolder.open(path: path).identity() == identity else { throw .unmounted(path) }
    found.store(own, ordering: .relaxed)
    return folder
  }

  package func standing() throws(SystemError) -> any Folder { try here() }

  package func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    try here().open(name, use)
  }

  package func openUnnamed(_ name: FileName) throws(SystemError) -> any OpenFile {
    try here().openUnnamed(name)
  }

  package func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try here().folder(name, creating: creating)
  }

  package func makeFolder(_ name: FileName) throws(SystemError) { try here().makeFolder(name) }

  package func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    try here().rename(name, to: folder, as: newName, replacing: replacing)
  }

  package func remove(_ name: FileName) throws(SystemError) { try here().remove(name) }
  package func removeFolder(_ name: FileName) throws(SystemError) { try here().removeFolder(name) }
  package func names() throws(SystemError) -> [FileName] { try here().names() }
  package func isEmpty() throws(SystemError) -> Bool { try here().isEmpty() }
  package func entries() throws(SystemError) -> [FolderEntry] { try here().entries() }

  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    try here().status(of: name)
  }

  package func sync() throws(SystemError) { try here().sync() }
  package func syncFileSystem() throws(SystemError) { try here().syncFileSystem() }
  package func identity() throws(SystemError) -> FolderIdentity { try here().identity() }

  /// One call, without a judgement: the identity tells the disk.
  package func identity(of name: FileName) throws(SystemError) -> FolderIdentity {
    var status = dr_status()
    let bytes = path.utf8.map { CChar(bitPattern: $0) } + [0x2F] + name.terminated
    try Calls.run("fstatat", "\(path)/\(name)") { unsafe dr_status_path(bytes, &status) }
    return FolderIdentity(device: status.device, inode: status.inode)
  }

  package var isMountPoint: Bool { (try? here())?.isMountPoint ?? false }
  package func isOtherFileSystem(_ name: FileName) -> Bool {
    (try? here())?.isOtherFileSystem(name) ?? false
  }
  package func room() throws(SystemError) -> DiskRoom { try here().room() }

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
