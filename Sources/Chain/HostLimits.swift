// SPDX-License-Identifier: Apache-2.0
// What the configuration says about servers.

package struct HostLimits: Equatable, Sendable {
  /// Photos that go to one server at once.
  package let most: Int
  /// So long a server that does not answer is waited for.
  package let patience: Duration

  package init(most: Int = 6, patience: Duration = .seconds(1800)) {
    self.most = most
    self.patience = patience
  }
}
