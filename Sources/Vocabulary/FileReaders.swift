// SPDX-License-Identifier: Apache-2.0
// The readers of a file or a folder besides the daemon and root. A user's right is an entry in the file's access
// control list: the daemon may not give files away. Where the file system has no such lists, or refuses this one, the
// file stays private. Raises SystemError.

package enum FileReaders: Equatable, Sendable {
  case group
  /// This user alone; no user, if it is root or the daemon's own user.
  case user(UInt32)

  /// The owner of a list; without one, as its files are damaged, root.
  package init(owner: UInt32?) { self = .user(owner ?? 0) }

  fileprivate func mode(isFolder: Bool) -> UInt32 {
    switch self {
    case .group: isFolder ? 0o750 : 0o640
    case .user: isFolder ? 0o700 : 0o600
    }
  }

  /// Makes the entry of the user who needs one. The owner of the file has every right without it, and so has root.
  fileprivate func admit(
    _ status: FileStatus, _ setReader: (UInt32) throws(SystemError) -> Void
  ) throws(SystemError) {
    guard case .user(let user) = self, user != status.owner, user != 0 else { return }
    do throws(SystemError) { try setReader(user) } catch {
      guard error.meansNoReaders else { throw error }
    }
  }
}

extension OpenFile {
  /// For a new file: this descriptor made it.
  package func setReaders(_ readers: FileReaders) throws(SystemError) {
    let mode = readers.mode(isFolder: false)
    // One call for most prints: there are many.
    if readers == .group { return try setMode(mode) }
    let status = try status()
    // A server may have its own idea of the mode of new files.
    if status.mode & 0o777 != mode { try setMode(mode) }
    try readers.admit(status) { user throws(SystemError) in try setReader(user) }
  }
}

extension Folder {
  /// For a file or a folder that the daemon owns, whatever its rights are now.
  package func setReaders(_ readers: FileReaders, of name: FileName) throws(SystemError) {
    let status = try status(of: name)
    try setMode(readers.mode(isFolder: status.kind == .folder), of: name)
    try readers.admit(status) { user throws(SystemError) in try setReader(user, of: name) }
  }

  /// True if this user alone may read the file or folder.
  package func hasReaders(_ user: UInt32, _ name: FileName) throws(SystemError) -> Bool {
    let status = try status(of: name)
    if status.mode & 0o077 == 0 { return user == 0 || user == status.owner }
    do throws(SystemError) { return try reader(of: name) == user } catch {
      guard error.meansNoReaders else { throw error }
      return false
    }
  }

  /// False if an existing file or folder is for another user. `status` belongs to the name.
  package func isFor(
    _ readers: FileReaders, _ name: FileName, _ status: FileStatus
  ) throws(SystemError) -> Bool {
    guard case .user(let user) = readers else { return true }
    do throws(SystemError) {
      if let reader = try reader(of: name) { return reader == user }
    } catch {
      guard error.meansNoReaders else { throw error }
      return true
    }
    return user == status.owner || user == 0
  }
}

extension SystemError {
  /// The file system has no access control lists, refuses them, or does not know the user.
  package var meansNoReaders: Bool {
    switch name {
    case .notSupported, .noSuchCall, .notPermitted, .invalid: true
    default: false
    }
  }
}
