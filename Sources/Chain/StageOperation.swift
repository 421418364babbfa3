// SPDX-License-Identifier: Apache-2.0
// The one `Operation` subclass: asynchronous, cancellable, with a typed outcome. Its body is an async
// function; no thread waits inside. The body records its effect before it returns, so the record comes before
// `isFinished` and before any dependent starts.
//
// Concurrency model: all state is in one `Mutex`; Foundation is notified with the lock released,
// because it calls back into `isExecuting` and `isFinished`.

package import Foundation
import Linux
import Synchronization
package import Vocabulary

package final class StageOperation<Value: Sendable>: Operation, @unchecked Sendable {
  // Unchecked because Foundation.Operation is; every stored property here is a `let`.
  package typealias Outcome = Result<Value, Failure>

  private enum Phase {
    /// Not started, in its queue or not. → running, done
    case waiting(body: @Sendable () async -> Outcome)
    /// → done
    case running(Task<Void, Never>)
    case done(Outcome)
  }

  private let phase: Mutex<Phase>
  private let whenFinished: @Sendable () -> Void

  /// - Parameter whenFinished: called once, after Foundation is notified; the owner may release the operation
  /// then.
  package init(
    name: String, serviceClass: ServiceClass, whenFinished: @escaping @Sendable () -> Void,
    body: @escaping @Sendable () async -> Outcome
  ) {
    phase = Mutex(.waiting(body: body))
    self.whenFinished = whenFinished
    super.init()
    self.name = name
    qualityOfService = serviceClass.foundation
    // Explicit, because Foundation ignores the quality of service in a queue of width 1.
    queuePriority = serviceClass.queuePriority
  }

  package override var isAsynchronous: Bool { true }

  package override var isExecuting: Bool {
    phase.withLock { if case .running = $0 { true } else { false } }
  }

  package override var isFinished: Bool {
    phase.withLock { if case .done = $0 { true } else { false } }
  }

  /// The outcome; nil until it is finished.
  package var outcome: Outcome? {
    phase.withLock { if case .done(let outcome) = $0 { outcome } else { nil } }
  }

  /// Foundation calls this for cancelled operations too, even before their dependencies have finished.
  package override func start() {
    let isStarted = phase.withLock { phase in
      guard case .waiting(let body) = phase, !isCancelled else { return false }
      phase = .running(TaskHome.disk.start { self.finish(await body()) })
      return true
    }
    if isStarted { announce("isExecuting") } else { finish(.failure(.cancelled)) }
  }

  package override func cancel() {
    super.cancel()
    let task = phase.withLock { phase -> Task<Void, Never>? in
      if case .running(let task) = phase { task } else { nil }
    }
    task?.cancel()
  }

  /// Prevents the start, which looks at the flag; a body that runs continues.
  func withdraw() { super.cancel() }

  private func finish(_ outcome: Outcome) {
    let isFirst = phase.withLock { phase in
      if case .done = phase { return false }
      phase = .done(outcome)
      return true
    }
    guard isFirst else { return }
    announce("isExecuting")
    announce("isFinished")
    // Foundation keeps finished dependencies and their results for the life of this object.
    for dependency in dependencies where dependency.isFinished { removeDependency(dependency) }
    whenFinished()
  }

  private func announce(_ key: String) {
    willChangeValue(forKey: key)
    didChangeValue(forKey: key)
  }
}

/// An operation that can be kept from starting; if it runs already, it continues.
protocol WithdrawableOperation: Operation {
  var hasSucceeded: Bool { get }
  func withdraw()
}

extension StageOperation: WithdrawableOperation {
  var hasSucceeded: Bool { if case .success = outcome { true } else { false } }
}

extension ServiceClass {
  var foundation: QualityOfService {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .default: .default
    case .utility: .utility
    case .background: .background
    }
  }

  var queuePriority: Operation.QueuePriority {
    switch self {
    case .userInteractive: .veryHigh
    case .userInitiated: .high
    case .default: .normal
    case .utility: .low
    case .background: .veryLow
    }
  }
}
