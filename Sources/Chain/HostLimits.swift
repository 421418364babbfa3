// SPDX-License-Identifier: Apache-2.0
// The configured limits of hosts.

package struct HostLimits: Equatable, Sendable {
  /// The limit of photos in flight to one host.
  package let most: Int
  /// How long photos wait for a host that does not answer.
  package let patience: Duration
  /// `most` is the limit of many machines together: no photo starts without a seat.
  package let areShared: Bool

  package init(
    most: Int = 6, patience: Duration = .seconds(1800), areShared: Bool = false
  ) {
    self.most = most
    self.patience = patience
    self.areShared = areShared
  }
}
