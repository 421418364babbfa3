// SPDX-License-Identifier: Apache-2.0
// The configuration of transfers. It may change while they run: requests that were sent continue, and the
// next request on a kept connection is refused if the new rules refuse its address.

import Synchronization
package import Vocabulary

package struct TransferSettings: Equatable, Sendable {
  /// Simultaneous transfers, in total and per host.
  package var connections: Int
  package var connectionsPerHost: Int
  /// How many connections only owners without a transfer get; hosts that were just quick get half of this number, or one
  /// less than the others if it is odd.
  package var keptConnections = 0
  package var rules: AddressRules
  /// A transfer that stays below this rate for this time fails.
  package var slowestRate: UInt32
  package var slowestTime: Duration
  package var redirects: Int
  package var headerBytes: Int
  /// `darkroom/VERSION`, perhaps with a contact.
  package var userAgent: String
  /// A file of certificates to trust in place of the system's; nil means the system's.
  package var authorities: String?
  /// Certificates to trust as well, in PEM.
  package var ownAuthorities: [UInt8] = []
  package var route = ProxyRoute()
  package var login: ProxyLogin?
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

extension TransferSettings {
  /// `slowestTime` and more in whole seconds, rounded up: zero would disable the limit.
  func slowSeconds(_ more: Duration = .zero) -> Int {
    (Int(clamping: (slowestTime + more).milliseconds) + 999) / 1000
  }
}

/// User and password for the proxy. Its description has neither.
package struct ProxyLogin: Equatable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  let user: String
  let password: String

  /// `user:password`, perhaps with a line feed; nil for other text.
  package init?(_ bytes: [UInt8]) {
    let line = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
    guard line.count <= 1024, let colon = line.firstIndex(of: UInt8(ascii: ":")),
      colon > line.startIndex, !line.contains(where: { $0 < 0x20 || $0 == 0x7F }),
      let user = String(validating: line[..<colon], as: UTF8.self),
      let password = String(validating: line[(colon + 1)...], as: UTF8.self)
    else { return nil }
    (self.user, self.password) = (user, password)
  }

  package var description: String { "a login" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The settings in force; each request of a transfer keeps those that it started with.
final class TransferTerms: Sendable {
  let settings: TransferSettings
  let turns: TurnCount

  init(_ settings: TransferSettings, turns: TurnCount = TurnCount()) {
    (self.settings, self.turns) = (settings, turns)
  }
}

/// The turns of the loop. Written and read by its thread alone.
final class TurnCount: Sendable {
  private let count = Atomic<UInt64>(0)

  var current: UInt64 { count.load(ordering: .relaxed) }

  func next() { count.wrappingAdd(1, ordering: .relaxed) }
}
