// SPDX-License-Identifier: Apache-2.0
// Takes a dropped file out of the inbox once its contents are safe elsewhere: rename into `.claim/N`,
// where nobody can open it by name any more, look again, unlink. A file that is another one by then,
// or has other contents, goes back under its name, or stays in `.claim/N` where that name is taken
// again: it is never lost and never overwrites. Every step can be repeated.

internal import Linux
internal import Vocabulary

struct Withdrawal {
  enum End { case gone, changed, missing }

  let inbox: any Folder
  let bridge: ThreadBridge

  func run(_ original: Original, as list: ListID, _ sum: FileCopy.Sum) throws(SystemError) -> End {
    switch try look(original.name, in: original.folder, original, sum) {
    case .missing: return .missing
    case .changed: return .changed
    case .gone: break
    }
    let claims = try ClaimFolder(inbox: inbox).standing()
    let name = ListFolder.name(list)
    let nest = try claims.folder(name, creating: true)
    try claims.sync()
    if original.candidate.key.place != .claim(list) {
      do throws(SystemError) {
        try original.folder.rename(
          original.name, to: nest, as: original.name, replacing: false)
      } catch {
        if error.isMissing { return .missing }
        throw error
      }
      try nest.sync()
      try original.folder.sync()
    }
    guard try look(original.name, in: nest, original, sum) == .gone else {
      try putBack(original.name, from: nest)
      try? claims.removeFolder(name)
      return .changed
    }
    try nest.remove(original.name)
    try clear(claims, name, original.candidate.key.place)
    return .gone
  }

  /// `gone` means: this is the file, with these contents, and it may go.
  private func look(
    _ name: FileName, in folder: any Folder, _ original: Original, _ sum: FileCopy.Sum
  ) throws(SystemError) -> End {
    do throws(SystemError) {
      let now = try folder.status(of: name)
      guard now.inode == original.status.inode, now.device == original.status.device else {
        return .changed
      }
    } catch {
      if error.isMissing { return .missing }
      throw error
    }
    return try original.isStill(sum, unless: { bridge.isCancelled }) ? .gone : .changed
  }

  private func putBack(_ name: FileName, from nest: any Folder) throws(SystemError) {
    do throws(SystemError) {
      try nest.rename(name, to: inbox, as: name, replacing: false)
    } catch {
      if error.exists || error.isMissing { return }
      throw error
    }
    try inbox.sync()
    try nest.sync()
  }

  private func clear(
    _ claims: any Folder, _ name: FileName, _ place: Candidate.Place
  ) throws(SystemError) {
    try claims.removeFolder(name)
    if case .claim(let other) = place, ListFolder.name(other) != name {
      try? claims.removeFolder(ListFolder.name(other))
    }
    try claims.sync()
  }
}
