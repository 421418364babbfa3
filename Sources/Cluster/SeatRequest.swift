// SPDX-License-Identifier: Apache-2.0
// Connections to servers, which the nodes divide among them: a seat is one of them. A node asks with its pulse, and
// names the servers that it uses; it gives up its seats at all others.

package struct SeatRequest: Equatable, Sendable {
  package struct Host: Equatable, Sendable {
    package let name: String
    /// The most seats that the node uses until it has the answer.
    package let held: Int
    /// Photos that wait for the server, or are in flight there.
    package let need: Int

    package init(_ name: String, held: Int, need: Int) {
      self.name = name
      self.held = held
      self.need = need
    }
  }

  /// Goes up with each request of a run: a request that comes late, after a later one, changes nothing.
  package let number: UInt64
  /// `ConnectionsPerHost=` of the node. The least one of the nodes that use a server is the limit there.
  package let most: Int
  package let hosts: [Host]

  package init(number: UInt64, most: Int, _ hosts: [Host]) {
    self.number = number
    self.most = most
    self.hosts = hosts
  }
}

/// The seats of a node at a server, until the next answer or the end of its lease.
package struct SeatGrant: Equatable, Sendable {
  package let host: String
  package let seats: Int

  package init(_ host: String, seats: Int) {
    self.host = host
    self.seats = seats
  }
}
