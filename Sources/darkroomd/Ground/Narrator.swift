// SPDX-License-Identifier: Apache-2.0
// Turns changes of photos and lists into notices: collects names and numbers; Report has the words. Callers
// report such a change only after its record is durable. Raises nothing.
// Concurrency model: `throttle` and `paces` have separate locks; the rest is immutable.

import Accept
import Catalog
import Chain
import Linux
import Record
import Report
import Return
import Synchronization
import Vocabulary

final class Narrator: Sendable {
  typealias Work = PhotoWork<PhotoOrder>

  private let reporter: Reporter
  private let recorder: Recorder
  private let index: ListIndex
  private let clock: any Timekeeper
  /// Rings at every change that users can see.
  private let changes: ChangeSignal
  private let throttle: Mutex<ProgressThrottle>
  private let tellsTransitions: Bool
  let paces = ListPaces()

  init(
    _ reporter: Reporter, recorder: Recorder, index: ListIndex, clock: any Timekeeper,
    changes: ChangeSignal, settings: Settings.Report
  ) {
    self.reporter = reporter
    self.recorder = recorder
    self.index = index
    self.clock = clock
    self.changes = changes
    throttle = Mutex(ProgressThrottle(interval: settings.progress))
    tellsTransitions = settings.transitions
  }

  func tell(_ notice: Notice) { reporter.report(notice) }

  /// A change that users can see, without a notice.
  func changed() { changes.changed() }

  // MARK: photos

  func downloaded(_ work: Work, bytes: UInt64) {
    paces.downloaded(work.photo.list, bytes: bytes)
    changes.changed()
    if tellsTransitions { reporter.report(.transition(facts(work, .downloaded))) }
  }

  /// The node where a list was dropped tells about its photos, when the ledger has them.
  private func isShare(_ work: Work) -> Bool {
    guard work.order.list.terms.share != nil else { return false }
    changes.changed()
    return true
  }

  func filtered(_ work: Work, _ developed: Developed, print: FileName, _ time: StageTime) {
    if isShare(work) { return }
    var facts = facts(work, developed, print)
    facts.set(time)
    reporter.report(.photoFinished(facts))
    ended(work.photo)
  }

  /// The print is another maker's.
  func stood(_ work: Work, _ developed: Developed, print: FileName) {
    reporter.report(.printStood(facts(work, developed, print)))
  }

  private func facts(_ work: Work, _ developed: Developed, _ print: FileName) -> PhotoFacts {
    var facts = facts(work, .filtered)
    facts.stateBefore = .downloaded
    facts.developed = developed
    facts.print = "\(work.order.list.terms.prints)/\(print)"
    return facts
  }

  func failed(_ work: Work, _ stage: Stage, _ failure: Failure, _ time: StageTime) {
    if isShare(work) { return }
    var facts = facts(work, .failed)
    facts.stateBefore = stage == .download ? .new : .downloaded
    facts.set(time)
    reporter.report(.photoFailed(facts, stage, failure))
    ended(work.photo)
  }

  func retrying(_ work: Work, _ stage: Stage, _ failure: Failure, after delay: Duration) {
    let isNew = stage == .download || failure.isLostOriginal
    var facts = facts(work, isNew ? .new : .downloaded)
    facts.httpStatus = failure.httpStatus
    if failure.isWorkerDeath {
      reporter.report(
        .workerDied(
          work.photo.list, listName: facts.listName, photo: facts, reason: failure.reason,
          next: "trying again"))
    } else if failure.isLostOriginal {
      reporter.report(.originalLost(facts, failure))
    } else {
      reporter.report(.retryScheduled(facts, stage, failure, after: delay))
    }
    changes.changed()
  }

  /// A photo that another list has developed, here or on another node.
  func mirrored(_ row: ResultRow, _ order: PhotoOrder) {
    let list = order.list
    var facts = PhotoFacts(
      id: PhotoID(list: list.id, number: row.photo), name: order.name, listName: list.name,
      state: row.state, serviceClass: order.options.serviceClass ?? list.about.terms.serviceClass,
      host: order.host, owner: Person(list.about.owner))
    facts.attempt = row.attempts
    facts.httpStatus = row.httpStatus == 0 ? nil : UInt32(row.httpStatus)
    facts.set(row)
    if row.state == .filtered, let format = PictureFormat(rawValue: row.format) {
      facts.stateBefore = .downloaded
      facts.developed = Developed(
        format: format, width: row.width, height: row.height, size: row.bytes)
      facts.print = "\(list.terms.prints)/\(list.printName(row.photo, order.name, format))"
      reporter.report(.photoFinished(facts))
    } else {
      let stage = row.failedStage
      facts.stateBefore = stage == .download ? .new : .downloaded
      reporter.report(
        .photoFailed(facts, stage, Failure(.final, code: row.code, reason: row.reason)))
    }
    paces.ended(list.id, at: clock.uptime())
  }

  private func ended(_ photo: PhotoID) {
    paces.ended(photo.list, at: clock.uptime())
    progress(photo.list)
  }

  private func facts(_ work: Work, _ state: PhotoState) -> PhotoFacts {
    var facts = PhotoFacts(
      id: work.photo, name: work.order.name, listName: work.order.list.name, state: state,
      serviceClass: work.serviceClass, host: work.order.host,
      owner: Person(work.order.list.about.owner))
    facts.attempt = work.attempt
    return facts
  }

  // MARK: lists

  /// `user` asked for it by command.
  func accepted(_ list: ListID, by user: UInt32? = nil) {
    throttle.withLock { $0.begin(list, at: clock.uptime()) }
    report(list, by: user) { .listAccepted($0) }
  }

  func changed(_ list: ListID, _ turn: ListLife.Turn, by user: UInt32?) {
    report(list, by: user) { facts in
      switch turn {
      case .paused: .listPaused(facts)
      case .resumed: .listResumed(facts)
      case .cancelled: .listCancelled(facts)
      case .finished: .listFinished(facts)
      case .quality: .listReclassed(facts)
      }
    }
  }

  /// The facts are from before the record, which has forgotten the list.
  func removed(_ facts: ListFacts, by user: UInt32?) {
    var facts = facts
    facts.caller = user.map { Person($0) }
    reporter.report(.listRemoved(facts))
    changes.changed()
  }

  /// The list's prints were removed because of their age, or set aside and rest.
  func expired(_ list: ListID, isResting: Bool) {
    report(list) { .printsExpired($0, isResting: isResting) }
  }

  /// The prints of the list and of those that go with it were to be removed, and this is in their place. Tells it if they
  /// had any.
  func missed(
    _ line: [ListID], _ standing: PrintsStanding, of prints: FileName, in home: any Folder
  ) {
    guard let list = line.first, let absence = standing.absence else { return }
    let had = recorder.ledger { ledger in line.contains { ledger[$0]?.counts.filtered ?? 0 > 0 } }
    if !had { return }
    reporter.report(
      .printsMissing(list, "\(home.path)/\(prints), its folder of prints, \(absence)"))
  }

  func progress(_ list: ListID) {
    changes.changed()
    let isDue = throttle.withLock { $0.admits(list, at: clock.uptime()) }
    if isDue { report(list) { .listProgress($0) } }
  }

  /// The list is over: forgets its progress.
  func forget(_ list: ListID) {
    throttle.withLock { $0.end(list) }
    paces.forget(list)
  }

  private func report(
    _ list: ListID, by user: UInt32? = nil, _ notice: (ListFacts) -> Notice
  ) {
    let label = index[list]
    if label?.terms.share != nil { return changes.changed() }
    let (counts, acceptance) = recorder.ledger { ($0[list]?.counts, $0[list]?.acceptance) }
    reporter.report(
      notice(
        ListFacts(
          id: list, name: index.name(of: list), total: acceptance?.photos ?? 0,
          done: counts?.filtered ?? 0, failed: counts?.failed ?? 0,
          serviceClass: acceptance?.serviceClass ?? .default,
          revises: label?.terms.revises, owner: label.map { Person($0.owner) },
          caller: user.map { Person($0) })))
    changes.changed()
  }
}

extension PhotoFacts {
  fileprivate mutating func set(_ time: StageTime) {
    httpStatus = time.httpStatus
    times.download = time.download
    times.filter = time.filter
    times.output = time.output
    times.queued = time.queued
  }

  /// A step that took no time did not take place.
  fileprivate mutating func set(_ row: ResultRow) {
    func time(_ microseconds: UInt32) -> Duration? {
      microseconds == 0 ? nil : .microseconds(microseconds)
    }
    times.download = time(row.downloadMicroseconds)
    times.filter = time(row.filterMicroseconds)
    times.output = time(row.outputMicroseconds)
    times.queued = time(row.queuedMicroseconds)
  }
}

extension Notice {
  static func host(_ told: Admission.HostNews, now: Duration) -> Notice {
    switch told.news {
    case .closed(let closure):
      hostClosed(told.name, closure.failure, retryAfter: max(.zero, closure.gate - now))
    case .reopened(let closure): hostReopened(told.name, after: now - closure.since)
    }
  }
}

extension ResultRow {
  /// Of a photo that failed: the first one that has no time.
  var failedStage: Stage { downloadMicroseconds == 0 ? .download : .filter }
}
