// SPDX-License-Identifier: Apache-2.0
// `.claim` in the inbox: where a file goes that nobody may open by name any more. The inbox is open to a
// group, so what lies there under that name may be anybody's: what is not a folder of our own is moved
// aside under `foreign-claim-N`, which we may since the inbox is ours. Can raise what the kernel says.

internal import Linux
internal import Vocabulary

struct ClaimFolder {
  static let name = FileName(literal: ".claim")
  private static let mode: UInt32 = 0o700
  private static let maximumForeign = 99

  let inbox: any Folder

  /// The folder, ours and durable; made where it is missing.
  func ready() throws(SystemError) -> any Folder {
    if let folder = try standing() { return folder }
    let folder = try inbox.folder(Self.name, creating: true)
    guard let made = try status(), Self.isOurs(made) else {
      // Somebody was quicker, or the file system gives what we make to another.
      try? inbox.removeFolder(Self.name)
      throw SystemError(code: 1, call: "mkdirat", thing: "\(inbox.path)/\(Self.name)")
    }
    try inbox.sync()
    return folder
  }

  /// nil where there is none of ours to look into.
  func existing() throws(SystemError) -> (any Folder)? {
    guard let status = try status(), Self.isOurs(status) else { return nil }
    return try inbox.folder(Self.name, creating: false)
  }

  private func standing() throws(SystemError) -> (any Folder)? {
    guard let status = try status() else { return nil }
    guard Self.isOurs(status) else {
      try moveAside()
      return nil
    }
    if status.mode & 0o777 != Self.mode { try inbox.setMode(Self.mode, of: Self.name) }
    return try inbox.folder(Self.name, creating: false)
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
