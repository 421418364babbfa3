// SPDX-License-Identifier: Apache-2.0
// Makes a list of dropped pictures. The order of the steps keeps promise one for each picture: one that has left
// the inbox is durable here. Confined to the inbox's thread; long work runs on the disk. Raises an `Attempt`.
//
//  k  step                                             a crash after it: the next start …
//  1  look at all pictures: no program writes them   … finds them in the inbox, starts over
//  2  copy them to lists/.staged-N/picture-K; sync   … removes .staged-N, starts over
//  3  write the file roll and the list; a worker       … the same
//     reads the list; about
//  4  rename .staged-N to N, sync all and lists      … N is not recorded, state is empty: removes N
//  5  record `accepted`, lists/N/state = accepted    … continues at 6
//  6  remove each picture that is as it was copied   … finds N not claimed, continues at 6
//     (RollWithdrawal)
//  7  lists/N/state = claimed                        … has nothing left to do
//
// A picture that changes after step 2 stays: the next roll takes it. One that is open for writing keeps the list at
// step 6 until it is closed. A folder is never complete for certain, so that pictures which come after step 1 become
// another list.

internal import Files
internal import Linux
internal import Vocabulary

struct RollClaim {
  let claim: Claim

  private var parts: ClaimParts { claim.parts }
  private var memory: ClaimMemory { claim.memory }

  func probe(_ candidate: Candidate) throws(Attempt) -> Probe {
    try Self.roll(candidate.key, memory.look(at: claim.inbox))?.finding ?? .missing
  }

  /// A user can close an own folder, but not the inbox.
  private static func roll(
    _ key: Candidate.Key, _ look: InboxLook
  ) throws(Attempt) -> Roll? {
    do throws(SystemError) { return try look.roll(key) } catch {
      throw key.place == .inbox
        ? error.attempt(closed: { RollLook.closed([key.name], $0) }) : error.attempt
    }
  }

  func take(_ candidate: Candidate) async throws(Attempt) -> Attempt {
    let roll = UnfinishedRoll(key: candidate.key, owner: candidate.status.owner)
    let unfinished = memory.rolls.filter { $0.value == roll }.keys.sorted()
    for list in unfinished { try await finishRecorded(list) }
    if !unfinished.isEmpty { return .changed }
    guard let standing = await parts.rules.standing() else { throw .interrupted }
    let failure = parts.rules.fullness(
      for: candidate.status.owner, besides: memory.entering, adding: 0, on: standing)
    if let failure { throw .full(failure) }
    let list = try await memory.enter { () async throws(Attempt) in try await make(candidate) }
    try await finish(list)
    return .accepted(list)
  }

  /// Those pictures for which there is room, and the room. Mistakes of the owner come before a lack of room, because they
  /// may be its cause.
  private func fitting(
    _ roll: Roll, _ owner: UInt32
  ) async throws(Attempt) -> (Roll, CopyRoom.Promise) {
    let size = roll.status.size
    let room = try await room(for: owner)
    if room.lack(size) == nil { return (roll, room.promise(size)) }
    let copy = copy(of: roll)
    let sound = try await onDisk { () throws(Attempt) in try copy.withoutHoles() }
    // Other copies were written meanwhile.
    let rest = try await self.room(for: owner)
    if roll.key.place == .inbox {
      if let lack = rest.lack(size) { throw lack.lackOfRoom }
      return (sound, rest.promise(size))
    }
    let chosen = try RollRoom(roll: sound, lack: rest.lack).fitting()
    return (chosen, rest.promise(chosen.status.size))
  }

  /// The room of this moment, if nothing else keeps a list of the user out: ask and promise without a wait in between.
  private func room(
    for owner: UInt32
  ) async throws(Attempt) -> (
    lack: (UInt64) -> Failure?, promise: (UInt64) -> CopyRoom.Promise
  ) {
    guard let standing = await parts.rules.standing() else { throw .interrupted }
    let (rules, memory) = (parts.rules, memory)
    func lack(_ bytes: UInt64) -> Failure? {
      rules.fullness(for: owner, besides: memory.entering - 1, adding: bytes, on: standing)
    }
    if let failure = lack(0) { throw .full(failure) }
    return (lack, { rules.copies.promise($0, on: standing.device) })
  }

  private func copy(of roll: Roll) -> RollCopy {
    RollCopy(roll: roll, inbox: claim.inbox, trustsLeases: claim.trustsLeases)
  }

  /// Makes and records the list of those pictures for which there is room.
  private func make(_ candidate: Candidate) async throws(Attempt) -> ListID {
    _ = try asAttempt { () throws(SystemError) in try ClaimFolder(inbox: claim.inbox).standing() }
    let look = memory.look(at: claim.inbox)
    let roll = try await onDisk { () throws(Attempt) in
      try Self.roll(candidate.key, look)
    }
    guard let roll else { throw .missing }
    if let obstacle = roll.obstacle {
      throw obstacle.kind == .final ? .unreadable(obstacle) : obstacle.attempt
    }
    // Of a stream of pictures that does not end, those are taken that are there now.
    guard candidate.isLoose || roll.status == candidate.status else { throw .changed }
    let (chosen, room) = try await fitting(roll, candidate.status.owner)
    let (list, about) = try await claim.stage { staged async throws(Attempt) in
      try await fill(staged, chosen, in: room)
    }
    memory.rememberRoll(
      list, UnfinishedRoll(key: candidate.key, owner: candidate.status.owner))
    try await claim.record(list, about)
    if !roll.remainders.isEmpty { parts.rules.tell(.left(roll.remainders)) }
    return list
  }

  // MARK: the end

  /// Finishes the lists of a user whose pictures could not all be removed before, each for itself. True if none is left.
  func finishAll(of owner: UInt32) async -> Bool {
    var isDone = true
    let rolls = memory.rolls.filter { $0.value.owner == owner }
    for (list, roll) in rolls.sorted(by: { $0.key < $1.key }) {
      let name = roll.key.name
      do throws(Attempt) {
        try await finishRecorded(list)
        parts.rules.tell(.waits(name, nil))
      } catch {
        isDone = false
        let failure: Failure
        switch error {
        case .troubled(let trouble), .unreadable(let trouble): failure = trouble
        case .covered: failure = .coveredPicture
        default: continue
        }
        let words = "the pictures of list \(list) cannot leave the inbox: \(failure.reason)"
        parts.rules.tell(
          .waits(
            name,
            Failure(failure.kind, code: failure.code, reason: words, advice: failure.advice)))
      }
    }
    return isDone
  }

  private func finishRecorded(_ list: ListID) async throws(Attempt) {
    // Its record may have failed in between.
    let folder = try asAttempt { () throws(SystemError) in
      try parts.lists.folder(ifThere: ListFolder.name(list))
    }
    guard let folder else { return await memory.forget(list) }
    let about: AboutFile
    do throws(Failure) { about = try AboutFile.read(from: folder) } catch { throw error.attempt }
    try await claim.record(list, about)
    try await finish(list)
  }

  /// Steps 6 and 7 of a recorded list; repeats what is missing. Raises `writer` if a program has a picture open, and `covered`
  /// if something is mounted over one.
  func finish(_ list: ListID) async throws(Attempt) {
    memory.use(nest: list)
    defer { memory.release(nest: list) }
    try asAttempt { () throws(SystemError) in try claim.double(list).run() }
    let (inbox, lists) = (claim.inbox, parts.lists)
    let obstacle = try await onDisk { () throws(Attempt) -> Attempt? in
      guard let roll = try Self.pictures(of: list, in: lists) else { return nil }
      var withdrawal = RollWithdrawal(inbox: inbox, list: list, roll: roll)
      return try withdrawal.run()
    }
    if let obstacle { throw obstacle }
    do throws(SystemError) { try await claim.close(list) } catch { throw error.attempt }
  }

  /// Nil if they are not known any more: those that are still in the inbox become another list.
  private static func pictures(
    of list: ListID, in lists: any Folder
  ) throws(Attempt) -> RollFile? {
    do throws(Failure) {
      let folder = try asMachine { () throws(SystemError) in
        try lists.folder(ListFolder.name(list), creating: false)
      }
      return try RollFile.read(from: folder)
    } catch {
      if error.kind == .final { return nil }
      throw error.attempt
    }
  }

  // MARK: the list

  private func fill(
    _ staged: StagedList, _ roll: Roll, in room: CopyRoom.Promise
  ) async throws(Attempt) -> AboutFile {
    let copy = copy(of: roll)
    let (folder, target) = (staged.folder, staged.copy.in)
    let (taken, sum) = try await onDisk { () throws(Attempt) in
      try copy.run(into: folder, list: target, in: room)
    }
    let draft = ListDraft(
      list: staged.list, name: taken.listName, owner: roll.folder.owner,
      folder: staged.folder, catalog: staged.catalog, isRoll: true)
    let terms: ListTerms
    do throws(Failure) {
      terms = try await ListReading(memory: memory).read(
        draft, staged.copy.out, sha256: sum.sha256)
    } catch {
      // The list is ours: a limit of the settings refuses it.
      throw error.kind == .final ? .unreadable(error) : error.attempt
    }
    let about = AboutFile(
      roll: draft.name, in: roll.folder, sum, accepted: parts.clock.wallTime(), terms: terms)
    do throws(Failure) { try await claim.publish(staged, about) } catch { throw error.attempt }
    return about
  }
}
