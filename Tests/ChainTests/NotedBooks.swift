// SPDX-License-Identifier: Apache-2.0
// Books in memory: what the chains read and record, for tests.

import Chain
import Synchronization
import Vocabulary

final class NotedBooks: ChainBooks {
  struct Notes: Sendable {
    var states: [PhotoID: PhotoState] = [:]
    var totals: [ListID: UInt32] = [:]
    var attempts: [PhotoID: UInt32] = [:]
    /// Where photos come from; the others need no server.
    var hosts: [PhotoID: String] = [:]
    var owns: [PhotoID: ServiceClass] = [:]
    /// Every retry, as it was recorded.
    var retries: [(photo: PhotoID, attempt: UInt32, after: Duration)] = []
    var deaths: [PhotoID: UInt32] = [:]
    var failures: [PhotoID: Failure] = [:]
    var finished: [ListID] = []
    /// The next record of a failure or a retry itself fails with this.
    var refusal: Failure?
  }

  let notes = Mutex(Notes())

  func addList(_ list: ListID, photos: UInt32) { notes.withLock { $0.totals[list] = photos } }

  func set(_ photo: PhotoID, _ state: PhotoState) { notes.withLock { $0.states[photo] = state } }

  func count(_ state: PhotoState) -> Int {
    notes.withLock { $0.states.values.count { $0 == state } }
  }

  func nextUnfinished(in list: ListID, after number: UInt32) -> (number: UInt32, state: PhotoState)?
  {
    notes.withLock { notes in
      var number = number + 1
      while number <= notes.totals[list] ?? 0 {
        let state = notes.states[PhotoID(list: list, number: number)] ?? .new
        if !state.isFinal { return (number, state) }
        number += 1
      }
      return nil
    }
  }

  func state(of photo: PhotoID) -> PhotoState { notes.withLock { $0.states[photo] ?? .new } }

  func prospect(of photo: PhotoID) -> Admission.Prospect {
    notes.withLock { notes in
      let isNew = notes.states[photo] ?? .new == .new
      return Admission.Prospect(
        host: isNew ? notes.hosts[photo] : nil, own: notes.owns[photo],
        isTried: notes.attempts[photo] ?? 0 > 0)
    }
  }

  func deaths(of photo: PhotoID) -> UInt32 { notes.withLock { $0.deaths[photo] ?? 0 } }
  func attempts(of photo: PhotoID) -> UInt32 { notes.withLock { $0.attempts[photo] ?? 0 } }

  func recordRetry(
    _ work: PhotoWork, _ stage: Stage, _ failure: Failure, after delay: Duration
  ) async throws(Failure) {
    try refuseOnce()
    notes.withLock { notes in
      notes.attempts[work.photo] = work.attempt
      notes.retries.append((work.photo, work.attempt, delay))
      if failure.isWorkerDeath { notes.deaths[work.photo, default: 0] += 1 }
    }
  }

  func recordFailure(_ work: PhotoWork, _ stage: Stage, _ failure: Failure) async throws(Failure) {
    try refuseOnce()
    notes.withLock { notes in
      notes.states[work.photo] = .failed
      notes.failures[work.photo] = failure
    }
  }

  func recordFinished(_ list: ListID) async throws(Failure) -> Bool {
    notes.withLock { $0.finished.append(list) }
    return true
  }

  private func refuseOnce() throws(Failure) {
    let refusal = notes.withLock { notes in
      defer { notes.refusal = nil }
      return notes.refusal
    }
    if let refusal { throw refusal }
  }
}
