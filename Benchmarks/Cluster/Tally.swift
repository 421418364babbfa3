// SPDX-License-Identifier: Apache-2.0
// What all nodes of a run have done so far, and whether they are to go on.
// Concurrency model: one Mutex.

import Synchronization

final class Tally: Sendable {
  struct Counts: Sendable {
    /// That the ledger has recorded.
    var photos = 0
    var turns = 0
    var reports = 0
    var leases = 0
    var pulses = 0
    /// Reports that came after the share had gone to another node.
    var refused = 0
    /// Calls that failed.
    var failures = 0
    /// Nodes whose first pulse was answered.
    var present = 0
  }

  private struct State {
    var counts = Counts()
    var dead: Set<Int> = []
    var isOver = false
  }

  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }

  func add(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }

  func kill(_ nodes: Set<Int>) { state.withLock { $0.dead = nodes } }

  func stop() { state.withLock { $0.isOver = true } }

  func goesOn(_ node: Int) -> Bool { state.withLock { !$0.isOver && !$0.dead.contains(node) } }
}
