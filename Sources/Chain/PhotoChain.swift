// SPDX-License-Identifier: Apache-2.0
// The operations of one photo, tied by dependencies: download (or recall, if it is recorded as downloaded),
// filter, output. The filter also waits for a place: a fourth operation without a queue, which a grant finishes.
//
// Three rules keep Foundation's Operation on Linux from crashing, hanging or going quadratic:
// a chain holds its operations until the last has finished (a dependency keeps bare pointers to its
// dependents); they are added last stage first (a dependent added while its dependency finishes may
// never start); and only a window of chains exists at a time (each scheduling walks all that wait).
//
// Concurrency model: one `Mutex` per chain; operations and the owner are called with it released.

import Foundation
import Synchronization
import Vocabulary

/// The owner of a chain: asked before a step, informed after it.
protocol ChainOwner<Order>: AnyObject, Sendable {
  associatedtype Order: Sendable

  /// The number of holds that were released.
  var holds: UInt { get }
  /// The photo's host is no longer needed; may be called more than once. The first call names the server that has sent
  /// the photo; nil for the one of its URL.
  func arrived(_ photo: PhotoID, from server: String?)
  /// The photo is downloaded; call the chain's `beginFilter` when a place at the filter is free.
  func awaitPlace(_ chain: PhotoChain<Order>)
  /// The chain does not need a place, or no longer needs one. May be called for a chain that has not waited.
  func leavePlace(_ chain: PhotoChain<Order>)
  /// Records a stage's failure; returns the end of the photo.
  func settle(
    _ work: PhotoWork<Order>, _ stage: Stage, _ failure: Failure, hold: UInt
  ) async -> PhotoEnd
  /// Called once, when no operation of the photo runs or will run.
  func ended(_ photo: PhotoID, _ end: PhotoEnd)
  /// Called once, when the last operation has left the queues, which after a cancel may be later than
  /// `ended`.
  func released(_ photo: PhotoID)
}

final class PhotoChain<Order: Sendable>: Sendable {
  private struct State {
    var isOver = false
    var operations: [(stage: Stage, operation: any WithdrawableOperation)] = []
    /// The filter depends on it.
    var place = Operation()
    var unfinished = Stage.allCases.count
    /// Cancelled for good: the chain is over once nothing runs, even if its operations stay in a busy queue.
    var isCancelled = false
    var end: PhotoEnd?
    /// Discards the filter's result, if there is one.
    var discard: (@Sendable () -> Void)?
  }

  let work: PhotoWork<Order>
  private let owner: any ChainOwner<Order>
  private let state = Mutex(State())

  init(_ work: PhotoWork<Order>, owner: any ChainOwner<Order>) {
    self.work = work
    self.owner = owner
  }

  /// Makes the operations and hands them to the queues.
  func begin<Work: Stages>(_ stages: Work, on queues: StageQueues) where Work.Order == Order {
    let download = operation(.download) { [work, owner] () throws(Failure) -> Work.Original in
      if let refusal = work.refusal { throw refusal }
      if work.state == .downloaded { return try await stages.recall(work) }
      let original = try await stages.download(
        work, arrived: { owner.arrived(work.photo, from: $0) })
      owner.arrived(work.photo, from: nil)
      return original
    }
    let filter = operation(.filter) { [work] () throws(Failure) -> Work.Negative in
      try await stages.filter(work, try Self.value(of: download))
    }
    let output = operation(.output) { [work] () throws(Failure) -> Void in
      try await stages.output(work, try Self.value(of: filter))
    }
    filter.addDependency(download)
    filter.addDependency(state.withLock(\.place))
    output.addDependency(filter)
    let operations: [(Stage, any WithdrawableOperation)] = [
      (.download, download), (.filter, filter), (.output, output),
    ]
    state.withLock { state in
      state.operations = operations
      state.discard = {
        if case .success(let negative) = filter.outcome { stages.discard(negative) }
      }
      // Drops a cancel that came before the operations; `ChainRunner.begin` repeats it.
      state.isCancelled = false
    }
    for (stage, operation) in operations.reversed() { queues.add(operation, to: stage) }
  }

  /// The filter has a place: it begins once its queue also has one.
  func beginFilter() {
    let (place, operations) = state.withLock { ($0.place, $0.operations) }
    // Without operations, all have finished and may be released, and the place may not touch them.
    withExtendedLifetime(operations) { if !operations.isEmpty { place.start() } }
  }

  /// Cancels all operations at once.
  func cancel() {
    for (_, operation) in state.withLock({ $0.operations }) { operation.cancel() }
    state.withLock { $0.isCancelled = true }
    endIfOver()
  }

  /// Lets the running step finish and starts no other. The chain keeps its place until its operations have
  /// left the queues, so that repeated pauses do not fill them.
  func stopAfterStep() {
    let waiting = state.withLock { $0.operations }.filter { !$0.operation.isExecuting }
    for (_, operation) in waiting { operation.cancel() }
  }

  /// Lets a running download finish and ends the chain then; a download that waits ends at once. The photo comes back
  /// for another chain. A photo that is being filtered keeps its chain, because its work would be lost.
  /// - Parameter atOnce: the download has no bytes yet, and ends as well.
  func giveWay(atOnce isAtOnce: Bool = false) {
    let operations = state.withLock { $0.operations }
    let isPastDownload = operations.contains { stage, operation in
      stage != .download && (operation.isExecuting || operation.isFinished)
    }
    if isPastDownload || operations.isEmpty { return }
    for (_, operation) in operations {
      if isAtOnce { operation.cancel() } else { operation.withdraw() }
    }
    state.withLock { $0.isCancelled = true }
    endIfOver()
  }

  /// The running stage, if any.
  var stage: Stage? {
    state.withLock { $0.operations }.first { $0.operation.isExecuting }?.stage
  }

  /// A failed or cancelled dependency ends the chain; Foundation would start its dependents nevertheless.
  /// `cancelled` is silent here: the failed step has settled its failure.
  private static func value<Value>(of dependency: StageOperation<Value>) throws(Failure) -> Value {
    guard case .success(let value) = dependency.outcome else { throw .cancelled }
    return value
  }

  private func operation<Value: Sendable>(
    _ stage: Stage, _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) -> StageOperation<Value> {
    StageOperation(
      name: "\(work.photo) \(stage.name)", serviceClass: work.serviceClass,
      whenFinished: { [self] in operationFinished(stage) }
    ) { [self] in
      let hold = owner.holds
      do throws(Failure) {
        let value = try await body()
        if stage == .output { settled(.filtered) }
        return .success(value)
      } catch {
        settled(
          error.kind == .cancelled
            ? .stopped : await owner.settle(work, stage, error, hold: hold))
        return .failure(error)
      }
    }
  }

  /// The first end counts: later stages were merely stopped by it.
  private func settled(_ end: PhotoEnd) {
    state.withLock { state in state.end = state.end ?? end }
  }

  private func operationFinished(_ stage: Stage) {
    switch stage {
    case .download: downloadFinished()
    case .filter: owner.leavePlace(self)
    case .output: break
    }
    let isLast = state.withLock { state in
      state.unfinished -= 1
      return state.unfinished == 0
    }
    endIfOver()
    guard isLast else { return }
    // Only now may the operations be released.
    let gone = state.withLock { state in
      defer { state.operations = [] }
      return state.operations
    }
    withExtendedLifetime(gone) { owner.released(work.photo) }
  }

  /// A photo without an original needs no place: its filter only ends the chain.
  private func downloadFinished() {
    let operations = state.withLock { $0.operations }
    func operation(_ stage: Stage) -> (any WithdrawableOperation)? {
      operations.first { $0.stage == stage }?.operation
    }
    guard operation(.download)?.hasSucceeded == true else { return beginFilter() }
    owner.awaitPlace(self)
    // A filter that was cancelled in the meantime left too early.
    if operation(.filter)?.isFinished == true { owner.leavePlace(self) }
  }

  /// Cancelled, and no operation runs: none ever will.
  private var isStill: Bool {
    let operations = state.withLock { $0.isCancelled ? $0.operations : [] }
    return !operations.isEmpty && !operations.contains { $0.operation.isExecuting }
  }

  private func endIfOver() {
    let isStill = isStill
    let ended = state.withLock { state -> (PhotoEnd, (@Sendable () -> Void)?)? in
      guard !state.isOver, state.unfinished == 0 || isStill else { return nil }
      state.isOver = true
      defer { state.discard = nil }
      return (state.end ?? .stopped, state.discard)
    }
    guard let (end, discard) = ended else { return }
    // Discard before the photo can begin again.
    if end != .filtered { discard?() }
    owner.ended(work.photo, end)
  }
}

extension PhotoChain: Hashable {
  static func == (a: PhotoChain, b: PhotoChain) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
