// SPDX-License-Identifier: Apache-2.0
// The stages as the chains run them: download, filter, output. Download and output make their file and its
// transition durable before they report; filter records nothing, except an original that is to be downloaded
// again. Raises a `Failure`.
// Concurrency: immutable; called in the disk home.

import Accept
import Catalog
import Chain
import Digests
import Download
import Files
import Output
import Record
import Report
import Vocabulary

/// A finished picture, and the hidden file into which it is copied.
struct Negative: Sendable {
  let prints: PrintFolder
  let picture: WorkerFile
  let thumbnail: WorkerFile?
  let developed: Developed

  var draft: PrintFolder.Draft { picture.draft }
}

struct PhotoStages: Stages, OnGround {
  typealias Work = PhotoWork<PhotoOrder>

  let ground: Ground
  let downloader: Downloader
  let workers: any Workers
  let notes: PhotoNotes
  let poison: PoisonPictures
  let space: SpaceWatch

  func download(
    _ work: Work, arrived: @Sendable (String?) -> Void
  ) async throws(Failure) -> any OpenFile {
    do throws(Failure) { return try await fetch(work, arrived) } catch {
      // As in `filter`: its folder of originals may be gone.
      if error.code == SystemError.Name.missing.failureCode { lists.close(work.order.list.id) }
      throw error
    }
  }

  private func fetch(
    _ work: Work, _ arrived: @Sendable (String?) -> Void
  ) async throws(Failure) -> any OpenFile {
    let (photo, order) = (work.photo, work.order)
    let url = try order.url.get()
    let originals = try order.list.workFolders().originals
    let start = clock.uptime()
    notes.time(photo) { $0.queued = start - work.admitted }
    let checksum = order.options.checksum
    let original =
      url.scheme == .dropped
      ? try downloader.take(
        photo, from: try pictures(of: photo.list), into: originals, checksum: checksum)
      : try await downloader.download(
        photo, from: url, into: originals, priority: work.serviceClass,
        owner: order.list.about.owner, checksum: checksum)
    arrived(original.server)
    space.look()
    try await recorder.record(
      [.downloaded(photo, original.contents)], after: [.stand(original.file, in: originals)])
    notes.downloaded(photo, isEndSure: original.isEndSure)
    let end = clock.uptime()
    notes.time(photo) { time in
      time.download = end - start
      time.httpStatus = original.status == 0 ? nil : UInt32(original.status)
    }
    narrator.downloaded(work, bytes: original.contents.size)
    // Read-only: the worker gets no more than it needs.
    return try asMachine { () throws(SystemError) in try originals.open(original.name, .read) }
  }

  func recall(_ work: Work) async throws(Failure) -> any OpenFile {
    let photo = work.photo
    notes.time(photo) { $0.queued = clock.uptime() - work.admitted }
    let originals = try originals(work)
    let file: any OpenFile
    do throws(SystemError) {
      file = try originals.open(Download.Original.name(of: photo), .read)
    } catch { throw try await loss(of: photo, error) }
    try await checkOriginal(file, of: photo)
    return file
  }

  /// The original still has the bytes that were downloaded.
  private func isWhole(_ file: any OpenFile, _ photo: PhotoID) throws(SystemError) -> Bool {
    let expected = recorder.ledger { $0[photo.list]?.originals[photo.number] }
    guard let expected, try file.status().size == expected.size else { return false }
    return try FileCopy.digest(of: file, size: expected.size).prefix == expected.hash
  }

  /// Raises the loss of an original that this machine has damaged.
  private func checkOriginal(_ file: any OpenFile, of photo: PhotoID) async throws(Failure) {
    do throws(SystemError) { if try isWhole(file, photo) { return } } catch {
      throw try await loss(of: photo, error)
    }
    throw try await lose(photo, "was damaged in")
  }

  /// Of an original that cannot be read; other errors are trouble of this machine.
  private func loss(of photo: PhotoID, _ error: SystemError) async throws(Failure) -> Failure {
    if error.isMissing { return try await lose(photo, "is gone from") }
    if error.name == .inputOutput { return try await lose(photo, "cannot be read from") }
    return error.machineFailure
  }

  /// Records the original as lost, so that it is downloaded again. The photo is not to blame: an original that this
  /// machine loses again is trouble of its list.
  private func lose(_ photo: PhotoID, _ fate: String) async throws(Failure) -> Failure {
    try await recorder.record([.lost(photo)])
    return Failure(
      notes.isFirstLoss(of: photo) ? .passing : .machine, scope: .one, code: Failure.lostOriginal,
      reason: "the original of photo \(photo.number) \(fate) the state folder",
      advice: "The photo begins again")
  }

  func filter(_ work: Work, _ original: any OpenFile) async throws(Failure) -> Negative {
    try poison.check(work.photo)
    let list = work.order.list
    let start = clock.uptime()
    let folders = try list.workFolders()
    let prints = folders.prints
    let draft: PrintFolder.Draft
    do throws(SystemError) { draft = try prints.draft(work.photo) } catch {
      // Closes the list: `OpenLists.begin` makes a removed folder again, and `use` finds one whose disk went away and
      // came back.
      if error.isOfOneThing { lists.close(list.id) }
      throw error.machineFailure.amongPrints
    }
    let small = folders.stored == nil ? thumbnail(work, in: prints) : nil
    do throws(Failure) {
      let picture = try asMachine { () throws(SystemError) in
        try WorkerFile(for: draft, in: folders.originals)
      }
      let tiny = small.flatMap { try? WorkerFile(for: $0, in: folders.originals) }
      let order = tiny.flatMap { file in
        settings.current.output.thumbnails.map { Thumbnail.Order(file: file.written, height: $0) }
      }
      let developed = try await workers.develop(
        original, into: picture.written, thumbnail: order, developOrder(work))
      notes.time(work.photo) { $0.filter = clock.uptime() - start }
      if developed.thumbnail == nil { small.map(prints.discard) }
      return Negative(
        prints: prints, picture: picture,
        thumbnail: developed.thumbnail == nil ? nil : tiny, developed: developed)
    } catch {
      prints.discard(draft)
      small.map(prints.discard)
      if error.kind == .final { try await checkOriginal(original, of: work.photo) }
      if error.isCutOff, notes.mayAskAgain(work.photo) { throw try await askAgain(work, error) }
      throw error
    }
  }

  private func developOrder(_ work: Work) -> DevelopOrder {
    let (list, own) = (work.order.list, work.order.options)
    let settings = settings.current.filter
    return DevelopOrder(
      owner: list.about.owner, serviceClass: work.serviceClass,
      filter: own.filter ?? list.terms.filter, quality: own.quality ?? list.terms.quality,
      metadata: own.metadata ?? list.terms.metadata, maximumPixels: settings.maximumPixels,
      maximumMemory: settings.maximumMemory, timeout: settings.timeout)
  }

  /// Nil if none is wanted, or it cannot be made. No page shows thumbnails of a task that has a part of a list.
  private func thumbnail(
    _ work: Work, in prints: PrintFolder
  ) -> PrintFolder.Draft? {
    let terms = work.order.list.terms
    guard terms.part == nil || terms.share != nil, settings.current.output.thumbnails != nil else {
      return nil
    }
    return prints.thumbnailDraft(work.photo)
  }

  /// The picture is truncated, and its origin gave no length: the transfer may have been cut off. Records the
  /// original as lost, so that it is downloaded again.
  private func askAgain(_ work: Work, _ failure: Failure) async throws(Failure) -> Failure {
    try await recorder.record([.lost(work.photo)])
    try? originals(work).removeIfThere(Download.Original.name(of: work.photo))
    return Failure(
      .passing, code: failure.code, reason: failure.reason,
      advice: "Its origin gave no length; it is downloaded again")
  }

  func output(_ work: Work, _ negative: Negative) async throws(Failure) {
    let (photo, list) = (work.photo, work.order.list)
    let start = clock.uptime()
    let digest: SHA256Digest
    do throws(Failure) {
      digest = try negative.picture.copy(size: negative.developed.size)
    } catch { throw error.amongPrints }
    let name = list.printName(photo.number, work.order.name, negative.developed.format)
    notes.time(photo) { $0.output = clock.uptime() - start }
    let prints = negative.prints
    do throws(SystemError) { try prints.checkName() } catch {
      // As in `filter`.
      if error.isOfOneThing { lists.close(list.id) }
      throw error.machineFailure
    }
    var standing = Standing(developed: negative.developed, digest: digest, isOther: false)
    var named: [Effect] = []
    if let stored = try list.workFolders().stored {
      standing = try await place(negative, as: name, digest, in: stored)
      notes.time(photo) { $0.output = clock.uptime() - start }
    } else if prints.way == .replace {
      let draft = negative.draft
      named = try signs(prints, of: list.id)
      named.append(
        .appear(draft.file, in: prints.folder, temporary: draft.temporary, as: name))
    } else {
      standing = try await place(negative, as: name, digest, of: list.id)
      named = [.syncFolder(prints.folder)]
    }
    var row = ResultRow(work, standing.developed, standing.digest, notes.time(of: photo))
    if let small = negative.thumbnail, !standing.isOther,
      small.show(in: prints, of: list.place(of: photo.number))
    {
      row.thumbnail = negative.developed.thumbnail
    }
    let home = prints.unsettled
    do throws(Failure) {
      try await recorder.record(
        [.filtered(photo, Contents(size: standing.developed.size, hash: standing.digest.prefix))],
        after: named + [.row(list.id, row)] + (home.map { [.syncFolder($0)] } ?? []))
    } catch {
      prints.loseSign()
      throw error
    }
    if home != nil { prints.settle() }
    if standing.isOther { negative.thumbnail.map { prints.discard($0.draft) } }
    notes.time(photo) { $0.output = clock.uptime() - start }
    try? originals(work).remove(Download.Original.name(of: photo))
    notes.ended(photo)
    if standing.isOther { narrator.stood(work, standing.developed, print: name) }
    narrator.filtered(work, standing.developed, print: name, notes.takeTime(photo))
  }

  func transfers() -> [PhotoID: TransferStanding] {
    var all: [PhotoID: TransferStanding] = [:]
    for download in downloader.progress() {
      let standing: TransferStanding =
        download.transfer.isRunning ? .running(mayStop: download.mayStop) : .waiting
      for photo in download.photos { all[photo] = standing }
    }
    return all
  }

  /// The first prints appear when the mark of their folder is durable.
  func signs(_ prints: PrintFolder, of list: ListID) throws(Failure) -> [Effect] {
    do throws(SystemError) {
      return try prints.sign().map { [.sync($0)] } ?? []
    } catch {
      if error.isOfOneThing { lists.close(list) }
      throw error.machineFailure.amongPrints
    }
  }

  func discard(_ negative: Negative) {
    negative.prints.discard(negative.draft)
    negative.thumbnail.map { negative.prints.discard($0.draft) }
  }

  /// The folder with the dropped pictures of a list.
  private func pictures(of list: ListID) throws(Failure) -> (any Folder)? {
    try asMachine { () throws(SystemError) in
      try lists.folders.lists.folder(ifThere: ListFolder.name(list))
    }
  }

  private func originals(_ work: Work) throws(Failure) -> any Folder {
    try work.order.list.workFolders().originals
  }
}

extension Failure {
  /// The picture's file ends before the picture does: `jpeg.truncated`, `png.truncated`.
  var isCutOff: Bool { kind == .final && code.hasSuffix(".truncated") }
}

extension ResultRow {
  init(
    _ work: PhotoWork<PhotoOrder>, _ developed: Developed, _ digest: SHA256Digest, _ time: StageTime
  ) {
    self.init(
      photo: work.photo.number, state: .filtered, format: developed.format.rawValue,
      httpStatus: UInt16(clamping: time.httpStatus ?? 0), attempts: work.attempt,
      bytes: developed.size, width: developed.width, height: developed.height,
      sha256: digest.bytes, queuedMicroseconds: time.queued.microseconds,
      downloadMicroseconds: time.download?.microseconds ?? 0,
      filterMicroseconds: time.filter?.microseconds ?? 0,
      outputMicroseconds: time.output?.microseconds ?? 0)
  }

  init(_ work: PhotoWork<PhotoOrder>, _ failure: Failure, _ time: StageTime) {
    self.init(
      photo: work.photo.number, state: .failed,
      httpStatus: UInt16(clamping: time.httpStatus ?? 0), attempts: work.attempt,
      queuedMicroseconds: time.queued.microseconds,
      downloadMicroseconds: time.download?.microseconds ?? 0,
      filterMicroseconds: time.filter?.microseconds ?? 0, code: failure.code,
      reason: failure.reason)
  }
}

extension Duration {
  fileprivate var microseconds: UInt32 {
    let (seconds, attoseconds) = components
    return UInt32(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }
}
