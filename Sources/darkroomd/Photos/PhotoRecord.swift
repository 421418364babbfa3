// SPDX-License-Identifier: Apache-2.0
// The chains' interface to the record: order and standing of a photo, its retries and failures. A retry or a
// failure is durable before it is reported. Raises a `Failure` of the list's files or of the record.
// Concurrency: immutable; called where waiting for a disk is allowed.

import Catalog
import Chain
import Download
import Record
import Vocabulary

struct PhotoRecord: ChainRecord, OnGround {
  typealias Work = PhotoWork<PhotoOrder>

  let ground: Ground
  let downloader: Downloader
  let notes: PhotoNotes
  let poison: PoisonPictures

  // MARK: reading

  func nextUnfinished(in list: ListID, after number: UInt32) -> UInt32? {
    recorder.ledger { $0[list]?.nextUnfinished(after: number) }
  }

  func standing(of photo: PhotoID) -> PhotoStanding? {
    recorder.ledger { $0.standing(of: photo) }
  }

  /// A photo with a wrong entry has no host; its download raises the failure.
  func order(
    of photo: PhotoID
  ) throws(Failure) -> (order: PhotoOrder, prospect: Admission.Prospect) {
    let list = try lists.use(photo.list)
    let order = PhotoOrder(try list.catalog.entry(photo.number), of: list)
    let standing = standing(of: photo)
    var prospect = Admission.Prospect(
      own: order.options.serviceClass, isTried: standing.map { $0.attempts > 0 } == true,
      isDone: standing == nil)
    if standing?.state == .new, let url = try? order.url.get() {
      prospect.host = url.scheme.isRemote ? url.serverName : HostWindows.here
      if url.scheme.isRemote { prospect.url = url.text.hashValue }
    }
    return (order, prospect)
  }

  // MARK: writing

  func recordRetry(
    _ work: Work, _ stage: Stage, _ failure: Failure, after delay: Duration
  ) async throws(Failure) {
    let wait = UInt64(max(0, delay / .milliseconds(1)))
    let retry = Change.retry(
      work.photo, stage, code: failure.code, attempt: work.attempt, after: wait,
      until: clock.wallTime() + wait)
    try await recorder.record(failure.isWorkerDeath ? [.died(work.photo), retry] : [retry])
    _ = notes.takeTime(work.photo)
    notes.failed(work.photo, failure)
    narrator.retrying(work, stage, failure, after: delay)
  }

  func recordFailure(_ work: Work, _ stage: Stage, _ failure: Failure) async throws(Failure) {
    let photo = work.photo
    let failure = failure.isWorkerDeath ? try await poison.setAside(work, failure) : failure
    if let status = failure.httpStatus { notes.time(photo) { $0.httpStatus = status } }
    let row = ResultRow(work, failure, notes.time(of: photo))
    try await recorder.record(
      [.failed(photo, stage, code: failure.code, attempt: work.attempt)],
      after: [.row(photo.list, row)])
    if let originals = try? work.order.list.workFolders().originals {
      downloader.discard(photo, from: try? work.order.url.get(), in: originals)
    }
    notes.ended(photo)
    narrator.failed(work, stage, failure, notes.takeTime(photo))
  }
}

extension Ledger {
  func standing(of photo: PhotoID) -> PhotoStanding? {
    guard let entry = self[photo.list], case .known(let state) = entry.state(of: photo.number),
      !state.isFinal
    else { return nil }
    return PhotoStanding(
      state: state, attempts: entry.attempts(of: photo.number),
      deaths: entry.deaths(of: photo.number))
  }
}

extension Failure {
  /// The origin's status, if that is the failure: `http.404`.
  var httpStatus: UInt32? {
    code.hasPrefix("http.") ? UInt32(code.dropFirst("http.".count)) : nil
  }
}
