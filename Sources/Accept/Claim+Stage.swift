// SPDX-License-Identifier: Apache-2.0
// Steps 2 to 5 of a claim: everything that is known of the list stands in a folder out of sight, is
// made durable, and becomes real by one rename.

internal import Linux
internal import Vocabulary

extension Claim {
  /// Makes the next list's folder and files ahead, and has a worker started, while a file is still too young to be tried: making
  /// them is most of what taking a list in waits for. Where it fails, nothing is there.
  func layOut() {
    let list = number()
    if laidOut == list { return }
    reception.foresee()
    let staged = ListFolder.staged(list)
    do throws(SystemError) {
      try lists.removeFlat(staged)
      let folder = try lists.folder(staged, creating: true)
      for name in [ListFolder.list, ListFolder.catalog, ListFolder.about] {
        _ = try folder.open(name, .create)
      }
      laidOut = list
    } catch { try? lists.removeFlat(staged) }
  }

  /// Nobody came for it.
  func clearLayout() {
    if let laidOut { try? lists.removeFlat(ListFolder.staged(laidOut)) }
    laidOut = nil
  }

  func stage(_ list: ListID, _ original: Original) throws(Attempt) -> AboutFile {
    let isLaidOut = laidOut == list
    laidOut = nil
    let use: FileUse = isLaidOut ? .write : .create
    let staged = ListFolder.staged(list)
    let folder: any Folder
    let sum: FileCopy.Sum
    let copy: any OpenFile
    let catalog: any OpenFile
    let isWhole: Bool
    do throws(SystemError) {
      if !isLaidOut { try removeOld(staged) }
      folder = try lists.folder(staged, creating: !isLaidOut)
      let target = try folder.open(ListFolder.list, use)
      sum = try FileCopy.copy(
        original.file, to: target, upTo: original.status.size,
        unless: { [bridge] in bridge.isCancelled })
      let isUntouched = try original.isUntouched()
      isWhole = isUntouched && sum.size == original.status.size
      copy = try folder.open(ListFolder.list, .read)
      catalog = try folder.open(ListFolder.catalog, use)
    } catch { throw error.attempt }
    guard isWhole else { throw .changed }
    if let twin = reception.twin(
      of: original.name, owner: original.status.owner, sha256: sum.sha256),
      try isSafe(sum, as: twin)
    {
      throw try dismiss(original, list, sum, twin)
    }
    let terms = try read(
      ListDraft(
        list: list, name: original.name, owner: original.status.owner, folder: folder,
        catalog: catalog), copy, original.proof, sha256: sum.sha256)
    let about = AboutFile(
      name: original.name, status: original.status, sha256: sum.sha256,
      accepted: clock.wallTime(), terms: terms)
    do throws(SystemError) {
      try publish(list, about, folder, copy, catalog, use)
    } catch { throw error.attempt }
    return about
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

  /// Where an old one cannot go, its number is given up, so that the next attempt can be made.
  private func removeOld(_ staged: FileName) throws(SystemError) {
    do throws(SystemError) { try lists.removeFlat(staged) } catch {
      if error.isOfOneThing { numberIsUsed() }
      throw error
    }
  }

  private func read(
    _ draft: ListDraft, _ copy: any OpenFile, _ proof: Proof, sha256: String
  ) throws(Attempt) -> ListTerms {
    do throws(Failure) { return try readCarefully(draft, copy, sha256: sha256) } catch {
      switch error.kind {
      case .final: throw .refused(error, proof)
      case .cancelled: throw .interrupted
      case .passing, .machine: throw .troubled(error)
      }
    }
  }

  private func publish(
    _ list: ListID, _ about: AboutFile, _ folder: any Folder, _ copy: any OpenFile,
    _ catalog: any OpenFile, _ use: FileUse
  ) throws(SystemError) {
    let file = try folder.open(ListFolder.about, use)
    try file.write(Array(about.text.utf8), at: 0)
    for file in [copy, catalog, file] { file.beginSync() }
    for file in [copy, catalog, file] { try file.sync() }
    try folder.sync()
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
