// SPDX-License-Identifier: Apache-2.0
// Why no photo of a cluster is begun although its ledger answers: each node is drained, or is not heard. Pure; raises
// nothing.

import Cluster
import Vocabulary

enum NodeShortage {
  /// The nodes that are named; the others are counted.
  private static let most = 8

  /// Nil while a node takes photos.
  /// - Parameter quiet: a node that works is heard earlier.
  static func failure(_ nodes: [NodeFacts], quiet: Duration) -> Failure? {
    let words = nodes.compactMap { node -> String? in
      let name = Printable.text(node.name)
      if node.isDraining { return "\(name) is drained" }
      guard node.silence > quiet else { return nil }
      return "\(name) has not been heard for \(node.silence.components.seconds) s"
    }
    guard !words.isEmpty, words.count == nodes.count else { return nil }
    let more = words.count - Self.most
    let named = words.prefix(Self.most) + (more > 0 ? ["\(more) more are drained or silent"] : [])
    return Failure(
      .machine, code: "cluster.nodes",
      reason: "no node takes new photos: \(named.joined(separator: ", "))",
      advice: "Start a node, or end its drain with: darkroomctl drain --off NODE")
  }
}
