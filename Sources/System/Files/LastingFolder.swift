// SPDX-License-Identifier: Apache-2.0
// A folder in another folder, kept there as long as the process runs. If a person removes the folder or moves it
// away, the next call that misses a name makes an empty folder in its place, and reports the loss once. Only for
// folders of the daemon whose loss costs no more than their contents. Raises `SystemError`.
// Concurrency model: one Mutex around the current folder, which is also held while the folder is made again.

internal import Synchronization
package import Vocabulary

package final class LastingFolder: Folder {
  private let parent: any Folder
  private let name: FileName
  private let tell: @Sendable (String) -> Void
  private let current: Mutex<any Folder>
  package let path: String

  /// Makes the folder if it is missing.
  /// - Parameter tell: called with the path when the folder was lost.
  package init(
    _ name: FileName, in parent: any Folder, tell: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    (self.parent, self.name, self.tell) = (parent, name, tell)
    let folder = try parent.folder(name, creating: true)
    path = folder.path
    current = Mutex(folder)
  }

  /// The folder in the place of a lost one; nil if it was not lost.
  private func renew(_ lost: any Folder) throws(SystemError) -> (any Folder)? {
    let known = current.withLock { $0 }
    if known !== lost { return known }
    if try isThere(lost) { return nil }
    let (folder, isNew) = try current.withLock {
      (current) throws(SystemError) -> (any Folder, Bool) in
      // Another task may have been faster.
      if current !== lost { return (current, false) }
      current = try parent.folder(name, creating: true)
      return (current, true)
    }
    if isNew { tell(path) }
    return folder
  }

  private func isThere(_ folder: any Folder) throws(SystemError) -> Bool {
    do throws(SystemError) { return try parent.identity(of: name) == folder.identity() } catch {
      guard error.isMissing else { throw error }
      return false
    }
  }

  private func attempt<Value>(
    _ act: (any Folder) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    let folder = current.withLock { $0 }
    do throws(SystemError) { return try act(folder) } catch {
      guard error.isMissing, let again = try renew(folder) else { throw error }
      return try act(again)
    }
  }

  package func standing() throws(SystemError) -> any Folder {
    let folder = current.withLock { $0 }
    return try renew(folder) ?? folder
  }

  package func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    try attempt { (folder) throws(SystemError) in try folder.open(name, use) }
  }

  package func openUnnamed(_ name: FileName) throws(SystemError) -> any OpenFile {
    try attempt { (folder) throws(SystemError) in try folder.openUnnamed(name) }
  }

  package func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try attempt { (folder) throws(SystemError) in try folder.folder(name, creating: creating) }
  }

  package func makeFolder(_ name: FileName) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in try folder.makeFolder(name) }
  }

  package func rename(
    _ name: FileName, to target: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in
      try folder.rename(name, to: target.standing(), as: newName, replacing: replacing)
    }
  }

  package func renameOnce(
    _ name: FileName, to target: any Folder, as newName: FileName
  ) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in
      try folder.renameOnce(name, to: target.standing(), as: newName)
    }
  }

  package func link(
    _ name: FileName, to target: any Folder, as newName: FileName
  ) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in
      try folder.link(name, to: target.standing(), as: newName)
    }
  }

  package func remove(_ name: FileName) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in try folder.remove(name) }
  }

  package func removeFolder(_ name: FileName) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in try folder.removeFolder(name) }
  }

  package func names() throws(SystemError) -> [FileName] {
    try attempt { (folder) throws(SystemError) in try folder.names() }
  }

  package func entries() throws(SystemError) -> [FolderEntry] {
    try attempt { (folder) throws(SystemError) in try folder.entries() }
  }

  package func isEmpty() throws(SystemError) -> Bool {
    try attempt { (folder) throws(SystemError) in try folder.isEmpty() }
  }

  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    try attempt { (folder) throws(SystemError) in try folder.status(of: name) }
  }

  package func sync() throws(SystemError) { try current.withLock { $0 }.sync() }
  package func syncFileSystem() throws(SystemError) {
    try current.withLock { $0 }.syncFileSystem()
  }
  package func identity() throws(SystemError) -> FolderIdentity {
    try current.withLock { $0 }.identity()
  }

  package func identity(of name: FileName) throws(SystemError) -> FolderIdentity {
    try attempt { (folder) throws(SystemError) in try folder.identity(of: name) }
  }

  package var isMountPoint: Bool { current.withLock { $0 }.isMountPoint }
  package func isOtherFileSystem(_ name: FileName) -> Bool {
    current.withLock { $0 }.isOtherFileSystem(name)
  }
  package func room() throws(SystemError) -> DiskRoom { try current.withLock { $0 }.room() }

  package func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in try folder.setMode(mode, of: name) }
  }

  package func setReader(_ user: UInt32, of name: FileName) throws(SystemError) {
    try attempt { (folder) throws(SystemError) in try folder.setReader(user, of: name) }
  }

  package func reader(of name: FileName) throws(SystemError) -> UInt32? {
    try attempt { (folder) throws(SystemError) in try folder.reader(of: name) }
  }

  package func checkChanges() throws(SystemError) {
    try current.withLock { $0 }.checkChanges()
  }
}
