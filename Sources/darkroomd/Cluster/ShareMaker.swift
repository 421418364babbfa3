// SPDX-License-Identifier: Apache-2.0
// Makes lists of this node: from a share, and from a list that its own node does not return. A list is a folder in
// STATE/lists with separate terms, and a record. All shares of a list use one copy of its catalog, in
// STATE/cluster/ORIGIN. Raises a `Failure`: `final` if the share cannot be developed here.
// Concurrency: immutable; one caller makes lists, one after the other. Waits for disks in `onDisk`.

import Accept
import Catalog
import Cluster
import Files
import Linux
import Record
import Vocabulary

struct ShareMaker: OnGround {
  let ground: Ground
  let office: any ListOffice
  let shelf: any ListShelf
  let keeper: ListKeeper
  let witness: NumberWitness

  func make(_ share: Share) async throws(Failure) -> ListID {
    let submission = try await submission(of: share.id.list)
    let about = try await onDisk { () throws(Failure) -> AboutFile in
      let origin = try origin(of: submission)
      let about = try self.about(share, submission, origin)
      do throws(Failure) { try copy(origin) } catch {
        throw error.scope == .one
          ? error.ofFiles("of list '\(Printable.text(submission.name))' cannot be had") : error
      }
      return about
    }
    return try await add(about)
  }

  /// The whole list, which is over in the ledger, and whose own node does not return it. Does nothing for a list that
  /// this node has as an entry, and returns that.
  func adopt(_ list: LedgerList) async throws(Failure) -> ListID? {
    let submission = try await submission(of: list)
    let origin = try origin(of: submission)
    for (entry, own) in index.entries(of: list, from: origin) {
      // Of those with another origin, a twin has the number from this ledger, and others have it from a newer one.
      if own == origin { return entry }
      if try await office.entry("\(own)")?.list == list { return entry }
    }
    // A list that its owner has removed here meanwhile was returned first.
    guard try await office.closed().contains(list) else { return nil }
    let about = try await onDisk { () throws(Failure) in
      var terms = try FrozenSettings(text: submission.terms)
      terms.kind = .entry(origin, list)
      return try self.about(
        submission, terms, photos: submission.photos, size: try shelf.size(of: origin))
    }
    _ = try await add(about, from: origin)
    return nil
  }

  private func submission(of list: LedgerList) async throws(Failure) -> Submission {
    if let submission = try await office.submission(of: list) { return submission }
    throw Failure(.final, code: "share.gone", reason: "the ledger does not know its list")
  }

  /// Its name on the shelf.
  private func origin(of submission: Submission) throws(Failure) -> FileName {
    if let origin = FileName(submission.origin) { return origin }
    throw Self.unknownForm
  }

  private static let unknownForm = Failure(
    .final, code: "share.form", reason: "its list has no form that is known")

  /// Recorded on return; its life has begun. With an origin, its files are copied from the shelf.
  private func add(
    _ about: AboutFile, from origin: FileName? = nil
  ) async throws(Failure) -> ListID {
    let list = try await onDisk { () async throws(Failure) in try await stage(about, origin) }
    try await recorder.record([.accepted(list, about.acceptance)])
    let label = try ListLabel(about)
    index.add(list, label)
    // Users see the number of an adopted list: no later list gets it, even after a restore of an older state folder.
    witness.note(list)
    await onDisk {
      // A restart finds no dropped file, and notes it again.
      if let folder = try? folders.lists.folder(ListFolder.name(list), creating: false) {
        _ = try? ListMarks.write(.claimed, in: folder)
      }
    }
    keeper.begin(
      ListLives.Birth(
        list, .accepted, of: label.owner, serviceClass: about.terms.serviceClass,
        isShare: label.terms.share != nil))
    return list
  }

  /// A part of the list, with the photos that the ledger lacks.
  private func about(
    _ share: Share, _ submission: Submission, _ origin: FileName
  ) throws(Failure) -> AboutFile {
    var terms = try FrozenSettings(text: submission.terms)
    let left = (0..<share.photos).filter { !share.done.contains($0) }
      .map { share.id.first + UInt32($0) }
    guard let photos = NumberRanges(left) else { throw Self.unknownForm }
    terms.kind = .share(ShareMark(share), photos, of: origin)
    // The node where the list was dropped writes its pages.
    terms.hasSheet = false
    return try about(
      submission, terms, photos: UInt32(left.count), share.serviceClass, size: 0)
  }

  private func about(
    _ submission: Submission, _ settled: FrozenSettings, photos: UInt32,
    _ serviceClass: ServiceClass? = nil, size: UInt64
  ) throws(Failure) -> AboutFile {
    guard let prints = FileName(bytes: submission.folder), photos > 0,
      let name = FileName(bytes: submission.name + Array(".plist".utf8)),
      let owner = UInt32(submission.owner)
    else { throw Self.unknownForm }
    var terms = settled
    terms.prints = prints
    let status = FileStatus(
      kind: .file, device: 0, inode: 0, size: size, owner: owner, mode: 0, modified: 0, changed: 0)
    return AboutFile(
      name: name, status: status, sha256: submission.sha256, accepted: clock.wallTime(),
      terms: ListTerms(
        photos: photos, serviceClass: serviceClass ?? submission.serviceClass,
        settings: terms.text))
  }

  // MARK: the copy of the list

  private func copy(_ origin: FileName) throws(Failure) {
    let draft = FileName(made: ".\(origin)")
    let copies = try asMachine { () throws(SystemError) in try folders.copies() }
    let target = try asMachine { () throws(SystemError) -> (any Folder)? in
      if try copies.has(origin) { return nil }
      try sweep(copies)
      return try copies.folder(draft, creating: true)
    }
    guard let target else { return }
    try shelf.fetch(origin, into: target)
    try asMachine { () throws(SystemError) in
      try copies.rename(draft, to: copies, as: origin, replacing: false)
      try copies.sync()
    }
  }

  /// The next share of the list makes it again.
  func drop(_ copy: FileName) throws(SystemError) { try folders.copies().removeFlat(copy) }

  /// Removes the copies of lists that have no share here, and drafts on the shelf.
  func sweep() throws(Failure) {
    try shelf.sweep()
    try asMachine { () throws(SystemError) in try sweep(folders.copies()) }
  }

  private func sweep(_ copies: any Folder) throws(SystemError) {
    let used = Set(index.shares.keys.compactMap { index[$0]?.terms.copy })
    for name in try copies.names() where !used.contains(name) { try copies.removeFlat(name) }
  }

  // MARK: the folder of the list

  private func stage(
    _ about: AboutFile, _ origin: FileName?
  ) async throws(Failure) -> ListID {
    let list = recorder.newList()
    let (lists, staged) = (folders.lists, ListFolder.staged(list))
    let folder = try asMachine { () throws(SystemError) in
      try lists.folder(staged, creating: true)
    }
    if let origin {
      do throws(Failure) { try shelf.fetch(origin, into: folder) } catch {
        try? lists.removeFlat(staged)
        throw error
      }
    }
    let steps = try asMachine { () throws(SystemError) in
      let file = try folder.open(ListFolder.about, .create)
      try file.write(Array(about.text.utf8), at: 0)
      // Empty, so that their names are durable with the name of `about`.
      try ListMarks.prepare(in: folder)
      _ = try folder.open(ListFolder.results, .create)
      return [SyncStep.file(file), .folder(folder)]
    }
    try await recorder.sync(steps)
    try asMachine { () throws(SystemError) in
      try lists.rename(staged, to: lists, as: ListFolder.name(list), replacing: false)
    }
    try await recorder.sync([.folder(lists)])
    return list
  }
}
