// SPDX-License-Identifier: Apache-2.0
// The configured limits of hosts.

package struct HostLimits: Equatable, Sendable {
  /// The limit of photos in flight to one host.
  package let most: Int
  /// The photos that this machine can have in flight at once: more seats at a host are of no use to it.
  package let own: Int
  /// How long photos wait for a host that does not answer.
  package let patience: Duration
  /// `most` is the limit of many machines together: no photo starts without a seat.
  package let areShared: Bool

  /// The most seats at a host that this machine can use.
  package var useful: Int { min(most, own) }

  package init(
    most: Int = 6, own: Int = .max, patience: Duration = .seconds(1800), areShared: Bool = false
  ) {
    self.most = most
    self.own = own
    self.patience = patience
    self.areShared = areShared
  }
}
