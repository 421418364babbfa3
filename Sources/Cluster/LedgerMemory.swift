// SPDX-License-Identifier: Apache-2.0
// What a node remembers of its ledger from one run to the next, and the verdict that the ledger is older. Raises the
// failures of the home.
// Concurrency: a Mutex, which is held while the home is read and written: no earlier state replaces a later one.

internal import Synchronization
package import Vocabulary

/// The memory of a node, and the mark of the place that all nodes share. Raises a `Failure` of kind `machine`.
package protocol LedgerHome: Sendable {
  /// The ledger that this node has worked with; nil before the first.
  func ledger() throws(Failure) -> KnownLedger?
  /// Durable on return.
  func remember(_ ledger: KnownLedger) throws(Failure)
  /// Of the shared place; nil if there is none.
  func mark() throws(Failure) -> String?
  /// Durable on return. Does nothing if there is one.
  func mark(with text: String) throws(Failure)
}

package final class LedgerMemory: Sendable {
  private struct State {
    /// As the home has it; nil before it was read, and before the first entry.
    var known: KnownLedger?
    var isRead = false
  }

  let home: any LedgerHome
  private let state = Mutex(State())

  init(_ home: any LedgerHome) { self.home = home }

  /// Why this node must not enter a ledger; nil if it may. The verdict that a ledger is older stays until `entered`.
  /// - Parameter latest: what was seen in this run.
  func objection(
    to identity: String, _ history: LedgerHistory, latest: LedgerHistory?
  ) throws(Failure) -> Failure? {
    try state.withLock { state throws(Failure) -> Failure? in
      if !state.isRead { (state.known, state.isRead) = (try home.ledger(), true) }
      guard var known = state.known else { return nil }
      if known.identity != identity { return LedgerTie.otherLedger }
      if let latest { known.history.take(latest) }
      guard history.lacks(known.history) else { return nil }
      known.isOlder = true
      // The next attempt repeats it.
      if known != state.known, (try? home.remember(known)) != nil { state.known = known }
      return .olderLedger
    }
  }

  /// The node has entered this ledger.
  func entered(_ identity: String, _ history: LedgerHistory) throws(Failure) {
    try state.withLock { state throws(Failure) in
      // Counts alone are remembered with a heartbeat.
      if let known = state.known, !known.isOlder, known.history.life == history.life { return }
      let known = KnownLedger(identity, history)
      try home.remember(known)
      state.known = known
    }
  }

  /// Call with the history in an answer before anything depends on the answer.
  func saw(_ history: LedgerHistory) throws(Failure) {
    try state.withLock { state throws(Failure) in
      guard var known = state.known else { return }
      known.history.take(history)
      if known == state.known { return }
      try home.remember(known)
      state.known = known
    }
  }
}
