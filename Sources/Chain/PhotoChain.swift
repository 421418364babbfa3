// SPDX-License-Identifier: Apache-2.0
// The operations that one photo still needs, given its recorded state, tied by dependencies.
//
// Three rules keep Foundation's Operation on Linux from crashing, hanging or going quadratic:
// a chain holds its operations until the last has finished (a dependency keeps bare pointers to its
// dependents); they are added last stage first (a dependent added while its dependency finishes may
// never start); and only a window of chains exists at a time (each scheduling walks all that wait).
//
// Concurrency model: `state` is the chain's own; operations are called with the lock released.

import Foundation
import Synchronization
package import Vocabulary

package final class PhotoChain: Sendable {
  /// How a chain ended.
  package enum End: Equatable, Sendable {
    case filtered
    case failed
    case retry(after: Duration)
    case stopped
    /// `hold` is the number of the pause before the failed step began: what failed before a later one
    /// says nothing of the machine as it is now.
    case machineTrouble(Failure, hold: UInt)
  }

  /// What a stage's failure came to, once recorded.
  typealias Settle = @Sendable (PhotoWork, Stage, Failure, _ hold: UInt) async -> End

  private struct State {
    var operations: [(stage: Stage, operation: Operation)] = []
    var unfinished = 0
    /// Cancelled for good: once nothing runs, the chain is over, though its operations may stand in
    /// a busy queue for long.
    var isCalledOff = false
    var end: End?
    /// Gives away what the filter made, where it made something.
    var discard: (@Sendable () -> Void)?
    var whenEnded: (@Sendable (End) -> Void)?
    var whenGone: (@Sendable () -> Void)?
  }

  package let work: PhotoWork
  private let state = Mutex(State())

  init(_ work: PhotoWork) { self.work = work }

  /// Makes the operations and hands them to the queues. `arrived` is called when a download's server has
  /// done its part; it may be called more than once. `whenEnded` is called once, when nothing of the
  /// photo runs or will run; `whenGone` once, when the queues have let go of the last operation, which
  /// after a cancel may be later.
  func begin<Original: Sendable, Negative: Sendable>(
    _ stages: Stages<Original, Negative>, on queues: StageQueues,
    hold: @escaping @Sendable () -> UInt, arrived: @escaping @Sendable () -> Void,
    settle: @escaping Settle,
    whenEnded: @escaping @Sendable (End) -> Void, whenGone: @escaping @Sendable () -> Void
  ) {
    let download = operation(.download, hold, settle) { [work] () throws(Failure) -> Original in
      if let refusal = work.refusal { throw refusal }
      if work.state == .downloaded { return try await stages.recall(work) }
      let original = try await stages.download(work, arrived)
      arrived()
      return original
    }
    let filter = operation(.filter, hold, settle) { [work] () throws(Failure) -> Negative in
      try await stages.filter(work, try Self.value(of: download))
    }
    let output = operation(.output, hold, settle) { [work] () throws(Failure) -> Void in
      try await stages.output(work, try Self.value(of: filter))
    }
    filter.addDependency(download)
    output.addDependency(filter)
    let operations: [(Stage, Operation)] = [
      (.download, download), (.filter, filter), (.output, output),
    ]
    state.withLock { state in
      state.operations = operations
      state.unfinished = operations.count
      state.whenEnded = whenEnded
      state.whenGone = whenGone
      state.discard = {
        if case .success(let negative) = filter.outcome { stages.discard(negative) }
      }
      // What was called off before there was anything is called off again by whoever still wants it.
      state.isCalledOff = false
    }
    for (stage, operation) in operations.reversed() { queues.add(operation, to: stage) }
  }

  /// Stops all of it, at once.
  package func cancel() {
    for (_, operation) in state.withLock({ $0.operations }) { operation.cancel() }
    state.withLock { $0.isCalledOff = true }
    endIfOver()
  }

  /// Lets the running step finish and starts no other. The chain keeps its place until its operations
  /// have left their queues: pausing and resuming again and again piles nothing up there.
  package func stopAfterStep() {
    let waiting = state.withLock { $0.operations }.filter { !$0.operation.isExecuting }
    for (_, operation) in waiting { operation.cancel() }
  }

  /// The stage that runs now, if any.
  package var stage: Stage? {
    state.withLock { $0.operations }.first { $0.operation.isExecuting }?.stage
  }

  /// A failed or cancelled dependency ends the chain; Foundation would start its dependents all the
  /// same. `stopped` stays silent here: whoever failed has settled it.
  private static func value<Value>(of dependency: StageOperation<Value>) throws(Failure) -> Value {
    guard case .success(let value) = dependency.outcome else { throw .cancelled }
    return value
  }

  private func operation<Value: Sendable>(
    _ stage: Stage, _ hold: @escaping @Sendable () -> UInt, _ settle: @escaping Settle,
    _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) -> StageOperation<Value> {
    StageOperation(
      name: "\(work.photo) \(stage.name)", serviceClass: work.serviceClass,
      whenFinished: { [self] in operationFinished() }
    ) { [self] in
      let hold = hold()
      do throws(Failure) {
        let value = try await body()
        if stage == .output { settled(.filtered) }
        return .success(value)
      } catch {
        settled(error.kind == .cancelled ? .stopped : await settle(work, stage, error, hold))
        return .failure(error)
      }
    }
  }

  /// The first end counts: what follows in the chain was merely stopped by it.
  private func settled(_ end: End) {
    state.withLock { state in state.end = state.end ?? end }
  }

  private func operationFinished() {
    let isLast = state.withLock { state in
      state.unfinished -= 1
      return state.unfinished == 0
    }
    endIfOver()
    guard isLast else { return }
    let whenGone = state.withLock { state in
      defer { state.whenGone = nil }
      // Only now may the operations go.
      state.operations = []
      return state.whenGone
    }
    whenGone?()
  }

  /// Called off, and nothing runs: nothing ever will.
  private var isStill: Bool {
    let operations = state.withLock { $0.isCalledOff ? $0.operations : [] }
    return !operations.isEmpty && !operations.contains { $0.operation.isExecuting }
  }

  private func endIfOver() {
    let isStill = isStill
    let ended = state.withLock {
      state -> (@Sendable (End) -> Void, End, (@Sendable () -> Void)?)? in
      guard state.unfinished == 0 || isStill, let whenEnded = state.whenEnded else { return nil }
      defer { (state.whenEnded, state.discard) = (nil, nil) }
      return (whenEnded, state.end ?? .stopped, state.discard)
    }
    guard let (whenEnded, end, discard) = ended else { return }
    // Before anybody can begin the photo anew.
    if end != .filtered { discard?() }
    whenEnded(end)
  }
}
