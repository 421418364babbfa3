// SPDX-License-Identifier: Apache-2.0
// Turns a dropped file into a list. The order of the steps keeps promise one at every instant: a file that
// has left the inbox is durable here. Confined to the inbox's thread. Reports every error as an `Attempt`.
//
//  k  step                                             a crash after it: the next start …
//  1  open, lease, status; too large or empty: refused … finds the file in the inbox, starts over
//  2  copy to lists/.staged-N/list.plist while hashing … removes .staged-N, starts over
//  3  a worker reads the copy into .staged-N/catalog   … the same
//  4  about; rename .staged-N to N                     … N is not recorded, state is empty: removes N
//  5  sync all files, the folder and lists             … the same
//  6  record `accepted`                                … writes state, continues at 8
//  7  lists/N/state = accepted; make .claim/N; sync    … continues at 8; repeats a lost record
//  8  same inode, lease unbroken or contents equal     … inode, times and hash match N: continues at 9
//  9  rename to .claim/N/NAME                          … finds it there or in the inbox, matches, continues
// 10  check as in 8; unlink, remove .claim/N, sync     … finds no file: syncs as here, continues at 11
// 11  lists/N/state = claimed, not synced              … has nothing left to do, or finds no file as at 10
//
// Each sync awaits a group (SyncGroups), so the claims of many lists share them.
//
// For a short file, steps 2 and 3 may run before 1, while it is too young to be tried; step 2 then compares
// (ReadAhead). At 8 and 10 a changed file stays in or returns to the inbox as a new candidate; N stands.
//
// The walk: a list, from the inbox to its record.
// - `Doorbell` (inotify) wakes the thread "inbox"; `InboxLoop` looks at the folder.
// - `InboxState`, a value, decides when to try a file; a read lease or quiet time proves that it is complete.
// - `ClaimQueue` picks the next file, and `InboxLoop` starts `Claim.attempt`. `Claim.stage` takes the steps 1 to
//   5: a worker reads the copy (`ListReading`) and writes the catalog, and `ListIntake.prepare` settles names,
//   settings and the folder of prints.
// - Each sync of a claim goes through `SyncGroups`: the recorder's syncer takes the syncs of all lists at the same
//   time. Files and folders on other file systems, such as an inbox on a server, are left to their callers, so
//   that a slow file system holds up no other list.
// - `Claim.accept` calls `ListIntake.accept`, which records `accepted`; when that is durable, it reports the list
//   and calls `ListKeeper.begin`. `Claim.complete` takes the steps from 7 on.
//
// Dropped pictures take the same way. `InboxLook` makes one candidate of a folder, or of the pictures of one user
// in the inbox itself (`Roll`). `RollClaim` copies them into the staging folder, writes the file `roll` and the
// list, and removes them from the inbox one by one (`RollWithdrawal`).

internal import Files
internal import Vocabulary

struct Claim {
  let memory: ClaimMemory
  /// Held open for the life of the claim, so that the inbox cannot be unmounted.
  let inbox: any Folder
  /// True if a lease proves that a file is complete.
  let trustsLeases: Bool

  var parts: ClaimParts { memory.parts }

  func attempt(_ candidate: Candidate, _ proof: Proof) async -> Attempt {
    do throws(Attempt) {
      return candidate.isRoll
        ? try await RollClaim(claim: self).take(candidate)
        : try await take(candidate, proof)
    } catch { return error }
  }

  func probe(_ candidate: Candidate) -> Probe {
    do throws(Attempt) {
      if candidate.isRoll { return try RollClaim(claim: self).probe(candidate) }
      return DroppedFile.probe(candidate, in: try folder(of: candidate.key.place))
    } catch { return Probe(error) }
  }

  private func take(_ candidate: Candidate, _ proof: Proof) async throws(Attempt) -> Attempt {
    let dropped = try open(candidate, proof)
    defer { dropped.release() }
    if let list = try await turnedAway(dropped) { return .rejected(list) }
    if let (list, about) = try await known(dropped) {
      return try await complete(list, about, dropped) == .changed ? .changed : .finished(list)
    }
    try DroppedFile.checkNames(dropped.status)
    if let failure = await parts.rules.fullness(
      for: candidate.status.owner, besides: memory.entering, adding: 0)
    {
      throw failure.kind == .cancelled ? .interrupted : .full(failure)
    }
    let (list, about) = try await memory.enter { () async throws(Attempt) in
      try checkSize(dropped)
      let (list, about) = try await stage(dropped)
      memory.remember(list, about)
      try await accept(list, about)
      return (list, about)
    }
    return try await complete(list, about, dropped) == .changed ? .changed : .accepted(list)
  }

  func open(_ candidate: Candidate, _ proof: Proof) throws(Attempt) -> DroppedFile {
    // Without `.claim` the file could not leave the inbox.
    do throws(SystemError) {
      _ = try ClaimFolder(inbox: inbox).standing()
    } catch { throw .troubled(InboxTrouble.claim(inbox.path, error)) }
    return try DroppedFile(
      candidate, in: folder(of: candidate.key.place), proof, trustsLeases: trustsLeases)
  }

  private func folder(of place: Candidate.Place) throws(Attempt) -> any Folder {
    switch place {
    case .inbox: return inbox
    case .claim(let list):
      let nest = try asAttempt { () throws(SystemError) in
        try inbox.folder(ifThere: ClaimFolder.name)?.folder(ifThere: ListFolder.name(list))
      }
      guard let nest else { throw .missing }
      return nest
    case .loose: throw .missing
    }
  }

  private func checkSize(_ dropped: DroppedFile) throws(Attempt) {
    if dropped.status.size == 0 {
      throw .refused(
        Failure(
          .final, code: "list.empty", reason: "the file is empty",
          advice: "Write a property list into it that names photos and their URLs"), dropped.proof)
    }
    if dropped.status.size > parts.settings.maximumListSize {
      throw .refused(Self.tooLarge(dropped.status, parts.settings), dropped.proof)
    }
  }

  static func tooLarge(_ status: FileStatus, _ settings: InboxSettings) -> Failure {
    Failure(
      .final, code: "list.size",
      reason: "the file has \(status.size) bytes; the limit is \(settings.maximumListSize)",
      advice: "Split the list, or raise MaximumListSize= in darkroomd.conf")
  }

  /// Removes the dropped file of a known list from the inbox; makes no new list.
  func finish(_ candidate: Candidate) async -> Attempt {
    do throws(Attempt) {
      let dropped = try open(candidate, .lease)
      defer { dropped.release() }
      guard let (list, about) = try await known(dropped) else { return .changed }
      return try await complete(list, about, dropped) == .changed ? .changed : .finished(list)
    } catch { return error }
  }
}
