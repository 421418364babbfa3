// SPDX-License-Identifier: Apache-2.0
// Where tasks leave replies for the control thread.
// Concurrency model: `state` guards the letters; any thread puts, the control thread takes, the wake
// event tells it to. Continuations are resumed by the control thread, outside the lock.

internal import Linux
import Synchronization
internal import Vocabulary

final class ControlMailbox: Sendable {
  struct Letter: Sendable {
    let client: UInt64
    let bytes: [UInt8]
    let isLast: Bool
    /// Told when the caller has taken the bytes (true) or has left (false).
    let taken: CheckedContinuation<Bool, Never>?
  }

  private struct State {
    var letters: [Letter] = []
    var isStopping = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wake: WakeEvent

  init() throws(SystemError) { wake = try WakeEvent() }

  var descriptor: Int32 { wake.descriptor }

  func put(_ letter: Letter) {
    let isTaken = state.withLock { state in
      guard !state.isClosed else { return false }
      state.letters.append(letter)
      return true
    }
    if isTaken { wake.ring() } else { letter.taken?.resume(returning: false) }
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    wake.ring()
  }

  /// What has come since, and whether to stop.
  func take() -> (letters: [Letter], isStopping: Bool) {
    wake.clear()
    return state.withLock { state in
      defer { state.letters = [] }
      return (state.letters, state.isStopping)
    }
  }

  /// Nobody will take letters any more.
  func close() {
    let left = state.withLock { state in
      state.isClosed = true
      defer { state.letters = [] }
      return state.letters
    }
    for letter in left { letter.taken?.resume(returning: false) }
  }
}
