// SPDX-License-Identifier: Apache-2.0
// Steps 6 to 11 of a claim: records the list, then removes the file from the inbox. A repeat does only the
// steps that are missing. Also recognises a dropped file whose claim was interrupted after step 5. Raises an
// `Attempt` or SystemError.

internal import Files
internal import Vocabulary

extension Claim {
  enum Completion { case whole, changed }

  func complete(
    _ list: ListID, _ about: AboutFile, _ dropped: DroppedFile
  ) async throws(Attempt) -> Completion {
    try await record(list, about)
    let end: Withdrawal.End
    do throws(Failure) {
      let mark = try asMachine { () throws(SystemError) in try double(list) }
      end = try await depart(dropped, as: list, about.droppedSum, after: mark)
    } catch { throw error.attempt }
    switch end {
    case .gone: do throws(SystemError) { try await close(list) } catch { throw error.attempt }
    case .missing: break  // moved or renamed: recognised by its inode when it reappears
    case .changed: return .changed
    }
    return .whole
  }

  /// Records `accepted`, unless the list is recorded already.
  func record(_ list: ListID, _ about: AboutFile) async throws(Attempt) {
    if try asAttempt({ () throws(SystemError) in try isKept(list) }) { return }
    try await accept(list, about)
  }

  func accept(_ list: ListID, _ about: AboutFile) async throws(Attempt) {
    do throws(Failure) {
      try await parts.rules.accept(list, about.acceptance, about, by: nil)
      memory.use(list)
    } catch { throw error.attempt }
  }

  /// Repeats `accepted` in the list's `state` file. Returns the steps that make it durable. A word that is there is
  /// written again: its sync may have failed, and a second one alone would promise nothing.
  func double(_ list: ListID) throws(SystemError) -> [SyncStep] {
    try ListMarks.write(
      .accepted, in: parts.lists.folder(ListFolder.name(list), creating: false))
  }

  /// Removes the dropped file from the inbox once the steps are durable. Sweeps do not see its place in `.claim`
  /// meanwhile.
  func depart(
    _ dropped: DroppedFile, as list: ListID, _ sum: FileCopy.Sum, after steps: [SyncStep] = []
  ) async throws(Failure) -> Withdrawal.End {
    memory.use(nest: list)
    defer { memory.release(nest: list) }
    return try await Withdrawal(inbox: inbox, groups: parts.groups)
      .run(dropped, as: list, sum, after: steps)
  }

  /// Call when the dropped file has left the inbox or has changed.
  func close(_ list: ListID) async throws(SystemError) {
    if try isKept(list) {
      let folder = try parts.lists.folder(ListFolder.name(list), creating: false)
      try ListMarks.note(.claimed, in: folder)
    } else {
      try parts.lists.removeFlat(ListFolder.name(list))
    }
    await memory.forget(list)
  }

  /// Recorded, or returned and since forgotten by the record: such a list is never accepted again.
  private func isKept(_ list: ListID) throws(SystemError) -> Bool {
    if parts.rules.isRecorded(list) { return true }
    guard let folder = try parts.lists.folder(ifThere: ListFolder.name(list)) else { return false }
    return try ListMarks(of: folder).isReturned
  }

  /// The list that an earlier claim made of this file, if the contents are unchanged.
  func known(_ dropped: DroppedFile) async throws(Attempt) -> (ListID, AboutFile)? {
    do throws(SystemError) {
      for (list, about) in memory.drops where about.inode == dropped.status.inode {
        let name = about.droppedName
        if name != dropped.name, try isHardLink(dropped, to: name) { continue }
        if about.resembles(dropped.status),
          try await LongFiles.has(dropped.file, about.droppedSum)
        {
          return (list, about)
        }
        // Another file system may have the inode for another file.
        if about.device == dropped.status.device || name == dropped.name { try await close(list) }
      }
      return nil
    } catch { throw error.attempt }
  }

  /// The name under which the list was dropped still links to the same inode: this name is a hard link, and
  /// another drop.
  private func isHardLink(_ dropped: DroppedFile, to name: FileName) throws(SystemError) -> Bool {
    let status = try inbox.statusUnlessCovered(name)
    return status?.inode == dropped.status.inode && status?.device == dropped.status.device
  }
}
