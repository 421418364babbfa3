// SPDX-License-Identifier: Apache-2.0
// Rejects a file: copies it to `failed` with the reason, durably; then records `rejected`; then removes the
// file from the inbox, unless it has changed. After a crash every step is repeated: the copy is found by its
// contents and not made twice, but `rejected` may be recorded twice. A file that is too large is moved first,
// so a crash may lose its record. Reports every error as an `Attempt`.

internal import Files
internal import Vocabulary

/// A file that is recorded as rejected but has not left the inbox yet.
struct Rejection {
  let status: FileStatus
  let sum: FileCopy.Sum
}

extension Claim {
  func reject(_ candidate: Candidate, _ failure: Failure, _ proof: Proof) async -> Attempt {
    let list = memory.drawNumber()
    let end = await reject(candidate, failure, proof, as: list)
    await memory.giveBack(list)
    return end
  }

  private func reject(
    _ candidate: Candidate, _ failure: Failure, _ proof: Proof, as list: ListID
  ) async -> Attempt {
    do throws(Attempt) {
      let dropped = try open(candidate, proof)
      defer { dropped.release() }
      let note = ReasonNote(
        list: list, name: dropped.name, owner: dropped.status.owner, failure: failure,
        time: parts.clock.wallTime())
      return try await dropped.status.size > parts.settings.maximumListSize
        ? setAside(dropped, note) : turnAway(dropped, note)
    } catch { return error }
  }

  private func turnAway(
    _ dropped: DroppedFile, _ note: ReasonNote
  ) async throws(Attempt) -> Attempt {
    let failed = try asAttempt { () throws(SystemError) in try parts.failed.standing() }
    let copy: FreshFile?
    do throws(SystemError) {
      copy = try await LongFiles.aside(dropped.status.size) { () throws(SystemError) in
        try failed.copy(dropped, note)
      }
    } catch { throw error.attempt }
    guard let copy else { throw .changed }
    do throws(Failure) {
      try await LongFiles.aside(dropped.status.size) {
        [groups = parts.groups] () async throws(Failure) in
        try await failed.publish(copy, note, groups)
      }
    } catch { throw error.attempt }
    try await recordRejected(note, dropped)
    memory.rejections[note.list] = Rejection(status: dropped.status, sum: copy.sum)
    return try await withdraw(dropped, note.list, copy.sum) ? .rejected(note.list) : .changed
  }

  /// The file is too large to copy or even read. Moves it to `failed` if that is on the same file system;
  /// otherwise leaves it in place and writes the reason alone.
  private func setAside(
    _ dropped: DroppedFile, _ note: ReasonNote
  ) async throws(Attempt) -> Attempt {
    let isMoved = try asAttempt { () throws(SystemError) in try parts.failed.move(dropped, note) }
    try await recordRejected(note, dropped)
    return isMoved ? .rejected(note.list) : .leftBehind(note.list)
  }

  /// Removes a file that an earlier attempt rejected; returns the number of that rejection.
  func turnedAway(_ dropped: DroppedFile) async throws(Attempt) -> ListID? {
    for (list, rejection) in memory.rejections
    where rejection.status.inode == dropped.status.inode
      && rejection.status.device == dropped.status.device
    {
      if try await withdraw(dropped, list, rejection.sum) { return list }
      memory.rejections[list] = nil
    }
    return nil
  }

  private func recordRejected(
    _ note: ReasonNote, _ dropped: DroppedFile
  ) async throws(Attempt) {
    do throws(Failure) {
      try await parts.rules.reject(
        note.list, name: note.name, owner: dropped.status.owner, note.failure)
    } catch { throw error.attempt }
    memory.lose(note.list)
    memory.use(note.list)
  }

  /// False if the file has changed since it was rejected.
  private func withdraw(
    _ dropped: DroppedFile, _ list: ListID, _ sum: FileCopy.Sum
  ) async throws(Attempt) -> Bool {
    do throws(Failure) {
      let end = try await depart(dropped, as: list, sum)
      if end != .changed { memory.rejections[list] = nil }
      return end != .changed
    } catch { throw error.attempt }
  }
}
