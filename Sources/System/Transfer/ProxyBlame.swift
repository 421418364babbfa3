// SPDX-License-Identifier: Apache-2.0
// The cause that a proxy names for an error that it answers: squid's X-Squid-Error, and Proxy-Status of RFC 9209. Only
// words that leave no doubt count. A value.

enum ProxyBlame: Equatable {
  case unknown
  /// The host refused the proxy's connection.
  case refused
  /// The host accepted the connection, or its name does not exist. The value is the proxy's word for the cause.
  case host(String)
  /// The proxy's word for an internal fault.
  case proxy(String)

  /// The headers of the answer. Their last member is from the proxy that answers us.
  init(squid: String?, status: [String]) {
    self = .unknown
    let members = status.flatMap { Self.parts(of: $0, at: ",") }
    if let last = members.last { self = Self.blame(by: last) }
    if self == .unknown, let squid { self = Self.blame(bySquid: squid) }
  }

  /// Squid's page and the error number of its connect. Its other errors may be its own: without a name server it
  /// answers `ERR_CANNOT_FORWARD` or `ERR_READ_ERROR`.
  private static func blame(bySquid text: String) -> ProxyBlame {
    if text == "ERR_CONNECT_FAIL 111" { return .refused }
    let page = text.prefix { $0 != " " }
    return ["ERR_ZERO_SIZE_OBJECT", "ERR_INVALID_RESP", "ERR_READ_TIMEOUT"].contains(page)
      ? .host(String(page)) : .unknown
  }

  private static func blame(by member: String) -> ProxyBlame {
    let values = parts(of: member, at: ";").dropFirst()
    func value(_ key: String) -> String? {
      values.first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.utf8.count + 1)) }
    }
    guard let error = value("error") else { return .unknown }
    switch error {
    case "connection_refused": return .refused
    case "connection_terminated", "connection_read_timeout", "connection_write_timeout",
      "http_protocol_error", "http_response_incomplete", "http_response_timeout",
      "tls_protocol_error", "tls_certificate_error", "tls_alert_received":
      return .host(error)
    case "dns_error" where value("rcode") == "\"NXDOMAIN\"": return .host(error)
    case "proxy_internal_error", "proxy_configuration_error": return .proxy(error)
    default: return .unknown
    }
  }

  /// Separators in quotes do not count.
  private static func parts(of text: String, at separator: Character) -> [String] {
    var parts = [""]
    var (isQuoted, isEscaped) = (false, false)
    for letter in text {
      if letter == separator, !isQuoted {
        parts.append("")
        continue
      }
      if letter == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = letter == "\\" && isQuoted && !isEscaped
      if letter != " " || isQuoted { parts[parts.count - 1].append(letter) }
    }
    return parts
  }
}
