// SPDX-License-Identifier: Apache-2.0
// Answers to users about the nodes of a cluster, and the order to one node to take no new photos. Raises
// `ControlError`.
// Concurrency: immutable.

import Cluster
import Steer
import Vocabulary

struct NodeCalls: Sendable {
  let node: ClusterNode

  /// A node is heard at least twice in the time of a lease.
  static func quiet(in leaseTime: Duration) -> Duration { leaseTime * 3 / 4 }

  private var quiet: Duration { Self.quiet(in: node.leaseTime) }

  /// For the status of the daemon.
  var summary: ClusterSummary {
    let (silence, shortage) = (node.shares.silence, node.shares.shortage)
    return ClusterSummary(
      node: node.name, trouble: silence?.failure.reason ?? "", since: silence?.since ?? 0,
      outbox: UInt64(node.shares.outbox), shortage: shortage?.failure.reason)
  }

  func report() async throws(ControlError) -> NodesReport {
    let facts = try await LedgerAnswer.of { () async throws(Failure) in
      try await node.office.nodes()
    }
    return NodesReport(
      own: node.name, leaseSeconds: UInt64(node.leaseTime.components.seconds),
      nodes: facts.map(summary))
  }

  /// - Parameter mayDrain: the caller may.
  func drain(_ order: DrainOrder, mayDrain: Bool) async throws(ControlError) -> NodeSummary {
    guard mayDrain else {
      throw .permissionDenied(why: "only root and the daemon's own user may drain a node")
    }
    if order.isNow, order.node != node.name {
      throw .notPossible(
        why:
          "only \(Printable.text(order.node)) itself can give its photos back; run the command there"
      )
    }
    let isKnown = try await LedgerAnswer.of { () async throws(Failure) in
      try await node.office.drain(order.node, !order.isOff)
    }
    let nodes = try await report().nodes
    guard isKnown, let found = nodes.first(where: { $0.name == order.node }) else {
      throw .notPossible(
        why: "the ledger knows no node '\(Printable.text(order.node))'"
          + Suggestion.words(for: order.node, among: nodes.map(\.name)))
    }
    if order.isNow { node.shares.leave() }
    return found
  }

  private func summary(_ facts: NodeFacts) -> NodeSummary {
    NodeSummary(
      name: facts.name, state: NodeSummary.State(facts, quiet: quiet),
      seen: UInt64(max(0, facts.silence.components.seconds)),
      leased: facts.leased, version: facts.version)
  }
}

extension NodeSummary.State {
  /// - Parameter quiet: a node that works is heard earlier.
  init(_ facts: NodeFacts, quiet: Duration) {
    self =
      switch (facts.silence > quiet, facts.isDraining && facts.leased == 0) {
      case (true, true): .left
      case (true, false): .silent
      case (false, true): .drained
      case (false, false): facts.isDraining ? .draining : .working
      }
  }
}

/// The ledger's answer to the call of a user, who is told why there is none.
enum LedgerAnswer {
  static func of<Answer>(
    _ ask: () async throws(Failure) -> Answer
  ) async throws(ControlError) -> Answer {
    do throws(Failure) { return try await ask() } catch {
      throw .notPossible(why: error.reason)
    }
  }
}
