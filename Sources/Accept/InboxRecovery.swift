// SPDX-License-Identifier: Apache-2.0
// Runs at start, before the first sweep: cleans up after a crash in STATE/lists and `.claim`. Removes lists
// that were not accepted: their files are still in the inbox. Records accepted lists again if the record was
// lost, and removes their files from the inbox, so that no file is accepted twice. Leaves an unreadable
// folder in place and reports it; renames one with a damaged `about` and no record. Can be repeated. Raises
// an `Attempt` if the whole machine is in trouble.

internal import Files
internal import Vocabulary

struct InboxRecovery {
  let claim: Claim

  func run() async throws(Attempt) {
    let names: [FileName]
    do throws(SystemError) {
      names = try claim.parts.lists.names()
    } catch { throw .troubled(error.machineFailure) }
    for name in names {
      if ListFolder.isStaged(name) {
        claim.memory.discard(name)
      } else if let list = ListFolder.number(name) {
        if let failure = try await examine(list) { claim.memory.skip(list, failure) }
      }
    }
    try await finish()
  }

  /// The trouble of one list's folder. If the whole machine is in trouble, nothing may be accepted.
  private func trouble(_ error: SystemError) throws(Attempt) -> Failure {
    guard error.isOfOneThing else { throw error.attempt }
    return error.machineFailure
  }

  /// Returns the trouble of the list's folder.
  private func examine(_ list: ListID) async throws(Attempt) -> Failure? {
    let name = ListFolder.name(list)
    let folder: any Folder
    let standing: ListMarks
    let isRecorded = claim.parts.rules.isRecorded(list)
    do throws(SystemError) {
      folder = try claim.parts.lists.folder(name, creating: false)
      standing = try ListMarks(of: folder)
      if !isRecorded, standing.drop == nil, !standing.isReturned {
        try claim.parts.lists.removeFlat(name)
        return nil
      }
      // It is developed again: what an earlier life has given back is not its result.
      if !isRecorded, !standing.isReturned, try folder.has(ListFolder.resulted) {
        try folder.remove(ListFolder.resulted)
        try folder.sync()
      }
    } catch { return try trouble(error) }
    // A returned list is over, even if the record has forgotten it since.
    let isKnown = isRecorded || standing.isReturned
    if isKnown, standing.drop == .claimed { return nil }
    let about: AboutFile
    do throws(Failure) {
      about = try AboutFile.read(from: folder)
    } catch {
      // A recorded list stays in place: a person may repair it, or cancel the list.
      if error.code == AboutFile.damage, !isRecorded { return try await setAside(list, error) }
      guard error.kind == .final || error.code == SystemError.Name.inputOutput.failureCode else {
        throw .troubled(error)
      }
      return error
    }
    if standing.drop != .claimed {
      do throws(SystemError) {
        if about.wasDropped, try folder.has(ListFolder.roll) {
          claim.memory.rememberRoll(
            list, UnfinishedRoll(key: key(of: about, in: folder), owner: about.owner))
        } else {
          claim.memory.remember(list, about)
        }
      } catch { return try trouble(error) }
    }
    try await claim.record(list, about)
    if standing.drop == .claimed { return nil }
    do throws(SystemError) { try claim.double(list).run() } catch { return try trouble(error) }
    return nil
  }

  /// Where the pictures lay. Without a readable file `roll`, none is left to remove.
  private func key(of about: AboutFile, in folder: any Folder) -> Candidate.Key {
    guard let roll = try? RollFile.read(from: folder), roll.base > 0,
      let top = roll.rows.first?.path.first
    else { return Candidate.Key(Roll.looseName, in: .loose(owner: about.owner)) }
    return Candidate.Key(top)
  }

  /// Looks for the dropped files of accepted lists: by place, then by name, then by inode.
  private func finish() async throws(Attempt) {
    if claim.memory.drops.isEmpty { return }
    var entries: [InboxState.Entry] = []
    // No list that was dropped as a file lies in a folder.
    var walks = RollWalks()
    do throws(SystemError) {
      entries = try claim.memory.look(at: claim.inbox).sight(&walks, at: .zero).entries
    } catch { throw .troubled(error.machineFailure) }
    var isSynced = false
    for (list, about) in claim.memory.drops.sorted(by: { $0.key < $1.key }) {
      let matches = entries.filter { $0.status.map(about.resembles) ?? false }
      let best =
        matches.first { $0.key.place == .claim(list) }
        ?? matches.first { $0.key.name == about.droppedName } ?? matches.first
      if let best, let status = best.status {
        // If a writer has it open, it changed, or in trouble, the sweep handles it.
        _ = await claim.finish(Candidate(key: best.key, status: status))
      } else if entries.contains(where: { $0.isCovered && $0.key.name == about.droppedName }) {
        // It may be below, and belongs to its list when it can be seen again.
        continue
      } else {
        do throws(SystemError) {
          // An earlier run has removed its file, and perhaps not synced that.
          if !isSynced {
            try ClaimFolder(inbox: claim.inbox).existing()?.sync()
            try claim.inbox.sync()
            isSynced = true
          }
          try await claim.close(list)
        } catch {
          if !error.isOfOneThing { throw error.attempt }
          claim.memory.skip(list, error.machineFailure)
        }
      }
    }
  }

  private func setAside(_ list: ListID, _ failure: Failure) async throws(Attempt) -> Failure? {
    do throws(SystemError) {
      try claim.parts.lists.rename(
        ListFolder.name(list), to: claim.parts.lists, as: ListFolder.damaged(list), replacing: false
      )
      try claim.parts.lists.sync()
    } catch { return try trouble(error) }
    await claim.memory.forget(list)
    claim.parts.rules.tell(.setAside(list, failure))
    return nil
  }
}
