// SPDX-License-Identifier: Apache-2.0
// What tasks leave for the pool's thread, and what wakes it.
// Concurrency model: `commands` is behind its lock, which is held for an append and nothing else; the
// thread takes all at once. Only the thread resumes what waits, and each exactly once.

import Linux
import Synchronization
import Vocabulary

typealias JobAnswer = Result<WorkerFacts, Failure>

final class PoolInbox: Sendable {
  enum Command: Sendable {
    case order(JobNumber, WorkerJob, CheckedContinuation<JobAnswer, Never>)
    case cancel(JobNumber)
    case foresee(ListLimits)
    case resize(Int)
    case end
    case awaitEnd(CheckedContinuation<Void, Never>)
  }

  private struct State {
    var commands: [Command] = []
    var lastJob: JobNumber = 0
    /// The thread has gone: nobody will take what is left here.
    var isOver = false
  }

  private let state = Mutex(State())
  private let wake: WakeEvent

  init() throws(SystemError) { wake = try WakeEvent() }

  var descriptor: Int32 { wake.descriptor }

  func nextNumber() -> JobNumber {
    state.withLock { state in
      state.lastJob += 1
      return state.lastJob
    }
  }

  func leave(_ command: Command) {
    let isOver = state.withLock { state in
      if !state.isOver { state.commands.append(command) }
      return state.isOver
    }
    if isOver { Self.refuse(command) } else { wake.ring() }
  }

  func takeAll() -> [Command] {
    wake.clear()
    return state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// The thread's last act.
  func close() {
    let left = state.withLock { state in
      state.isOver = true
      defer { state.commands = [] }
      return state.commands
    }
    for command in left { Self.refuse(command) }
  }

  private static func refuse(_ command: Command) {
    switch command {
    case .order(_, _, let continuation): continuation.resume(returning: .failure(.cancelled))
    case .awaitEnd(let continuation): continuation.resume()
    case .cancel, .foresee, .resize, .end: break
    }
  }
}
