// SPDX-License-Identifier: Apache-2.0
// One look at the inbox and at `.claim`: unordered names, each with its status if neither the name nor its
// kind decides. Raises SystemError; a file that vanishes is left out.

internal import Files
internal import Linux
package import Vocabulary

package enum InboxLook {
  package static func entries(_ inbox: any Folder) throws(SystemError) -> [InboxState.Entry] {
    // First, because it may remove a name from the inbox.
    var entries = try claimed(inbox)
    for entry in try inbox.entries()
    where entry.name != ClaimFolder.name && !NewFile.isTemporary(entry.name) {
      let key = Candidate.Key(entry.name)
      // No stat where the name or the kind decides: there may be many.
      if let reason = IgnoredReason.judge(entry.name) ?? entry.kind.flatMap(IgnoredReason.judge) {
        entries.append(InboxState.Entry(key, ignored: reason))
      } else if let status = try inbox.status(ifThere: entry.name) {
        entries.append(InboxState.Entry(key, status))
      }
    }
    return entries
  }

  /// The current status of one file; nil if it is gone.
  static func status(_ key: Candidate.Key, _ inbox: any Folder) throws(SystemError) -> FileStatus? {
    guard case .claim(let list) = key.place else { return try inbox.status(ifThere: key.name) }
    let nest = try inbox.folder(ifThere: ClaimFolder.name)?.folder(ifThere: ListFolder.name(list))
    return try nest?.status(ifThere: key.name)
  }

  /// The files in `.claim/N`. Removes empty folders, and a probe that could not be removed. A foreign `.claim`
  /// yields no files.
  package static func claimed(_ inbox: any Folder) throws(SystemError) -> [InboxState.Entry] {
    guard let claims = try ClaimFolder(inbox: inbox).existing() else { return [] }
    var entries: [InboxState.Entry] = []
    for nest in try claims.names() {
      if nest == ClaimFolder.probe { try? claims.remove(nest) }
      guard let list = ListFolder.number(nest) else { continue }
      let folder = try claims.folder(nest, creating: false)
      let names = try folder.names()
      if names.isEmpty { try? claims.removeFolder(nest) }
      for name in names {
        guard let status = try claimed(name, in: folder, inbox) else { continue }
        entries.append(InboxState.Entry(Candidate.Key(name, in: .claim(list)), status))
      }
    }
    return entries
  }

  /// If the file system renames by link and unlink, a crash between the two leaves the name in the inbox as
  /// well: removes that name.
  private static func claimed(
    _ name: FileName, in nest: any Folder, _ inbox: any Folder
  ) throws(SystemError) -> FileStatus? {
    let found = try nest.status(ifThere: name)
    guard let found, found.links > 1, let left = try inbox.status(ifThere: name),
      left.inode == found.inode, left.device == found.device
    else { return found }
    try? inbox.remove(name)
    return try nest.status(ifThere: name)
  }
}
