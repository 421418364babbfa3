// SPDX-License-Identifier: Apache-2.0
// Makes a new list of the files of an earlier one, which it takes over from: a retry. The steps are the steps of
// a claim from 2 on, without a dropped file unless that is a retry list; a crash before the record leaves
// nothing, a later one leaves an accepted list. Raises a `Failure`.

internal import Files
internal import Linux
internal import Vocabulary

struct Repetition {
  let claim: Claim

  private var parts: ClaimParts { claim.parts }
  private var memory: ClaimMemory { claim.memory }

  /// Returns when `accepted` is durable.
  func run(_ order: RepeatOrder) async throws(Failure) -> ListID {
    if let failure = await parts.rules.fullness(
      for: order.owner, besides: memory.entering, adding: 0)
    {
      throw failure
    }
    let list = memory.drawNumber()
    do throws(Failure) {
      try await memory.enter { () async throws(Failure) in try await make(list, order) }
      memory.use(list)
      // `close` marks the list, or removes its folder if it is not recorded; the next start does what fails.
      try? await claim.close(list)
      return list
    } catch {
      memory.discard(ListFolder.staged(list))
      // A record that failed may be there all the same.
      if !parts.rules.isRecorded(list) { await memory.giveBack(list) }
      throw error
    }
  }

  private func make(_ list: ListID, _ order: RepeatOrder) async throws(Failure) {
    let staged = try asMachine { () throws(SystemError) in try claim.newFolder(for: list) }
    let about = try await lay(order, into: staged)
    do throws(Failure) {
      try await parts.rules.accept(list, about.acceptance, about, by: order.user)
    } catch {
      try? await claim.close(list)
      throw error
    }
  }

  /// Copies the list and its catalog, and publishes them; the rules make the rest.
  func lay(
    _ order: RepeatOrder, into staged: StagedList,
    slip: (status: FileStatus, file: AboutFile.Slip)? = nil
  ) async throws(Failure) -> AboutFile {
    let earlier = order.earlier
    let lists = parts.lists
    let folder: any Folder
    do throws(SystemError) {
      folder = try lists.folder(ListFolder.name(earlier), creating: false)
    } catch {
      guard error.isMissing else { throw error.machineFailure }
      throw Failure(
        .final, code: "list.gone",
        reason: "its files are gone from the state folder, by KeepLists= or by hand",
        advice: "Drop the list again")
    }
    let about = try AboutFile.read(from: folder)
    let sum = try await copy(ListFolder.list, from: folder, to: staged.copy.in)
    guard sum == FileCopy.Sum(size: about.size, sha256: about.sha256) else {
      throw Failure(
        .final, code: "list.damaged",
        reason: "the copy of the list in the state folder is damaged",
        advice: "Drop the list again")
    }
    _ = try await copy(ListFolder.catalog, from: folder, to: staged.catalog)
    try await carryPictures(from: folder, to: staged.folder)
    let draft = ListDraft(
      list: staged.list, name: about.name, owner: about.owner, folder: staged.folder,
      catalog: staged.catalog)
    let terms = try await parts.rules.prepare(draft, again: order, about.terms)
    let new = AboutFile(
      again: about, slip: slip, accepted: parts.clock.wallTime(), terms: terms)
    try await claim.publish(staged, new)
    return new
  }

  /// The dropped pictures that are still there: those that are not prints yet.
  private func carryPictures(
    from folder: any Folder, to target: any Folder
  ) async throws(Failure) {
    do throws(SystemError) {
      guard try folder.has(ListFolder.roll) else { return }
      try await onDisk { () throws(SystemError) in
        for name in try folder.names() where name == ListFolder.roll || ListFolder.isPicture(name) {
          try folder.linkOrCopy(name, toEmpty: target, as: name)
          try target.open(name, .read).sync()
        }
      }
    } catch { throw error.machineFailure }
  }

  private func copy(
    _ name: FileName, from folder: any Folder, to target: any OpenFile
  ) async throws(Failure) -> FileCopy.Sum {
    do throws(SystemError) {
      let file = try folder.open(name, .read)
      let size = try file.status().size
      return try await LongFiles.aside(size) { () throws(SystemError) in
        try FileCopy.hashingCopy(file, to: target, upTo: size)
      }
    } catch { throw error.machineFailure }
  }
}
