// SPDX-License-Identifier: Apache-2.0
// One look at the inbox and at what lies in `.claim`: names in no order, each with its status where
// neither the name nor its kind decides. Can raise what the kernel says of the folders; single files may vanish.

package import Vocabulary

package enum InboxLook {
  package static func entries(_ inbox: any Folder) throws(SystemError) -> [InboxState.Entry] {
    var entries: [InboxState.Entry] = []
    for entry in try inbox.entries() where entry.name != ClaimFolder.name {
      let key = Candidate.Key(entry.name)
      // What the name or the kind decides need not be looked at, however many there are.
      if let reason = IgnoredReason.judge(entry.name) ?? entry.kind.flatMap(IgnoredReason.judge) {
        entries.append(InboxState.Entry(key, nil, reason))
      } else if let status = try status(of: entry.name, in: inbox) {
        entries.append(InboxState.Entry(key, status, IgnoredReason.judge(status.kind)))
      }
    }
    return try entries + claimed(inbox)
  }

  /// One file again; nil where it is gone.
  static func status(_ key: Candidate.Key, _ inbox: any Folder) throws(SystemError) -> FileStatus? {
    guard case .claim(let list) = key.place else { return try status(of: key.name, in: inbox) }
    do throws(SystemError) {
      let nest = try inbox.folder(ClaimFolder.name, creating: false)
        .folder(ListFolder.name(list), creating: false)
      return try status(of: key.name, in: nest)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Files in `.claim/N`; folders of ours that are empty are removed. A `.claim` that is not ours has
  /// none.
  package static func claimed(_ inbox: any Folder) throws(SystemError) -> [InboxState.Entry] {
    guard let claims = try ClaimFolder(inbox: inbox).existing() else { return [] }
    var entries: [InboxState.Entry] = []
    for nest in try claims.names() {
      guard let list = ListFolder.number(nest) else { continue }
      let folder = try claims.folder(nest, creating: false)
      let names = try folder.names()
      if names.isEmpty { try? claims.removeFolder(nest) }
      for name in names {
        guard let status = try status(of: name, in: folder) else { continue }
        entries.append(InboxState.Entry(Candidate.Key(name, in: .claim(list)), status))
      }
    }
    return entries
  }

  private static func status(
    of name: FileName, in folder: any Folder
  ) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try folder.status(of: name)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
