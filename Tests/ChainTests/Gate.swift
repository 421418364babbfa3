// SPDX-License-Identifier: Apache-2.0
// Ways to wait without sleeping: a gate that holds stages back, and a count to reach.

import Synchronization
import Vocabulary

/// Holds callers of `pass` until it is open. A cancelled caller gets `Failure.cancelled`.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    var next = 0
    var arrived = 0
  }

  private let state = Mutex(State())
  let arrivals = Tally()

  func pass() async throws(Failure) {
    arrivals.add()
    let ticket = state.withLock { state in
      state.next += 1
      return state.next
    }
    let isThrough = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.isOpen { return true }
          if Task.isCancelled { return false }
          state.waiters[ticket] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(returning: false)
    }
    if !isThrough { throw .cancelled }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }
}

/// A count, and tasks that wait for it to reach a number.
final class Tally: Sendable {
  private struct State {
    var count = 0
    var highest = 0
    var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }
  var highest: Int { state.withLock { $0.highest } }

  func add(_ step: Int = 1) {
    let ready = state.withLock { state in
      state.count += step
      state.highest = max(state.highest, state.count)
      let ready = state.waiters.filter { $0.0 <= state.count }
      state.waiters.removeAll { $0.0 <= state.count }
      return ready
    }
    for (_, continuation) in ready { continuation.resume() }
  }

  func reaches(_ goal: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.count >= goal { return true }
        state.waiters.append((goal, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// A condition that a test turns off.
final class Flag: Sendable {
  private let state: Mutex<Bool>

  init(_ isOn: Bool) { state = Mutex(isOn) }

  var isOn: Bool { state.withLock { $0 } }
  func turnOff() { state.withLock { $0 = false } }
}
