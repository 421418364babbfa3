// SPDX-License-Identifier: Apache-2.0
// Facts about photos that are kept in memory only: the duration of their steps, the failure before another
// attempt, whether their origin gave a length, and whether this machine has lost their original. A restart loses them;
// the record does not need them. Each kind is bounded. Raises nothing.
// Concurrency model: one Mutex.

import Synchronization
import Vocabulary

final class PhotoNotes: Sendable {
  /// Without a length from the origin, a truncated download looks complete until the filter reads it. Such a
  /// photo is downloaded again, once.
  private enum End { case unsure, askedAgain }

  private struct State {
    /// Photos whose original this machine has lost.
    var losses = RecentMap<PhotoID, Bool>(most: PhotoNotes.most)
    /// Of photos in progress, and of some that a pause or a stop has ended.
    var times = RecentMap<PhotoID, StageTime>(most: PhotoNotes.most)
    var failures = RecentMap<PhotoID, Failure>(most: PhotoNotes.most)
    var ends = RecentMap<PhotoID, End>(most: PhotoNotes.most)
  }

  static let most = 8192

  private let state = Mutex(State())

  // MARK: times

  func time(_ photo: PhotoID, _ change: (inout StageTime) -> Void) {
    state.withLock { state in
      var time = state.times[photo] ?? StageTime()
      change(&time)
      state.times[photo] = time
    }
  }

  func time(of photo: PhotoID) -> StageTime {
    state.withLock { $0.times[photo] ?? StageTime() }
  }

  /// Returns and forgets the times of a photo whose attempt has ended.
  func takeTime(_ photo: PhotoID) -> StageTime {
    state.withLock { state in
      defer { state.times[photo] = nil }
      return state.times[photo] ?? StageTime()
    }
  }

  // MARK: failures

  /// The failure of the last attempt.
  func failure(of photo: PhotoID) -> Failure? { state.withLock { $0.failures[photo] } }

  func failed(_ photo: PhotoID, _ failure: Failure) {
    state.withLock { $0.failures[photo] = failure }
  }

  // MARK: ends that are not sure

  func downloaded(_ photo: PhotoID, isEndSure: Bool) {
    state.withLock { state in
      if isEndSure {
        state.ends[photo] = nil
      } else if state.ends[photo] == nil {
        state.ends[photo] = .unsure
      }
    }
  }

  /// True, once, if the photo should be downloaded again.
  func mayAskAgain(_ photo: PhotoID) -> Bool {
    state.withLock { state in
      guard state.ends[photo] == .unsure else { return false }
      state.ends[photo] = .askedAgain
      return true
    }
  }

  // MARK: originals that this machine has lost

  func isFirstLoss(of photo: PhotoID) -> Bool {
    state.withLock { state in
      defer { state.losses[photo] = true }
      return state.losses[photo] == nil
    }
  }

  // MARK: forgetting

  /// The photo is filtered or failed.
  func ended(_ photo: PhotoID) {
    state.withLock { state in
      state.failures[photo] = nil
      state.ends[photo] = nil
      state.losses[photo] = nil
    }
  }

  /// The list is over.
  func forget(_ list: ListID) {
    state.withLock { state in
      state.times.removeAll { $0.list == list }
      state.failures.removeAll { $0.list == list }
      state.ends.removeAll { $0.list == list }
      state.losses.removeAll { $0.list == list }
    }
  }
}

/// A dictionary with a limit: a new entry beyond it removes the oldest. A value.
struct RecentMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let most: Int
  private var values: [Key: (value: Value, age: UInt64)] = [:]
  /// Keys in order of insertion, including some that have been removed.
  private var order: [(key: Key, age: UInt64)] = []
  private var next = 0
  private var lastAge: UInt64 = 0

  init(most: Int) { self.most = most }

  var count: Int { values.count }

  subscript(_ key: Key) -> Value? {
    get { values[key]?.value }
    set {
      guard let newValue else {
        values[key] = nil
        return
      }
      if let known = values[key] {
        values[key] = (newValue, known.age)
      } else {
        lastAge += 1
        values[key] = (newValue, lastAge)
        order.append((key, lastAge))
        trim()
      }
    }
  }

  mutating func removeAll(where isGone: (Key) -> Bool) {
    values = values.filter { !isGone($0.key) }
    trim()
  }

  private mutating func trim() {
    while values.count > most { removeOldest() }
    // Removed keys would accumulate.
    if order.count - next > 2 * most {
      order = order[next...].filter { values[$0.key]?.age == $0.age }
      next = 0
    } else if next > most {
      order.removeFirst(next)
      next = 0
    }
  }

  private mutating func removeOldest() {
    let (key, age) = order[next]
    next += 1
    if values[key]?.age == age { values[key] = nil }
  }
}
