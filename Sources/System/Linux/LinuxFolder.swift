// SPDX-License-Identifier: Apache-2.0
// A real folder, by an open descriptor: a renamed or replaced path does not lead elsewhere.
// Raises `SystemError`.
// Concurrency: immutable; each listing opens its own descriptor, since a listing has a position.

internal import CLinux
package import Vocabulary

package final class LinuxFolder: Folder {
  private let handle: Descriptor
  package let path: String

  private init(owning handle: consuming Descriptor, path: String) {
    self.handle = handle
    self.path = path
  }

  package var descriptor: Int32 { handle.number }

  /// The only way to open a folder by path; for paths from the configuration and the command line.
  package static func open(path: String) throws(SystemError) -> LinuxFolder {
    let number = try Calls.run("open", path) { unsafe dr_open_path(path) }
    return LinuxFolder(owning: Descriptor(owning: number), path: path)
  }

  package func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    try openFile(name, use)
  }

  /// New files are private (0600); in a folder shared with a group, `setMode` opens them later.
  package func openFile(_ name: FileName, _ use: FileUse) throws(SystemError) -> LinuxFile {
    let flag =
      switch use {
      case .read: DR_READ
      case .write: DR_WRITE
      case .create: DR_CREATE
      case .ensure: DR_ENSURE
      }
    let number = try unsafe call("openat", name) { unsafe dr_open_file($0, $1, Int32(flag), 0o600) }
    return LinuxFile(owning: Descriptor(owning: number), name, in: path)
  }

  /// A file that disappears with its last descriptor unless `give` names it. EOPNOTSUPP if the file system
  /// does not support such files.
  package func openUnnamed() throws(SystemError) -> LinuxFile {
    let number = try Calls.run("openat(O_TMPFILE)", path) { dr_open_unnamed(handle.number, 0o600) }
    return LinuxFile(owning: Descriptor(owning: number), thing: "\(path)/(no name)")
  }

  package func openUnnamed(_ name: FileName) throws(SystemError) -> any OpenFile {
    do throws(SystemError) { return try openUnnamed() } catch {
      guard error.meansNoUnnamed else { throw error }
      return try openAndRemove(name)
    }
  }

  package func give(_ name: FileName, to file: LinuxFile) throws(SystemError) {
    _ = try unsafe call("linkat", name) { unsafe dr_name_file(file.descriptor, $0, $1) }
  }

  package func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try openFolder(name, creating: creating)
  }

  package func openFolder(_ name: FileName, creating: Bool) throws(SystemError) -> LinuxFolder {
    if creating {
      do throws(SystemError) { try makeFolder(name) } catch { if !error.exists { throw error } }
    }
    let number = try unsafe call("openat", name) { unsafe dr_open_folder($0, $1) }
    return LinuxFolder(owning: Descriptor(owning: number), path: thing(name))
  }

  package func makeFolder(_ name: FileName) throws(SystemError) {
    _ = try unsafe call("mkdirat", name) { unsafe dr_make_folder($0, $1, 0o700) }
  }

  package func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    let target = try Self.target(folder)
    if replacing {
      let new = newName.terminated
      _ = try unsafe call("renameat", name) { unsafe dr_rename($0, $1, target.descriptor, new) }
      return
    }
    do throws(SystemError) { try renameOnce(name, to: target, as: newName) } catch {
      guard error.name == .invalid else { throw error }
      try linkAndUnlink(name, to: target, as: newName)
    }
  }

  private static func target(_ folder: any Folder) throws(SystemError) -> LinuxFolder {
    guard let target = try folder.standing() as? LinuxFolder else {
      preconditionFailure("folders of two worlds")
    }
    return target
  }

  package func renameOnce(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    let target = try Self.target(folder)
    let new = newName.terminated
    _ = try unsafe call("renameat2", name) { unsafe dr_rename_new($0, $1, target.descriptor, new) }
  }

  /// For file systems without RENAME_NOREPLACE, such as NFS: a link replaces no file either. A crash
  /// before the unlink leaves two names of one file; repeating the rename removes the old one.
  private func linkAndUnlink(_ name: FileName, to target: LinuxFolder, as newName: FileName)
    throws(SystemError)
  {
    do throws(SystemError) { try link(name, to: target, as: newName) } catch {
      if error.meansNoLink {
        return try lookAndRename(name, to: target, as: newName)
      }
      guard error.exists, try isOneFile(name, target, newName) else { throw error }
    }
    guard try isOneFile(name, target, newName) else {
      // The old name now leads to another file, or each link has its own inode number, as with sshfs.
      try target.remove(newName)
      return try lookAndRename(name, to: target, as: newName)
    }
    do throws(SystemError) { try remove(name) } catch {
      if error.isMissing { return }
      try? target.remove(newName)
      throw error
    }
  }

  /// The best possible on such a file system: a file replaces a name that appears after the check; a
  /// folder replaces only an empty folder and otherwise fails with ENOTEMPTY.
  private func lookAndRename(_ name: FileName, to target: LinuxFolder, as newName: FileName)
    throws(SystemError)
  {
    if try target.has(newName) {
      throw SystemError(.exists, call: "renameat2", thing: thing(name))
    }
    try rename(name, to: target, as: newName, replacing: true)
  }

  /// True if two different names lead to one file.
  private func isOneFile(_ name: FileName, _ target: LinuxFolder, _ newName: FileName)
    throws(SystemError) -> Bool
  {
    do throws(SystemError) {
      let (old, new) = (try status(of: name), try target.status(of: newName))
      guard old.inode == new.inode, old.device == new.device, old.links > 1 else { return false }
      return name != newName ? true : try identity() != target.identity()
    } catch {
      if error.isMissing { return false }
      throw error
    }
  }

  package func link(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    let target = try Self.target(folder)
    let new = newName.terminated
    _ = try unsafe call("linkat", name) { unsafe dr_link($0, $1, target.descriptor, new) }
  }

  package func remove(_ name: FileName) throws(SystemError) {
    _ = try unsafe call("unlinkat", name) { unsafe dr_unlink($0, $1) }
  }

  package func removeFolder(_ name: FileName) throws(SystemError) {
    _ = try unsafe call("rmdirat", name) { unsafe dr_remove_folder($0, $1) }
  }

  package func names() throws(SystemError) -> [FileName] { try entries().map(\.name) }

  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    var status = dr_status()
    _ = try unsafe call("fstatat", name) { unsafe dr_status_at($0, $1, &status) }
    return FileStatus(status)
  }

  package func sync() throws(SystemError) {
    try Calls.run("fsync", path) { dr_sync(handle.number) }
  }

  package func syncFileSystem() throws(SystemError) {
    try Calls.run("syncfs", path) { dr_sync_file_system(handle.number) }
  }

  package func identity() throws(SystemError) -> FolderIdentity {
    var status = dr_status()
    try Calls.run("fstat", path) { unsafe dr_status(handle.number, &status) }
    return FolderIdentity(device: status.device, inode: status.inode)
  }

  package func room() throws(SystemError) -> DiskRoom {
    var room = CLinux.dr_room()
    try Calls.run("fstatvfs", path) { unsafe dr_room(handle.number, &room) }
    return DiskRoom(
      free: room.free, total: room.total, names: room.names, isReadOnly: room.is_read_only)
  }

  package func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    _ = try unsafe call("fchmodat", name) { unsafe dr_set_mode_at($0, $1, mode) }
  }

  package func setReader(_ user: UInt32, of name: FileName) throws(SystemError) {
    _ = try unsafe call("fsetxattr", name) { unsafe dr_set_reader_at($0, $1, user) }
  }

  package func reader(of name: FileName) throws(SystemError) -> UInt32? {
    let bytes = name.terminated
    let answer = try Calls.run("fgetxattr", thing(name)) {
      unsafe dr_reader(handle.number, bytes)
    }
    return UInt32(exactly: answer)
  }

  private func thing(_ name: FileName) -> String { "\(path)/\(name)" }

  private func call(
    _ call: StaticString, _ name: FileName, _ body: (Int32, UnsafePointer<CChar>) -> Int32
  ) throws(SystemError) -> Int32 {
    let bytes = name.terminated
    return try Calls.run(call, thing(name)) { unsafe body(handle.number, bytes) }
  }
}

extension FileName {
  /// As a C string.
  package var terminated: [CChar] {
    var text: [CChar] = []
    text.append(addingCapacity: bytes.count + 1) { span in
      for byte in bytes { span.append(CChar(bitPattern: byte)) }
      span.append(0)
    }
    return text
  }
}
