// SPDX-License-Identifier: Apache-2.0
// Steps 2 to 5 of a claim: everything that is known of the list stands in a folder out of sight, is
// made durable, and becomes real by one rename.

internal import Linux
internal import Vocabulary

extension Claim {
  func stage(_ list: ListID, _ original: Original) throws(Attempt) -> AboutFile {
    var staged: StagedList
    let sum: FileCopy.Sum
    let isWhole: Bool
    do throws(SystemError) {
      staged = try folder(for: list)
      sum = try fill(&staged, original)
      let isUntouched = try original.isUntouched()
      isWhole = isUntouched && sum.size == original.status.size
    } catch { throw error.attempt }
    guard isWhole else { throw .changed }
    if let twin = reception.twin(
      of: original.name, owner: original.status.owner, sha256: sum.sha256),
      try isSafe(sum, as: twin)
    {
      throw try dismiss(original, list, sum, twin)
    }
    if let verdict, verdict.sum == sum {
      self.verdict = nil
      throw .refused(verdict.failure, original.proof)
    }
    let terms = try read(staged, original, sum)
    let about = AboutFile(
      name: original.name, status: original.status, sha256: sum.sha256,
      accepted: clock.wallTime(), terms: terms)
    do throws(SystemError) {
      try publish(staged, about)
    } catch { throw error.attempt }
    return about
  }

  /// The one that was made ahead, or a new one.
  private func folder(for list: ListID) throws(SystemError) -> StagedList {
    guard let laidOut, laidOut.list == list else { return try newFolder(for: list) }
    self.laidOut = nil
    return laidOut
  }

  /// Where an old one cannot go, its number is given up, so that the next attempt can be made.
  private func newFolder(for list: ListID) throws(SystemError) -> StagedList {
    do throws(SystemError) { try lists.removeFlat(ListFolder.staged(list)) } catch {
      if error.isOfOneThing { numberIsUsed() }
      throw error
    }
    return try StagedList(list, in: lists)
  }

  /// The original's bytes are in the copy: put there now, or found to be the same.
  private func fill(
    _ staged: inout StagedList, _ original: Original
  ) throws(SystemError) -> FileCopy.Sum {
    let size = original.status.size
    if let ahead = staged.catalogued {
      if ahead.size == size,
        try FileCopy.sum(original.file, upTo: size, unless: { bridge.isCancelled }) == ahead
      {
        pace.paid()
        return ahead
      }
      staged = try newFolder(for: staged.list)
    }
    return try FileCopy.copy(
      original.file, to: staged.copy.in, upTo: size, unless: { bridge.isCancelled })
  }

  /// Whether the state folder has these very bytes as that list.
  private func isSafe(_ sum: FileCopy.Sum, as twin: ListID) throws(Attempt) -> Bool {
    do throws(SystemError) {
      let file = try lists.folder(ListFolder.name(twin), creating: false)
        .open(ListFolder.list, .read)
      guard try file.status().size == sum.size else { return false }
      return try FileCopy.sum(file, upTo: sum.size, unless: { bridge.isCancelled }) == sum
    } catch {
      if error.isMissing { return false }
      throw error.attempt
    }
  }

  /// What it says is safe as another list: the copy goes. A crash on the way leaves it in the inbox or in
  /// `.claim`, a candidate like any other.
  private func dismiss(
    _ original: Original, _ list: ListID, _ sum: FileCopy.Sum, _ twin: ListID
  ) throws(Attempt) -> Attempt {
    do throws(SystemError) {
      switch try Withdrawal(inbox: inbox, bridge: bridge).run(original, as: list, sum) {
      case .gone:
        reception.repeated(original.name, of: twin)
        return .repeated(twin)
      case .missing: return .missing
      case .changed: return .changed
      }
    } catch { throw error.attempt }
  }

  private func read(
    _ staged: StagedList, _ original: Original, _ sum: FileCopy.Sum
  ) throws(Attempt) -> ListTerms {
    let draft = ListDraft(
      list: staged.list, name: original.name, owner: original.status.owner, folder: staged.folder,
      catalog: staged.catalog)
    do throws(Failure) {
      return staged.catalogued == sum
        ? try settle(draft) : try readCarefully(draft, staged.copy.out, sha256: sum.sha256)
    } catch {
      switch error.kind {
      case .final: throw .refused(error, original.proof)
      case .cancelled: throw .interrupted
      case .passing, .machine: throw .troubled(error)
      }
    }
  }

  func settle(_ draft: ListDraft) throws(Failure) -> ListTerms {
    let reception = reception
    return try bridge.wait { () async throws(Failure) in try await reception.prepare(draft) }
  }

  private func publish(_ staged: StagedList, _ about: AboutFile) throws(SystemError) {
    let list = staged.list
    try staged.about.write(Array(about.text.utf8), at: 0)
    try staged.sync([staged.copy.in, staged.catalog, staged.about])
    do throws(SystemError) {
      try lists.rename(
        ListFolder.staged(list), to: lists, as: ListFolder.name(list), replacing: false)
    } catch {
      // Somebody's folder has our number: the next attempt takes another.
      if error.exists { numberIsUsed() }
      throw error
    }
    do throws(SystemError) {
      try lists.sync()
    } catch {
      try? lists.removeFlat(ListFolder.name(list))
      throw error
    }
  }
}
