// SPDX-License-Identifier: Apache-2.0
// Which addresses a photo may come from. The rules judge the address that is dialled, so names,
// redirects, odd notations and names that resolve differently each time are one case.
// By default only the public internet is allowed. `AllowNetworks=` opens networks that are refused by
// default; `DenyNetworks=` takes precedence over it; an IPv4 address inside an IPv6 one is judged too.

package struct AddressRules: Equatable, Sendable {
  package let allowed: [NetworkRange]
  package let denied: [NetworkRange]

  package init(allowed: [NetworkRange] = [], denied: [NetworkRange] = []) {
    self.allowed = allowed
    self.denied = denied
  }

  /// Nil if the address may be dialled.
  /// - Parameter isOwn: an interface of this machine has the address.
  package func refusal(
    of address: NetworkAddress, isOwn: (NetworkAddress) -> Bool
  ) -> AddressRefusal? {
    if let range = denied.first(where: { $0.contains(address) }) {
      return AddressRefusal(address: address, cause: .denied(range))
    }
    if let inside = address.hiddenVersion4, let refusal = refusal(of: inside, isOwn: isOwn) {
      return AddressRefusal(address: address, cause: refusal.cause)
    }
    if allowed.contains(where: { $0.contains(address) }) { return nil }
    if let (range, kind) = Self.reserved(address) {
      return AddressRefusal(address: address, cause: .reserved(range, kind))
    }
    // This machine reaches what its firewall keeps from others.
    guard isOwn(address) else { return nil }
    let own = NetworkRange(address, address.bytes.count * 8)
    return AddressRefusal(address: address, cause: .reserved(own, AddressRefusal.own))
  }

  private static func reserved(_ address: NetworkAddress) -> (NetworkRange, String)? {
    if address.isTunnelled {
      return (NetworkRange(address, 128), "an IPv4 address in an IPv6 one (ISATAP)")
    }
    if let known = table.first(where: { $0.0.contains(address) }) { return known }
    // Only 2000::/3 is allocated for the public internet.
    guard address.bytes.count == 16, address.bytes[0] & 0xE0 != 0x20 else { return nil }
    return (NetworkRange(address, 128), "a reserved address")
  }

  /// IANA's special-purpose registries, narrower ranges before wider ones, and the one public address
  /// that a cloud provider uses for its metadata.
  private static let table: [(NetworkRange, String)] = rows.compactMap { text, kind in
    (try? NetworkRange(parsing: text)).map { ($0, kind) }
  }

  static let rows: [(String, String)] = [
    ("0.0.0.0/8", "an unspecified address"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "an address shared by a provider (CGNAT)"),
    ("127.0.0.0/8", "this machine (loopback)"),
    ("168.63.129.16/32", "a cloud's metadata address"),
    ("169.254.169.254/32", "a cloud's metadata address"),
    ("169.254.0.0/16", "a link-local address"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a reserved address"),
    ("192.0.2.0/24", "an address for documentation"),
    ("192.88.99.0/24", "a reserved address"),
    ("192.168.0.0/16", "a private address"),
    ("198.18.0.0/15", "an address for benchmarks"),
    ("198.51.100.0/24", "an address for documentation"),
    ("203.0.113.0/24", "an address for documentation"),
    ("224.0.0.0/4", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
    ("::/128", "an unspecified address"),
    ("::1/128", "this machine (loopback)"),
    ("::/96", "an IPv4 address in an IPv6 one"),
    ("::ffff:0:0/96", "an IPv4 address in an IPv6 one"),
    ("::ffff:0:0:0/96", "an IPv4 address in an IPv6 one"),
    ("64:ff9b::/96", "an IPv4 address in an IPv6 one (NAT64)"),
    ("64:ff9b:1::/48", "an IPv4 address in an IPv6 one (NAT64)"),
    ("100::/64", "a reserved address"),
    ("2001::/32", "an IPv4 address in an IPv6 one (Teredo)"),
    ("2001:2::/48", "an address for benchmarks"),
    ("2001::/23", "a reserved address"),
    ("2001:db8::/32", "an address for documentation"),
    ("2002::/16", "an IPv4 address in an IPv6 one (6to4)"),
    ("3fff::/20", "an address for documentation"),
    ("fc00::/7", "a private address (ULA)"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a private address (site-local)"),
    ("ff00::/8", "a multicast address"),
  ]
}

package struct AddressRefusal: Equatable, Sendable {
  package enum Cause: Equatable, Sendable {
    case denied(NetworkRange)
    case reserved(NetworkRange, String)
  }

  package static let own = "an address of this machine"

  package let address: NetworkAddress
  package let cause: Cause

  /// `server` is the host as the URL names it.
  package func failure(server: String) -> Failure {
    switch cause {
    case .denied(let range):
      Failure(
        .final, code: "address.refused",
        reason: "\(server) leads to \(address), which DenyNetworks=\(range) refuses")
    case .reserved(let range, let kind):
      Failure(
        .final, code: "address.refused",
        reason: "\(server) leads to \(address), \(kind), which AllowNetworks= does not allow",
        advice: "If you trust it, set AllowNetworks=\(range) under [Download]")
    }
  }
}

extension NetworkAddress {
  private static let hiding = [
    "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48",
  ]
  .compactMap { try? NetworkRange(parsing: $0) }

  /// The IPv4 address that a tunnel, a translator or the kernel would extract from this one.
  var hiddenVersion4: NetworkAddress? {
    guard bytes.count == 16 else { return nil }
    // `::` and `::1` embed no IPv4 address.
    if bytes[..<15].allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return nil }
    if bytes.starts(with: [0x20, 0x02]) { return NetworkAddress(bytes: bytes[2..<6]) }
    // Teredo stores the client's address with every bit inverted.
    if bytes.starts(with: [0x20, 0x01, 0, 0]) {
      return NetworkAddress(bytes: bytes[12...].map { ~$0 })
    }
    guard isTunnelled || Self.hiding.contains(where: { $0.contains(self) }) else { return nil }
    return NetworkAddress(bytes: bytes[12...])
  }

  /// ISATAP: any prefix, then ::0:5efe or ::200:5efe, then the IPv4 address.
  var isTunnelled: Bool {
    guard bytes.count == 16 else { return false }
    return bytes[8] & 0xFC == 0 && bytes[9] == 0 && bytes[10] == 0x5E && bytes[11] == 0xFE
  }
}
