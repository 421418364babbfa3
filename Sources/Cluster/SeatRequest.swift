// SPDX-License-Identifier: Apache-2.0
// The seats at servers that a node asks for, with its pulse. It gives up its seats at all servers that it does not name.

package import Vocabulary

package struct SeatRequest: Equatable, Sendable {
  /// Goes up with each request of a run: a request that comes late, after a later one, changes nothing.
  package let number: UInt64
  /// `ConnectionsPerHost=` of the node. The least one of the nodes that use a server is the limit there.
  package let most: Int
  /// The seats at a server that the node can use.
  package let useful: Int
  package let claims: [SeatClaim]

  package init(number: UInt64, most: Int, useful: Int, _ claims: [SeatClaim]) {
    self.number = number
    self.most = most
    self.useful = useful
    self.claims = claims
  }
}
