// SPDX-License-Identifier: Apache-2.0
// Letters to a thread that waits for descriptors. Any thread puts a letter; the owner takes all at once.
// Letters left at `close`, and later ones, are refused, so that no sender waits for an answer forever.
// Concurrency model: one Mutex, held for an append or a swap; the event is rung with it released.

import Synchronization
package import Vocabulary

package final class Mailbox<Letter: Sendable>: Sendable {
  /// The letters that ring after a `take`.
  package enum Ringing: Sendable {
    case all
    /// Letters that are not urgent wait for the owner's next turn.
    case urgent
    /// No letter rings: the owner takes again before it waits.
    case none
  }

  private struct State {
    var letters: [Letter] = []
    var ringing = Ringing.all
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wake: WakeEvent
  private let refuse: @Sendable (Letter) -> Void

  /// - Parameter refuse: tells the sender that its letter will not be read.
  package init(refuse: @escaping @Sendable (Letter) -> Void = { _ in }) throws(SystemError) {
    wake = try WakeEvent()
    self.refuse = refuse
  }

  /// Readable after a letter has rung.
  package var descriptor: Int32 { wake.descriptor }

  package func put(_ letter: Letter, isUrgent: Bool = true) {
    let (isClosed, rings) = state.withLock { state in
      if state.isClosed { return (true, false) }
      state.letters.append(letter)
      guard state.ringing == .all || (state.ringing == .urgent && isUrgent) else {
        return (false, false)
      }
      state.ringing = .none
      return (false, true)
    }
    if isClosed { refuse(letter) } else if rings { wake.ring() }
  }

  /// All letters since the last `take`; clears the event.
  package func takeAll() -> [Letter] {
    wake.clear()
    return state.withLock { state in
      state.ringing = .all
      defer { state.letters = [] }
      return state.letters
    }
  }

  /// The same for an owner that takes again before it waits if it found a letter, and that clears the event
  /// itself after a wait.
  package func take(beforeWaiting ringing: Ringing) -> [Letter] {
    state.withLock { state in
      state.ringing = state.letters.isEmpty ? ringing : .none
      if state.letters.isEmpty { return [] }
      defer { state.letters = [] }
      return state.letters
    }
  }

  package func clear() { wake.clear() }

  /// The owner's last call: refuses the remaining letters and all later ones.
  package func close() {
    let left = state.withLock { state in
      state.isClosed = true
      defer { state.letters = [] }
      return state.letters
    }
    for letter in left { refuse(letter) }
  }
}
