// SPDX-License-Identifier: Apache-2.0
// State shared by all claims: their parts, the known files and the spare numbers. Confined to the inbox's
// thread; claims interleave where they await.

internal import Files
internal import Vocabulary

/// The parts that every claim uses.
struct ClaimParts: Sendable {
  let lists: any Folder
  let failed: FailedFolder
  let quarantine: Quarantine
  let rules: any IntakeRules
  let groups: any SyncGroups
  let clock: any Timekeeper
  let settings: InboxSettings
}

/// Pictures that have become a list, and may still be in the inbox.
struct UnfinishedRoll: Equatable {
  /// Of the pictures when they were dropped.
  let key: Candidate.Key
  let owner: UInt32
}

final class ClaimMemory {
  let parts: ClaimParts
  /// Lists whose dropped file may still be in the inbox, recorded or not.
  private(set) var drops: [ListID: AboutFile] = [:]
  /// Lists made of pictures that may still be in the inbox, recorded or not.
  private(set) var rolls: [ListID: UnfinishedRoll] = [:]
  /// Lists whose folder in `.claim` is in use on the disk.
  private var nests: Set<ListID> = []
  /// Files recorded as rejected that have not left the inbox yet.
  var rejections: [ListID: Rejection] = [:]
  /// Worker deaths by the SHA-256 of the list: their number, and the reason of the last.
  var died: [String: (count: Int, words: String)] = [:]
  let ahead: ReadAhead
  private let names = NameTurns()
  /// Lists that were let in and are not recorded yet. A claim that waits for its turn, or for the answer whether its list
  /// is let in, does not count: claims that counted each other would all find the daemon full, again and again.
  private(set) var entering = 0
  /// Staging folders that could not be removed.
  private var leftovers: Set<FileName> = []
  /// Lists whose unreadable folder has been reported.
  private var skipped: Set<ListID> = []
  /// Numbers that were drawn but not used.
  private var spares: Set<ListID> = []
  private var lost: Set<ListID> = []
  /// The highest number that was used. A lower one is not drawn again: a list has a higher number than the
  /// list that it revises.
  private var highest = ListID(0)

  init(_ parts: ClaimParts) {
    self.parts = parts
    ahead = ReadAhead(parts)
  }

  func remember(_ list: ListID, _ about: AboutFile) { drops[list] = about }
  func rememberRoll(_ list: ListID, _ roll: UnfinishedRoll) { rolls[list] = roll }

  /// The list has left the inbox, or does not become a list.
  func forget(_ list: ListID) async {
    drops[list] = nil
    rolls[list] = nil
    await parts.rules.giveUp(list)
  }

  /// Makes and records a list that is let in.
  func enter<Value, Problem: Error>(
    _ make: () async throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    entering += 1
    defer { entering -= 1 }
    return try await make()
  }

  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms {
    let rules = parts.rules
    return try await names.turn(at: rules.folderKey(of: ListName(draft.name))) {
      () async throws(Failure) in try await rules.prepare(draft)
    }
  }

  func use(nest list: ListID) { nests.insert(list) }
  func release(nest list: ListID) { nests.remove(list) }

  func look(at inbox: any Folder) -> InboxLook {
    InboxLook(
      inbox: inbox, pictures: parts.settings.pictures, isNode: parts.settings.isNode,
      busy: nests.union(rolls.keys), largestPicture: parts.rules.largestPicture())
  }

  func skip(_ list: ListID, _ failure: Failure) {
    if skipped.insert(list).inserted { parts.rules.tell(.skipped(list, failure)) }
  }

  // MARK: staging folders

  /// An empty staging folder for the list; removes an older one.
  func layOut(_ list: ListID) throws(SystemError) -> StagedList {
    let name = ListFolder.staged(list)
    try parts.lists.removeFlat(name)
    leftovers.remove(name)
    return try StagedList(list, in: parts.lists)
  }

  /// Removes a staging folder, at a later look if it cannot be removed now.
  func discard(_ staged: FileName) {
    do throws(SystemError) {
      try parts.lists.removeFlat(staged)
      leftovers.remove(staged)
    } catch { leftovers.insert(staged) }
  }

  func discardLeftovers() {
    for staged in leftovers { discard(staged) }
  }

  // MARK: numbers

  /// Draws a number for one claim. Acceptance or rejection uses it up; otherwise the claim gives it back.
  func drawNumber() -> ListID {
    guard let spare = spares.min() else { return parts.rules.nextNumber() }
    spares.remove(spare)
    return spare
  }

  func giveBack(_ number: ListID) async {
    // First: the next draft may get the number.
    await parts.rules.giveUp(number)
    if lost.remove(number) == nil, number > highest { spares.insert(number) }
  }

  /// The number is recorded.
  func use(_ number: ListID) {
    highest = max(highest, number)
    spares = spares.filter { $0 > highest }
  }

  /// The number is used, or a foreign folder blocks it: it is not drawn again.
  func lose(_ number: ListID) { lost.insert(number) }
}
