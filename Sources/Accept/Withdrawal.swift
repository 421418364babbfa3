// SPDX-License-Identifier: Apache-2.0
// Removes a dropped file from the inbox once its contents are safe elsewhere: renames it into `.claim/N`,
// where other users cannot open it by name, checks it again, unlinks it. A replaced or changed file goes back
// under its name or, if that name is taken, stays in `.claim/N`: it is never lost and never overwrites
// another. Every step can be repeated; its syncs share groups with the syncs of other files. Raises a `Failure`.

internal import Files
internal import Vocabulary

struct Withdrawal {
  enum End { case gone, changed, missing }

  let inbox: any Folder
  let groups: any SyncGroups

  /// The file stays in the inbox until the steps are durable.
  func run(
    _ dropped: DroppedFile, as list: ListID, _ sum: FileCopy.Sum, after steps: [SyncStep]
  ) async throws(Failure) -> End {
    let name = ListFolder.name(list)
    let isInInbox = dropped.candidate.key.place == .inbox
    let (claims, nest) = try asMachine { () throws(SystemError) in
      let claims = try ClaimFolder(inbox: inbox).standing()
      return (claims, try claims.folder(name, creating: true))
    }
    try await groups.sync(steps + [.folder(claims)])
    // After the wait: no other file of this name is moved.
    let found = try await look(dropped.name, in: dropped.folder, dropped, sum)
    guard found == .gone else {
      try? claims.removeFolder(name)
      return found
    }
    if dropped.candidate.key.place != .claim(list) {
      do throws(SystemError) {
        try dropped.folder.rename(
          dropped.name, to: nest, as: dropped.name, replacing: false)
      } catch {
        if error.isMissing { return .missing }
        throw error.name == .busy ? .covered : error.machineFailure
      }
      // Another file may keep the folder that it comes from.
      if !isInInbox { try await groups.sync([.folder(nest), .folder(dropped.folder)]) }
    }
    guard try await look(dropped.name, in: nest, dropped, sum) == .gone else {
      try await putBack(dropped.name, from: nest)
      try? claims.removeFolder(name)
      return .changed
    }
    // Both folders change before one group makes them durable: until then the next start finds the file in either,
    // and its contents are safe.
    try asMachine { () throws(SystemError) in
      try nest.remove(dropped.name)
      try clear(claims, name, dropped.candidate.key.place)
    }
    // A file that an earlier attempt has taken into this list's folder left the inbox unsynced.
    let isFromInbox = isInInbox || dropped.candidate.key.place == .claim(list)
    try await groups.sync(isFromInbox ? [.folder(claims), .folder(inbox)] : [.folder(claims)])
    return .gone
  }

  /// `gone` means that the file and its contents are the same, so it may be removed.
  private func look(
    _ name: FileName, in folder: any Folder, _ dropped: DroppedFile, _ sum: FileCopy.Sum
  ) async throws(Failure) -> End {
    do throws(SystemError) {
      guard let now = try folder.status(ifThere: name) else { return .missing }
      guard now.inode == dropped.status.inode, now.device == dropped.status.device else {
        return .changed
      }
      return try await dropped.isStill(sum) ? .gone : .changed
    } catch {
      // A user can cause all other errors: they count as a change.
      if error.isBeyondUsers { throw error.machineFailure }
      return .changed
    }
  }

  private func putBack(_ name: FileName, from nest: any Folder) async throws(Failure) {
    do throws(SystemError) {
      try nest.rename(name, to: inbox, as: name, replacing: false)
    } catch {
      if error.isMissing { return }
      // It stays here, under a name that is durable before that in the inbox goes.
      guard error.exists else { throw error.machineFailure }
    }
    try await groups.sync([.folder(inbox), .folder(nest)])
  }

  private func clear(
    _ claims: any Folder, _ name: FileName, _ place: Candidate.Place
  ) throws(SystemError) {
    try claims.removeFolder(name)
    if case .claim(let other) = place, ListFolder.name(other) != name {
      try? claims.removeFolder(ListFolder.name(other))
    }
  }
}
