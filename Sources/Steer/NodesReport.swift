// SPDX-License-Identifier: Apache-2.0
// The reply to `Nodes`: the machines that share lists. And the link of one of them to the ledger, in the reply to
// `Status`.

package struct NodesReport: Equatable, Sendable {
  /// The node that answers.
  package var own: String
  /// A node that is silent for longer loses its photos to others.
  package var leaseSeconds: UInt64
  /// By name.
  package var nodes: [NodeSummary]

  package init(own: String, leaseSeconds: UInt64, nodes: [NodeSummary]) {
    (self.own, self.leaseSeconds, self.nodes) = (own, leaseSeconds, nodes)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    own = try fields.string("own")
    leaseSeconds = try fields.count("leaseSeconds")
    nodes = try fields.values("nodes")
  }

  package var object: JSONObject {
    JSONObject([
      "own": .string(own), "leaseSeconds": .count(leaseSeconds), "nodes": .values(nodes),
    ])
  }
}

package struct NodeSummary: MessageValue {
  package enum State: String, Sendable, CaseIterable {
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

  package var name: String
  package var state: State
  /// Seconds since it was heard.
  package var seen: UInt64
  /// The photos that it has leased.
  package var leased: UInt32
  /// Of its darkroomd; empty if it does not tell.
  package var version: String

  package init(name: String, state: State, seen: UInt64, leased: UInt32, version: String) {
    (self.name, self.state, self.seen, self.leased) = (name, state, seen, leased)
    self.version = version
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    name = try fields.string("name")
    guard let state = State(rawValue: try fields.string("state")) else {
      throw FieldError(name: "state")
    }
    self.state = state
    seen = try fields.count("seen")
    leased = try fields.count("leased")
    version = try fields.string("version", or: "")
  }

  package var object: JSONObject {
    JSONObject([
      "name": .string(name), "state": .string(state.rawValue), "seen": .count(seen),
      "leased": .count(leased), "version": .string(version),
    ])
  }
}

/// The order to a node to take no new photos, or to take some again.
package struct DrainOrder: Equatable, Sendable {
  package var node: String
  package var isOff = false
  /// The node gives its photos back instead of finishing them.
  package var isNow = false

  package init(node: String, isOff: Bool = false, isNow: Bool = false) {
    (self.node, self.isOff, self.isNow) = (node, isOff, isNow)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    node = try fields.string("node")
    isOff = try fields.flag("off")
    isNow = try fields.flag("now")
  }

  package var object: JSONObject {
    var object = JSONObject(["node": .string(node)])
    if isOff { object["off"] = true }
    if isNow { object["now"] = true }
    return object
  }
}

package struct ClusterSummary: MessageValue {
  package var node: String
  /// The trouble with the ledger; empty while it answers.
  package var trouble: String
  /// Since when, in milliseconds since 1970; 0 while it answers.
  package var since: UInt64
  /// Photos whose end the ledger does not know yet.
  package var outbox: UInt64

  package init(node: String, trouble: String = "", since: UInt64 = 0, outbox: UInt64 = 0) {
    (self.node, self.trouble, self.since, self.outbox) = (node, trouble, since, outbox)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    node = try fields.string("node")
    trouble = try fields.string("trouble")
    since = try fields.count("since")
    outbox = try fields.count("outbox")
  }

  package var object: JSONObject {
    JSONObject([
      "node": .string(node), "trouble": .string(trouble), "since": .count(since),
      "outbox": .count(outbox),
    ])
  }
}
