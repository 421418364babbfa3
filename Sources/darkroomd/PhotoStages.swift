// SPDX-License-Identifier: Apache-2.0
// The stages as the chains run them: each does its work through its part, makes it durable together
// with its transition, and tells what it took. Here alone the stages meet.
// Concurrency: immutable; `times` has its own lock.

import Catalog
import Chain
import Digests
import Download
import Output
import Record
import Report
import Vocabulary

/// A finished picture out of sight.
struct Negative: Sendable {
  let prints: PrintFolder
  let draft: PrintFolder.Draft
  let developed: Developed
}

struct PhotoStages: Sendable {
  let shelf: ListShelf
  let recorder: Recorder
  let downloader: Downloader
  let workers: any Workers
  let times: StageTimes
  let clock: any Timekeeper
  let settings: LiveSettings
  let teller: Teller
  let poison: PoisonPictures
  let unsure: UnsureOriginals
  let space: SpaceWatch
  /// The list's own files are gone or damaged: nothing more is done for it.
  let abandon: @Sendable (ListID, Failure) -> Void

  var functions: Stages<any OpenFile, Negative> {
    Stages(
      download: { work, arrived throws(Failure) in try await download(work, arrived) },
      recall: { work throws(Failure) in try await recall(work) },
      filter: { work, original throws(Failure) in try await filter(work, original) },
      output: { work, negative throws(Failure) in try await output(work, negative) },
      discard: { negative in negative.prints.discard(negative.draft) })
  }

  private func download(
    _ work: PhotoWork, _ arrived: @Sendable () -> Void
  ) async throws(Failure) -> any OpenFile {
    let photo = work.photo
    let room = try room(photo.list)
    let entry = try room.catalog.entry(photo.number)
    if let failure = entry.failure { throw failure }
    let start = clock.uptime()
    times.note(photo) { $0.queued = start - work.admitted }
    let original = try await downloader.download(
      photo, from: entry.url, into: room.originals, priority: work.serviceClass,
      checksum: entry.options.checksum)
    arrived()
    space.look()
    let isApplied = try await recorder.record(
      [.downloaded(photo, original.contents)],
      after: [.stand(original.file, in: room.originals)])
    guard isApplied else { throw .cancelled }
    unsure.note(photo, isEndSure: original.isEndSure)
    let end = clock.uptime()
    times.note(photo) { time in
      time.download = end - start
      time.httpStatus = original.status == 0 ? nil : UInt32(original.status)
    }
    teller.transition(room, entry, work, from: .new, to: .downloaded)
    return try open(original.name, in: room)
  }

  /// Where the list cannot be opened any more, no photo of it is at fault.
  private func room(_ list: ListID) throws(Failure) -> ListRoom {
    do throws(Failure) { return try shelf.room(list) } catch {
      guard error.kind == .final else { throw error }
      abandon(list, error)
      throw .cancelled
    }
  }

  /// Read-only: a worker gets what it needs and no more.
  private func open(_ name: FileName, in room: ListRoom) throws(Failure) -> any OpenFile {
    do throws(SystemError) { return try room.originals.open(name, .read) } catch {
      throw error.machineFailure
    }
  }

  private func recall(_ work: PhotoWork) async throws(Failure) -> any OpenFile {
    let photo = work.photo
    let room = try room(photo.list)
    let expected = recorder.ledger { $0[photo.list]?.originals[photo.number] }
    times.note(photo) { $0.queued = clock.uptime() - work.admitted }
    do throws(SystemError) {
      let file = try room.originals.open(Original.name(of: photo), .read)
      if try file.status().size == expected?.size { return file }
    } catch {
      if !error.isMissing { throw error.machineFailure }
    }
    try await recorder.record([.lost(photo)])
    throw Failure(
      .passing, code: "original.lost", reason: "its original is gone from the state folder",
      advice: "It is downloaded again")
  }

  private func filter(_ work: PhotoWork, _ original: any OpenFile) async throws(Failure) -> Negative
  {
    try poison.check(work.photo)
    let room = try room(work.photo.list)
    let own = try room.catalog.entry(work.photo.number).options
    let start = clock.uptime()
    let draft: PrintFolder.Draft
    let prints = try room.printFolder()
    do throws(SystemError) { draft = try prints.draft(work.photo) } catch {
      // A folder that somebody removed is made anew when the room is opened again.
      if error.isMissing { shelf.close(work.photo.list) }
      throw error.machineFailure
    }
    do throws(Failure) {
      let settings = settings.current
      let developed = try await workers.develop(
        original, into: draft.file,
        DevelopOrder(
          list: work.photo.list, serviceClass: work.serviceClass,
          filter: own.filter ?? room.terms.filter, quality: own.quality ?? room.terms.quality,
          metadata: own.metadata ?? room.terms.metadata,
          maximumPixels: settings.maximumPixels, maximumMemory: settings.maximumMemory,
          timeout: settings.pictureTimeout))
      times.note(work.photo) { $0.filter = clock.uptime() - start }
      return Negative(prints: prints, draft: draft, developed: developed)
    } catch {
      prints.discard(draft)
      if error.isCutOff, unsure.takeTurn(work.photo) { throw try await askAgain(work, room, error) }
      throw error
    }
  }

  /// The picture ends in the middle, and its origin did not tell where the end is: perhaps the transfer
  /// ended in the middle, too. It is downloaded once more.
  private func askAgain(_ work: PhotoWork, _ room: ListRoom, _ failure: Failure)
    async throws(Failure) -> Failure
  {
    try await recorder.record([.lost(work.photo)])
    try? room.originals.removeIfThere(Original.name(of: work.photo))
    return Failure(
      .passing, code: failure.code, reason: failure.reason,
      advice: "Its origin did not say how long it is; it is downloaded once more")
  }

  private func output(_ work: PhotoWork, _ negative: Negative) async throws(Failure) {
    let photo = work.photo
    let room = try room(photo.list)
    let entry = try room.catalog.entry(photo.number)
    let start = clock.uptime()
    let digest = try digest(of: negative.draft.file, size: negative.developed.size)
    let name = room.printName(photo.number, entry.name, negative.developed.format)
    times.note(photo) { $0.output = clock.uptime() - start }
    let row = ResultRow(work, negative.developed, digest, times.read(photo))
    let isApplied = try await recorder.record(
      [.filtered(photo, Contents(size: negative.developed.size, hash: digest.prefix))],
      after: [
        .appear(
          negative.draft.file, in: try room.printFolder().folder,
          temporary: negative.draft.temporary, as: name),
        .row(photo.list, row),
      ])
    guard isApplied else { throw .cancelled }
    times.note(photo) { $0.output = clock.uptime() - start }
    try? room.originals.remove(Original.name(of: photo))
    unsure.forget(photo)
    teller.finished(room, entry, work, negative.developed, print: name, times.take(photo))
  }

  /// Of what is really there, whatever the worker said.
  private func digest(of file: any OpenFile, size: UInt64) throws(Failure) -> SHA256Digest {
    var hash = SHA256()
    var offset: UInt64 = 0
    do throws(SystemError) {
      while true {
        let piece = try file.read(at: offset, upTo: 1 << 18)
        if piece.isEmpty { break }
        hash.add(piece)
        offset += UInt64(piece.count)
      }
    } catch { throw error.machineFailure }
    guard offset == size else {
      throw Failure(
        .passing, code: "worker.answer", reason: "the print is not as long as the worker said")
    }
    return hash.digest()
  }
}

extension Failure {
  /// The picture's file ends before the picture does: `jpeg.truncated`, `png.truncated`.
  var isCutOff: Bool { kind == .final && code.hasSuffix(".truncated") }
}

extension ResultRow {
  init(_ work: PhotoWork, _ developed: Developed, _ digest: SHA256Digest, _ time: StageTime) {
    self.init(
      photo: work.photo.number, state: .filtered, format: developed.format.rawValue,
      httpStatus: UInt16(clamping: time.httpStatus ?? 0), attempts: work.attempt,
      bytes: developed.size, width: developed.width, height: developed.height,
      sha256: digest.bytes, queuedMicroseconds: time.queued.microseconds,
      downloadMicroseconds: time.download?.microseconds ?? 0,
      filterMicroseconds: time.filter?.microseconds ?? 0,
      outputMicroseconds: time.output?.microseconds ?? 0)
  }

  init(_ work: PhotoWork, _ failure: Failure, _ time: StageTime) {
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
