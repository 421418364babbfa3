// SPDX-License-Identifier: Apache-2.0
// A record in memory, for chains in tests: the ledger and its rules are the real ones.

import Chain
import Record
import Synchronization
import Vocabulary

final class NotedRecord: ChainRecord {
  struct Notes: Sendable {
    var ledger = Ledger()
    /// The hosts of photos; the other photos need none.
    var hosts: [PhotoID: String] = [:]
    /// The servers to which their hosts lead photos that arrive.
    var servers: [PhotoID: String] = [:]
    var owns: [PhotoID: ServiceClass] = [:]
    /// Every recorded retry.
    var retries: [(photo: PhotoID, attempt: UInt32, after: Duration)] = []
    var failures: [PhotoID: Failure] = [:]
    /// Lists whose files cannot be read.
    var unreadable: [ListID: Failure] = [:]
    /// How often an order was read.
    var orders = 0
    var finished: [ListID] = []
    /// The next attempt to record a failure or a retry fails with this.
    var refusal: Failure?
  }

  let notes = Mutex(Notes())
  /// Runs while a retry is being recorded.
  let duringRetry = Mutex<(@Sendable () -> Void)?>(nil)

  /// With photo 1 of list 1.
  static var ofOnePhoto: NotedRecord {
    let record = NotedRecord()
    record.addList(ListID(1), photos: 1)
    return record
  }

  /// Does nothing for a known list.
  func addList(_ list: ListID, photos: UInt32) {
    notes.withLock { notes in
      guard notes.ledger[list] == nil else { return }
      let acceptance = Acceptance(photos: photos, serviceClass: .default, sha256: "")
      notes.ledger.apply(Transition(time: 1, .accepted(list, acceptance)))
    }
  }

  func record(_ changes: [Change]) throws(Failure) {
    let refused = notes.withLock { notes in
      changes.count { !notes.ledger.apply(Transition(time: 1, $0)) }
    }
    if refused > 0 { throw .overtaken }
  }

  func count(_ state: PhotoState) -> Int {
    notes.withLock { $0.ledger.lists.values.reduce(0) { $0 + Int($1.counts[state]) } }
  }

  func nextUnfinished(in list: ListID, after number: UInt32) -> UInt32? {
    notes.withLock { $0.ledger[list]?.nextUnfinished(after: number) }
  }

  func standing(of photo: PhotoID) -> PhotoStanding? {
    notes.withLock { $0.ledger.standing(of: photo) }
  }

  func order(of photo: PhotoID) throws(Failure) -> (order: String, prospect: Admission.Prospect) {
    let (prospect, failure) = notes.withLock { notes in
      notes.orders += 1
      let standing = notes.ledger.standing(of: photo)
      let prospect = Admission.Prospect(
        host: standing?.state == .new ? notes.hosts[photo] : nil, own: notes.owns[photo],
        isTried: standing.map { $0.attempts > 0 } == true, isDone: standing == nil)
      return (prospect, notes.unreadable[photo.list])
    }
    if let failure { throw failure }
    return ("order \(photo)", prospect)
  }

  func recordRetry(
    _ work: PhotoWork<String>, _ stage: Stage, _ failure: Failure, after delay: Duration
  ) async throws(Failure) {
    try refuseOnce()
    duringRetry.withLock { $0 }?()
    let retry = Change.retry(
      work.photo, stage, code: failure.code, attempt: work.attempt, after: 0, until: 0)
    try record(failure.isWorkerDeath ? [.died(work.photo), retry] : [retry])
    notes.withLock { $0.retries.append((work.photo, work.attempt, delay)) }
  }

  func recordFailure(_ work: PhotoWork<String>, _ stage: Stage, _ failure: Failure)
    async throws(Failure)
  {
    try refuseOnce()
    try record([.failed(work.photo, stage, code: failure.code, attempt: work.attempt)])
    notes.withLock { $0.failures[work.photo] = failure }
  }

  private func refuseOnce() throws(Failure) {
    let refusal = notes.withLock { notes in
      defer { notes.refusal = nil }
      return notes.refusal
    }
    if let refusal { throw refusal }
  }
}

extension Ledger {
  fileprivate func standing(of photo: PhotoID) -> PhotoStanding? {
    guard let entry = self[photo.list], case .known(let state) = entry.state(of: photo.number),
      !state.isFinal
    else { return nil }
    return PhotoStanding(
      state: state, attempts: entry.attempts(of: photo.number),
      deaths: entry.deaths(of: photo.number))
  }
}
