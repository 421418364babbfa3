// SPDX-License-Identifier: Apache-2.0
// What the chains read from the record and write to it. Concurrency: immutable.

import Catalog
import Chain
import Download
import Record
import Vocabulary

struct RecordedBooks: ChainBooks {
  let shelf: ListShelf
  let recorder: Recorder
  let downloader: Downloader
  let times: StageTimes
  let reasons: RetryReasons
  let clock: any Timekeeper
  let teller: Teller
  let poison: PoisonPictures

  func nextUnfinished(in list: ListID, after number: UInt32) -> (number: UInt32, state: PhotoState)?
  {
    recorder.ledger { ledger in
      guard let entry = ledger[list], let next = entry.nextUnfinished(after: number),
        let state = entry.state(of: next)
      else { return nil }
      return (next, state)
    }
  }

  func state(of photo: PhotoID) -> PhotoState {
    recorder.ledger { $0.state(of: photo) } ?? .new
  }

  /// A list that cannot be opened, and a photo that cannot be worked on, are told of by the stage.
  func prospect(of photo: PhotoID) -> Admission.Prospect {
    var prospect = Admission.Prospect(isTried: attempts(of: photo) > 0)
    guard let room = try? shelf.room(photo.list),
      let entry = try? room.catalog.entry(photo.number)
    else { return prospect }
    prospect.own = entry.options.serviceClass
    if state(of: photo) == .new, entry.problem == nil, let url = try? PhotoURL(parsing: entry.url) {
      prospect.host = url.scheme == .file ? HostWindows.here : url.server
      if url.scheme != .file { prospect.url = url.text.hashValue }
    }
    return prospect
  }

  func attempts(of photo: PhotoID) -> UInt32 {
    recorder.ledger { $0[photo.list]?.attempts(of: photo.number) } ?? 0
  }

  func deaths(of photo: PhotoID) -> UInt32 {
    recorder.ledger { $0[photo.list]?.deaths(of: photo.number) } ?? 0
  }

  func recordRetry(
    _ work: PhotoWork, _ stage: Stage, _ failure: Failure, after delay: Duration
  ) async throws(Failure) {
    let wait = UInt64(max(0, delay / .milliseconds(1)))
    let retry = Change.retry(
      work.photo, stage, code: failure.code, attempt: work.attempt, after: wait,
      until: clock.wallTime() + wait)
    let changes = failure.isWorkerDeath ? [.died(work.photo), retry] : [retry]
    guard try await recorder.record(changes) else { throw .cancelled }
    _ = times.take(work.photo)
    reasons.note(work.photo, failure)
    if let room = try? shelf.room(work.photo.list) {
      teller.retrying(room, work, stage, failure, after: delay)
    }
  }

  func recordFailure(_ work: PhotoWork, _ stage: Stage, _ failure: Failure) async throws(Failure) {
    let failure = failure.isWorkerDeath ? try await poison.setAside(work.photo, failure) : failure
    if let status = failure.httpStatus { times.note(work.photo) { $0.httpStatus = status } }
    let row = ResultRow(work, failure, times.read(work.photo))
    let isApplied = try await recorder.record(
      [.failed(work.photo, stage, code: failure.code, attempt: work.attempt)],
      after: [.row(work.photo.list, row)])
    guard isApplied else { throw .cancelled }
    // A room that cannot be opened may be what failed: it is not needed to say so.
    let room = try? shelf.room(work.photo.list)
    if let room {
      let url = try? room.catalog.entry(work.photo.number).url
      downloader.discard(work.photo, from: url, in: room.originals)
    }
    teller.failed(room, work, stage, failure, times.take(work.photo))
  }

  func recordFinished(_ list: ListID) async throws(Failure) -> Bool {
    try await recorder.record([.finished(list)])
  }
}
