// SPDX-License-Identifier: Apache-2.0
// Steps 2 to 5 of a claim: writes the list to a hidden staging folder, publishes it with one rename, and syncs it.
// Raises an `Attempt`.

internal import Files
internal import Vocabulary

extension Claim {
  /// Stages the list and renames its folder to its number. The number is final: a second one would make two
  /// lists of one drop.
  func stage(_ dropped: DroppedFile) async throws(Attempt) -> (ListID, AboutFile) {
    try await stage(in: memory.ahead.take()) { staged async throws(Attempt) in
      try await fill(staged, dropped)
    }
  }

  /// If the staging fails, its folder and its number are free again.
  func stage(
    in laidOut: StagedList? = nil, _ fill: (StagedList) async throws(Attempt) -> AboutFile
  ) async throws(Attempt) -> (ListID, AboutFile) {
    let list = laidOut?.list ?? memory.drawNumber()
    do throws(Attempt) {
      let staged = try asAttempt { () throws(SystemError) in
        if let laidOut { laidOut } else { try newFolder(for: list) }
      }
      return (list, try await fill(staged))
    } catch {
      memory.discard(ListFolder.staged(list))
      await memory.giveBack(list)
      throw error
    }
  }

  private func fill(
    _ laidOut: StagedList, _ dropped: DroppedFile
  ) async throws(Attempt) -> AboutFile {
    var staged = laidOut
    let sum = try await copy(dropped, into: &staged)
    if let twin = parts.rules.twin(
      of: dropped.name, owner: dropped.status.owner, sha256: sum.sha256),
      try await isSafe(sum, as: twin)
    {
      throw try await dismiss(dropped, staged.list, sum, twin)
    }
    if let failure = memory.ahead.takeVerdict(on: sum) { throw .refused(failure, dropped.proof) }
    let draft = ListDraft(
      list: staged.list, name: dropped.name, owner: dropped.status.owner, folder: staged.folder,
      catalog: staged.catalog)
    let terms = try await read(staged, draft, dropped, sum)
    if let about = try await continuation(of: draft, dropped, sum) { return about }
    let about = AboutFile(
      name: dropped.name, status: dropped.status, sha256: sum.sha256,
      accepted: parts.clock.wallTime(), terms: terms)
    do throws(Failure) { try await publish(staged, about) } catch { throw error.attempt }
    return about
  }

  func newFolder(for list: ListID) throws(SystemError) -> StagedList {
    do throws(SystemError) { return try memory.layOut(list) } catch {
      // An old folder cannot be removed: the next attempt draws another number.
      if error.isOfOneThing { memory.lose(list) }
      throw error
    }
  }

  /// Copies the dropped file, unless the copy read ahead has the same bytes.
  private func copy(
    _ dropped: DroppedFile, into staged: inout StagedList
  ) async throws(Attempt) -> FileCopy.Sum {
    let (file, size) = (dropped.file, dropped.status.size)
    if let ahead = staged.catalogued {
      let isKnown = try asUsers(closed: DroppedFile.closed) { () throws(SystemError) in
        try isSame(file, as: ahead, size)
      }
      if isKnown {
        memory.ahead.paid()
        return try whole(dropped, ahead)
      }
      // Different bytes need new files: a worker has had descriptors of the old ones.
      staged = try asAttempt { () throws(SystemError) in try memory.layOut(staged.list) }
    }
    let target = staged.copy.in
    let sum: FileCopy.Sum
    do throws(SystemError) {
      sum = try await LongFiles.aside(size) { () throws(SystemError) in
        try FileCopy.hashingCopy(file, to: target, upTo: size)
      }
    } catch { throw error.attempt(closed: DroppedFile.closed) }
    return try whole(dropped, sum)
  }

  private func isSame(
    _ file: any OpenFile, as ahead: FileCopy.Sum, _ size: UInt64
  ) throws(SystemError) -> Bool {
    guard ahead.size == size else { return false }
    return try FileCopy.sum(file, upTo: size) == ahead
  }

  private func whole(
    _ dropped: DroppedFile, _ sum: FileCopy.Sum
  ) throws(Attempt) -> FileCopy.Sum {
    let isUntouched = try asUsers(closed: DroppedFile.closed) { () throws(SystemError) in
      try dropped.isUntouched()
    }
    guard isUntouched, sum.size == dropped.status.size else { throw .changed }
    return sum
  }

  /// True if the state folder holds the same bytes as list `twin`.
  private func isSafe(_ sum: FileCopy.Sum, as twin: ListID) async throws(Attempt) -> Bool {
    do throws(SystemError) {
      let file = try parts.lists.folder(ListFolder.name(twin), creating: false)
        .open(ListFolder.list, .read)
      guard try file.status().size == sum.size else { return false }
      return try await LongFiles.has(file, sum)
    } catch {
      if error.isMissing { return false }
      throw error.attempt
    }
  }

  /// Removes a second copy of list `twin` from the inbox. After a crash the file is an ordinary candidate in
  /// the inbox or in `.claim`.
  private func dismiss(
    _ dropped: DroppedFile, _ list: ListID, _ sum: FileCopy.Sum, _ twin: ListID
  ) async throws(Attempt) -> Attempt {
    do throws(Failure) {
      switch try await depart(dropped, as: list, sum) {
      case .gone:
        parts.rules.tell(.repeated(dropped.name, twin, owner: dropped.status.owner))
        return .repeated(twin)
      case .missing: return .missing
      case .changed: return .changed
      }
    } catch { throw error.attempt }
  }

  /// Publishes a retry list as a repetition of its list; nil for any other list.
  private func continuation(
    of draft: ListDraft, _ dropped: DroppedFile, _ sum: FileCopy.Sum
  ) async throws(Attempt) -> AboutFile? {
    do throws(Failure) {
      guard let order = try await parts.rules.continuation(of: draft) else { return nil }
      // A worker has had descriptors of the files of this folder.
      let staged = try asMachine { () throws(SystemError) in try memory.layOut(draft.list) }
      let slip = AboutFile.Slip(name: dropped.name, size: sum.size, sha256: sum.sha256)
      return try await Repetition(claim: self).lay(
        order, into: staged, slip: (dropped.status, slip))
    } catch {
      throw refusal(error, of: dropped)
    }
  }

  /// `final` means that the contents are not a list, or not one that is let in.
  private func refusal(_ failure: Failure, of dropped: DroppedFile) -> Attempt {
    failure.kind == .final ? .refused(failure, dropped.proof) : failure.attempt
  }

  private func read(
    _ staged: StagedList, _ draft: ListDraft, _ dropped: DroppedFile, _ sum: FileCopy.Sum
  ) async throws(Attempt) -> ListTerms {
    do throws(Failure) {
      if staged.catalogued == sum { return try await memory.prepare(draft) }
      return try await ListReading(memory: memory).read(
        draft, staged.copy.out, sha256: sum.sha256)
    } catch {
      throw refusal(error, of: dropped)
    }
  }

  /// The folder has its number before it is durable: a folder without a word in `state` becomes a list by its record.
  func publish(_ staged: StagedList, _ about: AboutFile) async throws(Failure) {
    let (list, lists) = (staged.list, parts.lists)
    try asMachine { () throws(SystemError) in
      try staged.about.write(Array(about.text.utf8), at: 0)
    }
    do throws(SystemError) {
      try lists.rename(
        ListFolder.staged(list), to: lists, as: ListFolder.name(list), replacing: false)
    } catch {
      // Another folder has this number: the next attempt draws a new one.
      if error.exists { memory.lose(list) }
      throw error.machineFailure
    }
    do throws(Failure) {
      let claimed = parts.rules.claimed(list)
      try await parts.groups.sync(staged.syncAll() + [.folder(lists)] + claimed)
    } catch {
      try? lists.removeFlat(ListFolder.name(list))
      throw error
    }
  }
}
