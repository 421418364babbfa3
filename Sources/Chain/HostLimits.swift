// SPDX-License-Identifier: Apache-2.0
// The configured limits of hosts.

package struct HostLimits: Equatable, Sendable {
  /// The limit of photos in flight to one host.
  package let most: Int
  /// How long photos wait for a host that does not answer.
  package let patience: Duration

  package init(most: Int = 6, patience: Duration = .seconds(1800)) {
    self.most = most
    self.patience = patience
  }
}
