// SPDX-License-Identifier: Apache-2.0
// A sink with as much room as the test grants. Concurrency model: one Mutex; the network is resumed
// with it released.

import Support
import Synchronization
import Vocabulary

/// Takes as many bytes as the test has granted, then refuses.
final class SlowSink: TransferSink {
  private struct State {
    var bytes: [UInt8] = []
    var room: Int
    var goOn: (@Sendable () -> Void)?
    var trouble: Failure?
  }

  private let state: Mutex<State>
  private let refusals = EventBoard(0)

  init(room: Int) { state = Mutex(State(room: room)) }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var refusalCount: Int { refusals.value }

  func begin(_ entity: EntityFacts, at offset: UInt64) {
    if offset == 0 { state.withLock { $0.bytes = [] } }
  }

  func take(
    _ bytes: [UInt8], goOn: @escaping @Sendable () -> Void
  ) throws(Failure) -> Bool {
    let isTaken = try state.withLock { (state) throws(Failure) in
      if let trouble = state.trouble { throw trouble }
      if state.bytes.count + bytes.count > state.room {
        state.goOn = goOn
        return false
      }
      state.bytes += bytes
      return true
    }
    if !isTaken { refusals.change { $0 += 1 } }
    return isTaken
  }

  /// Grants room for this number of bytes in total.
  func grant(_ count: Int) { resume { $0.room = count } }

  func fail(_ failure: Failure) { resume { $0.trouble = failure } }

  private func resume(_ change: (inout State) -> Void) {
    let goOn = state.withLock { state in
      change(&state)
      return state.goOn.take()
    }
    goOn?()
  }

  /// Waits until this number of offers has been refused.
  func refused(_ count: Int = 1) async -> Bool { await refusals.wait { $0 >= count } }

  /// Grants `step` more bytes after each refusal, until cancelled.
  func trickle(_ step: Int) -> Task<Void, Never> {
    Task {
      var count = 0
      while await refused(count + 1), !Task.isCancelled {
        count += 1
        grant(count * step)
      }
    }
  }
}
