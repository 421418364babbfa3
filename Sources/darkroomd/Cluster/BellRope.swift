// SPDX-License-Identifier: Apache-2.0
// Passes the bells of the ledger on to the node that is made after the connection.
// Concurrency model: one Mutex; bells come on the thread of the ledger.

import Cluster
import Synchronization

final class BellRope: Sendable {
  private let node = Mutex<ClusterNode?>(nil)

  func tie(to node: ClusterNode) { self.node.withLock { $0 = node } }

  func ring(_ bell: LedgerBell) {
    guard let node = node.withLock({ $0 }) else { return }
    node.shares.ring(bell)
    switch bell {
    case .list, .over: node.entries.ring()
    case .files(let list): node.entries.lacks(list)
    case .work, .seats, .focus, .ahead: return
    }
  }
}
