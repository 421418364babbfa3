// SPDX-License-Identifier: Apache-2.0
// Turns what has been recorded into notices: gathers names and numbers, words are Report's affair.
// Called only after the record is durable.
// Concurrency model: `throttle` has its own lock; the rest is immutable.

import Accept
import Catalog
import Chain
import Record
import Report
import Synchronization
import Vocabulary

final class Teller: Sendable {
  private let reporter: Reporter
  private let recorder: Recorder
  private let clock: any Timekeeper
  private let news: ListNews
  private let throttle: Mutex<ProgressThrottle>
  private let tellsTransitions: Bool
  private let progressed: @Sendable () -> Void

  init(
    _ reporter: Reporter, recorder: Recorder, clock: any Timekeeper, news: ListNews,
    settings: Settings, progressed: @escaping @Sendable () -> Void
  ) {
    self.reporter = reporter
    self.recorder = recorder
    self.clock = clock
    self.news = news
    self.progressed = progressed
    throttle = Mutex(ProgressThrottle(interval: settings.progress))
    tellsTransitions = settings.transitions
  }

  func tell(_ notice: Notice) { reporter.report(notice) }

  /// What `systemctl status` shows may be another now.
  func statusChanged() { progressed() }

  // MARK: photos

  func transition(
    _ room: ListRoom, _ entry: CatalogEntry, _ work: PhotoWork, from: PhotoState, to: PhotoState
  ) {
    news.changed(room.id)
    guard tellsTransitions else { return }
    var facts = facts(room, entry, work, to)
    facts.stateBefore = from
    reporter.report(.transition(facts))
  }

  func finished(
    _ room: ListRoom, _ entry: CatalogEntry, _ work: PhotoWork, _ developed: Developed,
    print: FileName, _ time: StageTime
  ) {
    var facts = facts(room, entry, work, .filtered)
    facts.stateBefore = .downloaded
    facts.developed = developed
    facts.print = "\(room.terms.prints)/\(print)"
    facts.set(time)
    reporter.report(.photoFinished(facts))
    progress(room)
  }

  func failed(
    _ room: ListRoom?, _ work: PhotoWork, _ stage: Stage, _ failure: Failure, _ time: StageTime
  ) {
    var facts = facts(room, try? room?.catalog.entry(work.photo.number), work, .failed)
    facts.stateBefore = stage == .download ? .new : .downloaded
    facts.set(time)
    reporter.report(.photoFailed(facts, stage, failure))
    if let room { progress(room) }
  }

  func retrying(
    _ room: ListRoom, _ work: PhotoWork, _ stage: Stage, _ failure: Failure, after delay: Duration
  ) {
    let state: PhotoState = stage == .download ? .new : .downloaded
    var facts = facts(room, try? room.catalog.entry(work.photo.number), work, state)
    facts.httpStatus = failure.httpStatus
    if failure.isWorkerDeath {
      reporter.report(
        .workerDied(
          room.id, listName: room.name, photo: facts, reason: failure.reason,
          next: "trying once more"))
    } else {
      reporter.report(.retryScheduled(facts, stage, failure, after: delay))
    }
    news.changed(room.id)
  }

  private func facts(
    _ room: ListRoom?, _ entry: CatalogEntry?, _ work: PhotoWork, _ state: PhotoState
  ) -> PhotoFacts {
    var facts = PhotoFacts(
      id: work.photo, name: entry?.name ?? "photo \(work.photo.number)",
      listName: room?.name ?? "list \(work.photo.list)", state: state,
      serviceClass: work.serviceClass,
      host: entry.flatMap { try? PhotoURL(parsing: $0.url).host } ?? "")
    facts.attempt = work.attempt
    return facts
  }

  // MARK: lists

  func facts(_ room: ListRoom) -> ListFacts {
    let counts = recorder.ledger { $0[room.id]?.counts } ?? PhotoCounts(new: room.catalog.count)
    return ListFacts(
      id: room.id, name: room.name, total: room.catalog.count, done: counts.filtered,
      failed: counts.failed, serviceClass: room.about.terms.serviceClass,
      revises: room.terms.revises)
  }

  func accepted(_ room: ListRoom) {
    throttle.withLock { $0.begin(room.id, at: clock.uptime()) }
    reporter.report(.listAccepted(facts(room)))
    news.changed(room.id)
  }

  /// The list is over: there is no more progress to tell of.
  func forget(_ list: ListID) { throttle.withLock { $0.end(list) } }

  func finished(_ room: ListRoom) {
    reporter.report(.listFinished(facts(room)))
    news.changed(room.id)
  }

  func changed(_ room: ListRoom, _ notice: (ListFacts) -> Notice) {
    reporter.report(notice(facts(room)))
    news.changed(room.id)
  }

  func progress(_ room: ListRoom) {
    news.changed(room.id)
    let isDue = throttle.withLock { $0.admits(room.id, at: clock.uptime()) }
    guard isDue else { return }
    reporter.report(.listProgress(facts(room)))
    progressed()
  }
}

extension PhotoFacts {
  fileprivate mutating func set(_ time: StageTime) {
    httpStatus = time.httpStatus
    downloadTime = time.download
    filterTime = time.filter
    outputTime = time.output
    queuedTime = time.queued
  }
}
