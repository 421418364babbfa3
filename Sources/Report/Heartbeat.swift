// SPDX-License-Identifier: Apache-2.0
// One loop's sign of life. The loop says when it begins a turn, when it is about to wait on a disk,
// and when it has nothing to do.
// Concurrency model: one lock around one value; written by the loop, read by the watchdog.

internal import Synchronization
internal import Vocabulary

package final class Heartbeat: Pulse {
  package enum Doing: Equatable, Sendable {
    /// Waiting for something to do: healthy for ever.
    case idle
    /// In the turn with this number: the number changes or the loop is stuck.
    case busy(turn: UInt64)
    /// A disk that hangs is this machine's trouble and no reason to be killed: never judged.
    case inDiskCall
  }

  private struct State {
    var doing = Doing.idle
    var turns: UInt64 = 0

    mutating func begin() {
      turns += 1
      doing = .busy(turn: turns)
    }
  }

  package let name: String
  private let state = Mutex(State())

  package init(_ name: String) { self.name = name }

  package var doing: Doing { state.withLock { $0.doing } }

  /// A turn begins, or a long turn has come a step further.
  package func busy() { state.withLock { $0.begin() } }

  package func idle() { state.withLock { $0.doing = .idle } }

  package func inDiskCall<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    state.withLock { $0.doing = .inDiskCall }
    defer { busy() }
    return try body()
  }
}
