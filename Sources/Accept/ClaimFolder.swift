// SPDX-License-Identifier: Apache-2.0
// `.claim` in the inbox: where a file goes that nobody may open by name any more, and the mark of the
// inbox: a folder without it is another folder, or a bare mount point, and nothing is ever made there by
// itself. The inbox is open to a group, so what lies there under that name may be anybody's: what is not a
// folder of our own is moved aside under `foreign-claim-N` when ours is made, which we may since the inbox
// is ours. Can raise what the kernel says; ENOENT where there is none of ours.

internal import Linux
internal import Vocabulary

struct ClaimFolder {
  static let name = FileName(literal: ".claim")
  private static let lockName = FileName(literal: ".lock")
  private static let probe = FileName(literal: ".probe")
  private static let mode: UInt32 = 0o700
  private static let maximumForeign = 99

  let inbox: any Folder

  /// The folder that must be there already.
  func standing() throws(SystemError) -> any Folder {
    guard let folder = try existing() else {
      throw SystemError(code: 2, call: "openat", thing: "\(inbox.path)/\(Self.name)")
    }
    return folder
  }

  /// nil where there is none of ours to look into.
  func existing() throws(SystemError) -> (any Folder)? {
    guard let status = try status(), Self.isOurs(status) else { return nil }
    if status.mode & 0o777 != Self.mode { try inbox.setMode(Self.mode, of: Self.name) }
    return try inbox.folder(Self.name, creating: false)
  }

  /// The folder, ours and durable; made where it is missing. From here on this is the inbox.
  @discardableResult
  func make() throws(SystemError) -> any Folder {
    if let folder = try existing() { return folder }
    if try status() != nil { try moveAside() }
    let folder = try inbox.folder(Self.name, creating: true)
    guard let made = try status(), Self.isOurs(made) else {
      // Somebody was quicker, or the file system gives what we make to another.
      try? inbox.removeFolder(Self.name)
      throw SystemError(code: 1, call: "mkdirat", thing: "\(inbox.path)/\(Self.name)")
    }
    try inbox.sync()
    return folder
  }

  /// Held for as long as the file is: two daemons would both take what is dropped. EAGAIN where another
  /// holds it.
  func lock() throws(SystemError) -> LinuxFile? {
    guard let claims = try standing() as? LinuxFolder else { return nil }
    let file = try claims.openFile(Self.lockName, .ensure)
    try file.lock()
    return file
  }

  /// Whether the file system gives read leases, tried on a file of our own that goes again.
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

  private func status() throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try inbox.status(of: Self.name)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
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
    throw SystemError(code: 17, call: "renameat", thing: "\(inbox.path)/\(Self.name)")
  }
}
