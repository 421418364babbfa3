// SPDX-License-Identifier: Apache-2.0
// Whom a session trusts with its password, unless the connection string says something else: a socket of this machine,
// and a server that shows a certificate of its name. libpq itself would give the password, in clear, to any program that
// answers at the address, even on loopback, where any user can answer while the server is away. Concurrency: none.

struct PostgresTrust {
  /// Where Debian keeps the certificates of authorities, including an administrator's.
  private static let authorities = "/etc/ssl/certs/ca-certificates.crt"
  private static let modesWithTLS: Set<String> = ["require", "verify-ca", "verify-full"]

  /// The options that the connection string gives.
  private let given: [String: String]
  private let hasPassword: Bool

  init(_ given: [String: String], hasPassword: Bool) {
    (self.given, self.hasPassword) = (given, hasPassword || given["password"] != nil)
  }

  static let options = ["sslmode", "sslrootcert", "gssencmode", "channel_binding", "password"]

  /// - Parameter hosts: all that the session may connect to.
  func settings(for hosts: [String]) -> [(String, String)] {
    if !hosts.isEmpty, hosts.allSatisfy({ $0.hasPrefix("/") || $0.hasPrefix("@") }) { return [] }
    let mode = given["sslmode"] ?? "verify-full"
    var settings: [(String, String)] = []
    func set(_ option: String, _ value: String) {
      if given[option] == nil { settings.append((option, value)) }
    }
    set("sslmode", mode)
    if mode == "verify-full" { set("sslrootcert", Self.authorities) }
    if given["sslmode"] == nil { set("gssencmode", "disable") }
    // A socket takes no binding, and without a host libpq uses one.
    if hasPassword, !hosts.isEmpty, Self.modesWithTLS.contains(mode) {
      set("channel_binding", "require")
    }
    return settings
  }
}
