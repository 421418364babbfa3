// SPDX-License-Identifier: Apache-2.0
// A record in memory, for chains in tests.

import Chain
import Synchronization
import Vocabulary

final class NotedRecord: ChainRecord {
  struct Notes: Sendable {
    var states: [PhotoID: PhotoState] = [:]
    var totals: [ListID: UInt32] = [:]
    var attempts: [PhotoID: UInt32] = [:]
    /// The hosts of photos; the other photos need none.
    var hosts: [PhotoID: String] = [:]
    var owns: [PhotoID: ServiceClass] = [:]
    /// Every recorded retry.
    var retries: [(photo: PhotoID, attempt: UInt32, after: Duration)] = []
    var deaths: [PhotoID: UInt32] = [:]
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

  func addList(_ list: ListID, photos: UInt32) { notes.withLock { $0.totals[list] = photos } }

  func set(_ photo: PhotoID, _ state: PhotoState) { notes.withLock { $0.states[photo] = state } }

  func count(_ state: PhotoState) -> Int {
    notes.withLock { $0.states.values.count { $0 == state } }
  }

  func nextUnfinished(in list: ListID, after number: UInt32) -> UInt32? {
    notes.withLock { notes in
      var number = number + 1
      while number <= notes.totals[list] ?? 0 {
        let state = notes.states[PhotoID(list: list, number: number)] ?? .new
        if !state.isFinal { return number }
        number += 1
      }
      return nil
    }
  }

  func standing(of photo: PhotoID) -> PhotoStanding {
    notes.withLock { notes in
      PhotoStanding(
        state: notes.states[photo] ?? .new, attempts: notes.attempts[photo] ?? 0,
        deaths: notes.deaths[photo] ?? 0)
    }
  }

  func order(of photo: PhotoID) throws(Failure) -> (order: String, prospect: Admission.Prospect) {
    let (prospect, failure) = notes.withLock { notes in
      notes.orders += 1
      let state = notes.states[photo] ?? .new
      let prospect = Admission.Prospect(
        host: state == .new ? notes.hosts[photo] : nil, own: notes.owns[photo],
        isTried: notes.attempts[photo] ?? 0 > 0, isDone: state.isFinal)
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
    notes.withLock { notes in
      notes.attempts[work.photo] = work.attempt
      notes.retries.append((work.photo, work.attempt, delay))
      if failure.isWorkerDeath { notes.deaths[work.photo, default: 0] += 1 }
    }
  }

  func recordFailure(_ work: PhotoWork<String>, _ stage: Stage, _ failure: Failure)
    async throws(Failure)
  {
    try refuseOnce()
    notes.withLock { notes in
      notes.states[work.photo] = .failed
      notes.failures[work.photo] = failure
    }
  }

  private func refuseOnce() throws(Failure) {
    let refusal = notes.withLock { notes in
      defer { notes.refusal = nil }
      return notes.refusal
    }
    if let refusal { throw refusal }
  }
}
