// SPDX-License-Identifier: Apache-2.0
// The configured limits of hosts.

package struct HostLimits: Equatable, Sendable {
  /// The limit of photos in flight to one host.
  package let most: Int
  /// The limit of transfers of this machine.
  package let connections: Int
  /// How long photos wait for a host that does not answer.
  package let patience: Duration
  /// `most` is the limit of many machines together: no photo starts without a seat.
  package let areShared: Bool

  /// The most seats at a host that this machine can use.
  package var useful: Int { min(most, connections) }

  package init(
    most: Int = 6, connections: Int = .max, patience: Duration = .seconds(1800),
    areShared: Bool = false
  ) {
    self.most = most
    self.connections = connections
    self.patience = patience
    self.areShared = areShared
  }
}
