// SPDX-License-Identifier: Apache-2.0
// One loop's sign of life. The loop reports when a turn begins and when it is idle, and the work that has not ended.
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
    var work: [UInt64: (words: String, order: UInt64)] = [:]
    var begun: UInt64 = 0
  }

  private static let mostTold = 5

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

  package func begin(_ work: String, at number: UInt64) {
    state.withLock { state in
      state.begun += 1
      state.work[number] = (work, state.begun)
    }
  }

  package func end(_ number: UInt64) { state.withLock { $0.work[number] = nil } }

  /// The work that has not ended, the newest first, such as `Find of user 1000, Show of user 1001`.
  package var work: String {
    let all = state.withLock { Array($0.work.values) }.sorted { $0.order > $1.order }
    let more = all.count - Self.mostTold
    return all.prefix(Self.mostTold).map(\.words).joined(separator: ", ")
      + (more > 0 ? " and \(more) more" : "")
  }
}
