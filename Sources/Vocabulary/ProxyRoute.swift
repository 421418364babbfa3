// SPDX-License-Identifier: Apache-2.0
// The proxy that requests go through, and the hosts that are reached without it. A value. Raises `TextProblem`,
// worded for the author of the setting; it repeats no user and no password.

package struct ProxyServer: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, CaseIterable, Sendable {
    case http, https
    /// SOCKS 5; the proxy looks names up.
    case socks = "socks5h"
  }

  package let scheme: Scheme
  /// Host and port.
  package let place: String

  /// `http://proxy.example:3128`
  package init(parsing text: String) throws(TextProblem) {
    guard let end = text.firstRange(of: "://") else {
      throw TextProblem(
        "a proxy is written as http://proxy.example:3128, with https:// or socks5h:// "
          + "for other kinds")
    }
    let name = text[..<end.lowerBound].lowercased()
    guard let scheme = Scheme(rawValue: name) else {
      let more = name.hasPrefix("socks") ? "; with socks5h:// the proxy looks names up" : ""
      throw TextProblem(
        "a proxy begins with http://, https:// or socks5h://, not with "
          + "'\(Printable.text(name, limit: 20))://'\(more)")
    }
    let rest = text[end.upperBound...]
    guard !rest.contains("@") else {
      throw TextProblem(
        "a proxy is written without user and password: these belong in the "
          + "credential 'proxy', see darkroomd.conf(5)")
    }
    let bare = rest.last == "/" ? rest.dropLast() : rest
    let digits = bare.utf8.reversed().prefix { $0 >= 0x30 && $0 <= 0x39 }.count
    let hasPort = digits > 0 && bare.utf8.dropLast(digits).last == UInt8(ascii: ":")
    guard hasPort, !bare.contains(where: { "/?#\\ ".contains($0) }) else {
      throw TextProblem(
        "a proxy is a host and a port, as http://proxy.example:3128")
    }
    do throws(Failure) {
      // The scheme without a default for the port in question.
      let url = try PhotoURL(parsing: "\(bare.hasSuffix(":80") ? "https" : "http")://\(bare)/")
      (self.scheme, place) = (scheme, url.server)
    } catch { throw TextProblem("the proxy cannot be used: \(error.reason)") }
  }

  package var description: String { "\(scheme.rawValue)://\(place)" }
}

/// A host with all hosts below it, or a network of addresses.
package enum HostPattern: Hashable, Sendable {
  case name(String)
  case network(NetworkRange)

  package init(parsing word: String) throws(TextProblem) {
    if let range = try? NetworkRange(parsing: word) {
      self = .network(range)
      return
    }
    let bare =
      word.hasPrefix("*.") ? word.dropFirst(2) : word.first == "." ? word.dropFirst() : word[...]
    do throws(Failure) {
      let url = try PhotoURL(parsing: "http://\(bare)/")
      guard !bare.isEmpty, !bare.contains(where: { ":/?#@[]".contains($0) }) else {
        throw Self.wrong
      }
      self = .name(url.host)
    } catch {
      throw TextProblem(
        "a host without a proxy is written as example.org, 192.168.1.5 or 192.168.0.0/16, "
          + "not '\(Printable.text(word, limit: 60))'")
    }
  }

  private static let wrong = Failure(.final, code: "", reason: "")

  func covers(_ host: String) -> Bool {
    switch self {
    case .name(let name): host == name || host.hasSuffix(".\(name)")
    case .network(let range): NetworkAddress(host).map(range.contains) ?? false
    }
  }
}

package struct ProxyRoute: Equatable, Sendable {
  package let server: ProxyServer?
  package let direct: [HostPattern]

  package init(_ server: ProxyServer? = nil, direct: [HostPattern] = []) {
    self.server = server
    self.direct = direct
  }

  /// The host's requests go through the proxy.
  package func leads(to host: String) -> Bool {
    server != nil && !direct.contains { $0.covers(host) }
  }

  /// True if the requests to the server go through the proxy. The name is written as by `PhotoURL.serverName`.
  package func leads(toServer name: String) -> Bool {
    if self.server == nil { return false }
    let server = ServerName.withoutScheme(name)
    if server.first == "[" {
      return leads(to: String(server.dropFirst().prefix { $0 != "]" }))
    }
    return leads(to: String(server.prefix { $0 != ":" }))
  }
}

extension NetworkAddress {
  /// The address that a proxy would dial for a host without looking a name up: the notations of resolvers, such as
  /// 2130706433 and 0x7f.1, and the names of loopback.
  package init?(numeric host: String) {
    if let address = NetworkAddress(host) {
      self = address
      return
    }
    let name = host.last == "." ? host.dropLast() : host[...]
    if name == "localhost" || name.hasSuffix(".localhost") {
      self.init(bytes: [127, 0, 0, 1])
      return
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 4 else { return nil }
    let numbers = parts.compactMap(Self.number)
    guard numbers.count == parts.count, let last = numbers.last,
      numbers.dropLast().allSatisfy({ $0 < 256 }), last < 1 << (8 * (5 - UInt64(numbers.count)))
    else { return nil }
    let head = numbers.dropLast().map { UInt8($0) }
    let tail = (0..<(4 - head.count)).reversed().map { UInt8(truncatingIfNeeded: last >> (8 * $0)) }
    self.init(bytes: head + tail)
  }

  private static func number(_ part: Substring) -> UInt64? {
    let isHex = part.hasPrefix("0x") || part.hasPrefix("0X")
    let digits = isHex ? part.dropFirst(2) : part
    guard part.utf8.count <= 20, digits.utf8.first != UInt8(ascii: "+"),
      digits.utf8.first != UInt8(ascii: "-")
    else { return nil }
    if isHex, digits.isEmpty { return 0 }
    let radix = isHex ? 16 : part.utf8.first == UInt8(ascii: "0") && part.utf8.count > 1 ? 8 : 10
    return UInt64(digits, radix: radix)
  }
}
