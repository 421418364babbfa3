// SPDX-License-Identifier: Apache-2.0
// The configuration of transfers. It may change while they run: requests that were sent continue, and the
// next request on a kept connection is refused if the new rules refuse its address.

package import Vocabulary

package struct TransferSettings: Equatable, Sendable {
  /// Simultaneous transfers, in total and per host.
  package var connections: Int
  package var connectionsPerHost: Int
  /// How many of them only owners without a transfer get, and hosts that have just been quick.
  package var keptConnections = 0
  package var rules: AddressRules
  /// A transfer that stays below this rate for this time fails.
  package var slowestRate: UInt32
  package var slowestTime: Duration
  package var redirects: Int
  package var headerBytes: Int
  /// `darkroom/VERSION`.
  package var userAgent: String
  /// A file of certificates to trust in place of the system's; nil means the system's.
  package var authorities: String?
  /// Names with fixed addresses: `host:port:address,address`. For tests.
  package var addresses: [String] = []

  package init(
    connections: Int = 32, connectionsPerHost: Int = 6, rules: AddressRules = AddressRules(),
    slowestRate: UInt32 = 1024, slowestTime: Duration = .seconds(30), redirects: Int = 5,
    headerBytes: Int = 65536, userAgent: String = "darkroom", authorities: String? = nil
  ) {
    self.connections = max(1, connections)
    self.connectionsPerHost = max(1, connectionsPerHost)
    self.rules = rules
    self.slowestRate = slowestRate
    self.slowestTime = slowestTime
    self.redirects = redirects
    self.headerBytes = headerBytes
    self.userAgent = userAgent
    self.authorities = authorities
  }
}

/// The settings in force; each request of a transfer keeps those that it started with.
final class TransferTerms: Sendable {
  let settings: TransferSettings

  init(_ settings: TransferSettings) { self.settings = settings }
}
