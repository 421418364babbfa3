// SPDX-License-Identifier: Apache-2.0
// The folder `.claim` in the inbox. Claimed files move there, so that other users cannot open them by name.
// It also marks the inbox: a folder without it is another folder or a bare mount point, and the daemon
// creates nothing there unasked. The inbox is open to a group, so a foreign entry may be called `.claim`;
// `make` renames it to `foreign-claim-N`, which the owner of the inbox may do. Raises SystemError; ENOENT if
// the daemon has no `.claim`.

internal import Files
internal import Linux
internal import Vocabulary

struct ClaimFolder {
  static let name = FileName(literal: ".claim")
  private static let lockName = FileName(literal: ".lock")
  static let probe = FileName(literal: ".probe")
  private static let mode: UInt32 = 0o700
  private static let maximumForeign = 99

  let inbox: any Folder

  /// The existing folder; ENOENT if there is none.
  func standing() throws(SystemError) -> any Folder {
    guard let folder = try existing() else {
      throw SystemError(.missing, call: "openat", thing: "\(inbox.path)/\(Self.name)")
    }
    return folder
  }

  /// Nil if the daemon has no `.claim`.
  func existing() throws(SystemError) -> (any Folder)? {
    guard let status = try inbox.status(ifThere: Self.name), Self.isOurs(status) else { return nil }
    if status.mode & 0o777 != Self.mode { try inbox.setMode(Self.mode, of: Self.name) }
    return try inbox.folder(Self.name, creating: false)
  }

  /// Returns the folder; creates it durably if it is missing, which marks this folder as the inbox.
  @discardableResult
  func make() throws(SystemError) -> any Folder {
    if let folder = try existing() { return folder }
    if try inbox.has(Self.name) { try moveAside() }
    let folder = try inbox.folder(Self.name, creating: true)
    guard let made = try inbox.status(ifThere: Self.name), Self.isOurs(made) else {
      // Another process was faster, or new folders here belong to another user.
      try? inbox.removeFolder(Self.name)
      throw SystemError(.notPermitted, call: "mkdirat", thing: "\(inbox.path)/\(Self.name)")
    }
    try inbox.sync()
    return folder
  }

  /// Keeps a second daemon from claiming the same files, as long as the file is open. EAGAIN if another
  /// daemon holds the lock.
  func lock() throws(SystemError) -> LinuxFile? {
    guard let claims = try standing() as? LinuxFolder else { return nil }
    // After a slip with chown. No daemon of this user holds the lock by such a file, and no other may use the folder.
    if let status = try claims.status(ifThere: Self.lockName), status.owner != ThisProcess.user {
      try claims.removeIfThere(Self.lockName)
    }
    let file = try claims.openFile(Self.lockName, .ensure)
    try file.lock()
    return file
  }

  /// True if the file system grants read leases, tested on a temporary file.
  func hasLeases() throws(SystemError) -> Bool {
    let claims = try standing()
    try claims.removeIfThere(Self.probe)
    try claims.open(Self.probe, .create).write([0x0A], at: 0)
    defer { try? claims.remove(Self.probe) }
    let file = try claims.open(Self.probe, .read)
    defer { FileLease.drop(file) }
    return try FileLease.take(file, "\(claims.path)/\(Self.probe)") == .held
  }

  private static func isOurs(_ status: FileStatus) -> Bool {
    status.kind == .folder && status.owner == ThisProcess.user
  }

  private func moveAside() throws(SystemError) {
    for number in 1...Self.maximumForeign {
      guard let name = FileName("foreign-claim-\(number)") else { continue }
      do throws(SystemError) {
        return try inbox.rename(Self.name, to: inbox, as: name, replacing: false)
      } catch {
        if error.isMissing { return }
        if !error.exists { throw error }
      }
    }
    throw SystemError(.exists, call: "renameat", thing: "\(inbox.path)/\(Self.name)")
  }
}
