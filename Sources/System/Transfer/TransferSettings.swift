// SPDX-License-Identifier: Apache-2.0
// What the configuration says about transfers. May be changed while they run: what is already
// dialled goes on, unless its address is now refused.

package import Vocabulary

package struct TransferSettings: Equatable, Sendable {
  /// Transfers at once, in all and for one host.
  package var connections: Int
  package var connectionsPerHost: Int
  package var rules: AddressRules
  /// A transfer that stays below this rate for this long is given up.
  package var slowestRate: UInt32
  package var slowestTime: Duration
  package var redirects: Int
  package var headerBytes: Int
  /// `darkroom/VERSION`.
  package var userAgent: String
  /// A file of certificates to trust in place of the system's; nil means the system's.
  package var authorities: String?
  /// Names that are not looked up: `host:port:address,address`. For tests.
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

/// The settings in force; every transfer refers to those that it began with.
final class TransferTerms: Sendable {
  let settings: TransferSettings

  init(_ settings: TransferSettings) { self.settings = settings }
}
