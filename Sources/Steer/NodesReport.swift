// SPDX-License-Identifier: Apache-2.0
// The reply to `Nodes`: the machines that share lists. And the link of one machine to the ledger, in the reply to
// `Status`.

package struct NodesReport: MessageValue {
  /// The node that answers.
  package var own = ""
  /// A node that is silent for longer loses its photos to others.
  package var leaseSeconds: UInt64 = 0
  /// By name.
  package var nodes: [NodeSummary] = []

  package init(own: String, leaseSeconds: UInt64, nodes: [NodeSummary]) {
    (self.own, self.leaseSeconds, self.nodes) = (own, leaseSeconds, nodes)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("own", \.own), Field("leaseSeconds", \.leaseSeconds), Field("nodes", \.nodes),
  ]
}

package struct NodeSummary: MessageValue {
  package enum State: String, MessagePart, CaseIterable {
    package static var varlink: String { "NodeState" }

    case working
    /// It takes no new photos.
    case draining
    /// It takes no new photos, and has none left.
    case drained
    /// It was drained, and is not heard any more.
    case left
    /// It was not heard when it should have been.
    case silent
  }

  package var name = ""
  package var state = State.working
  /// Seconds since it was heard.
  package var seen: UInt64 = 0
  /// The photos that it has leased.
  package var leased: UInt32 = 0
  /// Of its darkroomd; empty if it does not tell.
  package var version = ""

  package init(name: String, state: State, seen: UInt64, leased: UInt32, version: String) {
    (self.name, self.state, self.seen, self.leased) = (name, state, seen, leased)
    self.version = version
  }

  package init() {}
  package static let fields: [Field] = [
    Field("name", \.name), Field("state", \.state, "NodeState"), Field("seen", \.seen),
    Field("leased", \.leased), Field("version", \.version),
  ]
}

/// The order to a node to take no new photos, or to take some again.
package struct DrainOrder: ControlMethod {
  package typealias Answer = NodeReply

  package var node = ""
  package var isOff = false
  /// The node gives its photos back instead of finishing them.
  package var isNow = false

  package init(node: String, isOff: Bool = false, isNow: Bool = false) {
    (self.node, self.isOff, self.isNow) = (node, isOff, isNow)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("node", \.node), Field("off", \.isOff, isOptional: true),
    Field("now", \.isNow, isOptional: true),
  ]
  package static let isChange = true
  package static let about = """
    The node takes no new photos, or with 'off' some again. With 'now', which is for the node that answers, it
    gives its photos back; otherwise it finishes them. Only for root and the daemon's user.
    """
}

package struct ClusterSummary: MessageValue {
  package var node = ""
  /// The trouble with the ledger; empty while it answers.
  package var trouble = ""
  /// Since when, in milliseconds since 1970; 0 while it answers.
  package var since: UInt64 = 0
  /// Photos whose end the ledger does not know yet.
  package var outbox: UInt64 = 0
  /// Why no node takes new photos; nil while one does.
  package var shortage: String?

  package init(
    node: String, trouble: String = "", since: UInt64 = 0, outbox: UInt64 = 0,
    shortage: String? = nil
  ) {
    (self.node, self.trouble, self.since, self.outbox) = (node, trouble, since, outbox)
    self.shortage = shortage
  }

  package init() {}
  package static let fields: [Field] = [
    Field("node", \.node), Field("trouble", \.trouble), Field("since", \.since),
    Field("outbox", \.outbox), Field("shortage", \.shortage),
  ]
}
