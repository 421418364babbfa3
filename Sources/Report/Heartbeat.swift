// SPDX-License-Identifier: Apache-2.0
// One loop's sign of life. The loop reports when a turn begins and when it is idle.
// Concurrency model: one lock around one value; the loop writes, the watchdog reads.

internal import Synchronization
internal import Vocabulary

package final class Heartbeat: Pulse {
  package enum Doing: Equatable, Sendable {
    /// Waiting for work: healthy however long it lasts.
    case idle
    /// In the turn of this number. A loop whose number stops changing is stuck.
    case busy(turn: UInt64)
  }

  private struct State {
    var doing = Doing.idle
    var turns: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var doing: Doing { state.withLock { $0.doing } }

  /// Call when a turn begins, and after each step of a long turn.
  package func busy() {
    state.withLock { state in
      state.turns += 1
      state.doing = .busy(turn: state.turns)
    }
  }

  package func idle() { state.withLock { $0.doing = .idle } }
}
