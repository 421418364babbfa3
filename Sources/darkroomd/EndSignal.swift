// SPDX-License-Identifier: Apache-2.0
// Wakes the main thread when the daemon is to end, or when --until-idle should look again.
// Concurrency model: one Mutex, one wake event; the main thread alone takes.

import Linux
import Synchronization
import Vocabulary

final class EndSignal: Sendable {
  enum End: Sendable, Equatable {
    case journalDied(Failure)
    case idle(Int32)
    case stopped
  }

  private struct State {
    var ends: [End] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
    var hasNews = false
  }

  private let wake: WakeEvent
  private let state = Mutex(State())

  init() throws(SystemError) { wake = try WakeEvent() }

  var descriptor: Int32 { wake.descriptor }

  func end(_ end: End) {
    state.withLock { $0.ends.append(end) }
    wake.ring()
  }

  func take() -> [End] {
    wake.clear()
    return state.withLock { state in
      defer { state.ends = [] }
      return state.ends
    }
  }

  /// Something about a list or the inbox has changed.
  func listChanged() {
    let waiters = state.withLock { state in
      state.hasNews = state.waiters.isEmpty
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns once `listChanged` was called since the last return.
  func nextChange() async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        if state.hasNews {
          state.hasNews = false
          return true
        }
        state.waiters.append(continuation)
        return false
      }
      if isDue { continuation.resume() }
    }
  }
}
