// SPDX-License-Identifier: Apache-2.0
// Parses a photo's URL. Raises a `Failure` of kind final, `url.…`, which repeats nothing of the URL
// but an unknown scheme, and a host's name in its ASCII form.

extension PhotoURL {
  package init(parsing text: String) throws(Failure) {
    let written = (text: text, bytes: Array(text.utf8))
    var rest = Self.trimmed(written.bytes[...])
    guard !rest.isEmpty else { throw Self.wrong("url.empty", "the URL is empty") }
    guard rest.count <= Self.longest else {
      throw Self.wrong("url.length", "the URL is longer than \(Self.longest) bytes")
    }
    guard !rest.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw Self.wrong("url.syntax", "the URL contains control characters")
    }
    let scheme = try Self.takeScheme(&rest)
    let fragment = rest.firstIndex(of: UInt8(ascii: "#"))
    if !scheme.isRemote {
      guard fragment == nil, !rest.contains(UInt8(ascii: "?")) else {
        throw Self.wrong(
          "url.syntax", "a file's URL has no query and no fragment",
          advice: "Write a ? in a file name as %3F and a # as %23")
      }
      self = try Self.local(scheme, rest, written)
      return
    }
    if let fragment { rest = rest[..<fragment] }
    let authority = try Self.takeAuthority(&rest)
    let (host, port) = try Self.hostAndPort(authority)
    self.init(scheme, host, port ?? scheme.port, tail: rest, written: written)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = bytes.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return [] }
    return start[...last]
  }

  private static func takeScheme(_ rest: inout ArraySlice<UInt8>) throws(Failure) -> Scheme {
    if quotes.contains(where: { rest.starts(with: $0.utf8) }) {
      throw wrong(
        "url.scheme", "the URL stands in quotation marks", advice: "Write it without them")
    }
    let advice = "Write it in full, for example https://example.org/photo.jpg"
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon > rest.startIndex,
      rest[..<colon].allSatisfy(isSchemeByte)
    else { throw wrong("url.scheme", "the URL has no scheme", advice: advice) }
    let name = lowered(rest[..<colon])
    guard let scheme = Scheme(rawValue: name) else {
      throw wrong(
        "url.scheme", "the scheme '\(Printable.text(name, limit: 20))' is not http, https or file")
    }
    rest = rest[(colon + 1)...]
    return scheme
  }

  private static let quotes = [
    "\"", "'", "<", "\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{AB}",
  ]

  /// The part between `//` and the path. The host's checks refuse a backslash, which parsers read
  /// differently.
  private static func takeAuthority(_ rest: inout ArraySlice<UInt8>) throws(Failure)
    -> ArraySlice<UInt8>
  {
    guard rest.starts(with: "//".utf8) else {
      throw wrong(
        "url.host", "the URL has no host", advice: "Write // and the host's name after the scheme")
    }
    rest = rest.dropFirst(2)
    let end =
      rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    let authority = rest[..<end]
    rest = rest[end...]
    guard !authority.contains(UInt8(ascii: "@")) else {
      throw wrong(
        "url.credentials", "the URL contains a user name or a password",
        advice:
          "Lists are kept and shown: use a link that needs neither"
      )
    }
    return authority
  }

  private static func hostAndPort(_ authority: ArraySlice<UInt8>) throws(Failure)
    -> (host: String, port: UInt16?)
  {
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
        throw wrong("url.host", "the host's address lacks its closing bracket")
      }
      let inside = String(decoding: authority[(authority.startIndex + 1)..<close], as: UTF8.self)
      guard let address = NetworkAddress(inside), address.bytes.count == 16 else {
        throw wrong("url.host", "the address in brackets is not an IPv6 address")
      }
      return (address.description, try port(authority[(close + 1)...]))
    }
    let colon = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    return (try name(authority[..<colon]), try port(authority[colon...]))
  }

  private static func name(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
    guard !bytes.isEmpty else { throw wrong("url.host", "the URL has no host") }
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      let form = Punycode.host(String(decoding: bytes, as: UTF8.self))
      throw wrong(
        "url.host", "the host's name is not in ASCII",
        advice: form.map { "Write it as \($0)" } ?? "Write it in its xn-- form")
    }
    guard bytes.count <= 253, bytes.allSatisfy(isHostByte), hasLabels(bytes), !isRootedNumber(bytes)
    else {
      throw wrong("url.host", "the host's name is not valid")
    }
    return lowered(bytes)
  }

  /// True if every label between dots has 1 to 63 bytes; one dot at the end means the root.
  private static func hasLabels(_ bytes: ArraySlice<UInt8>) -> Bool {
    var length = 0
    for byte in bytes {
      if byte != UInt8(ascii: ".") {
        length += 1
        if length > 63 { return false }
      } else if length == 0 {
        return false
      } else {
        length = 0
      }
    }
    return true
  }

  /// True for `127.0.0.1.` and the like: with a dot at the end it is neither an address nor a name.
  private static func isRootedNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.last == UInt8(ascii: ".") else { return false }
    let label = bytes.dropLast().split(separator: UInt8(ascii: ".")).last ?? []
    let isHex = lowered(label).hasPrefix("0x")
    return isHex
      ? label.dropFirst(2).allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) }
      : label.allSatisfy(isDigit)
  }

  /// Empty, or a colon and a number; a colon alone means the default port.
  private static func port(_ bytes: ArraySlice<UInt8>) throws(Failure) -> UInt16? {
    guard let first = bytes.first else { return nil }
    let digits = bytes.dropFirst()
    if first == UInt8(ascii: ":"), digits.isEmpty { return nil }
    guard first == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy(isDigit),
      let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
    else { throw wrong("url.port", "the port is not a number from 1 to 65535") }
    return port
  }

  /// `file:///path`, `file://localhost/path` and `file:/path`.
  private static func local(
    _ scheme: Scheme, _ bytes: ArraySlice<UInt8>, _ written: (text: String, bytes: [UInt8])
  ) throws(Failure) -> PhotoURL {
    var path = bytes
    if path.starts(with: "//".utf8) {
      path = path.dropFirst(2)
      let slash = path.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
      let host = lowered(path[..<slash])
      guard host.isEmpty || host == "localhost" else {
        throw wrong("url.host", "a file's URL names another machine")
      }
      path = path[slash...]
    }
    guard path.first == UInt8(ascii: "/") else {
      throw wrong("url.syntax", "the file's path does not begin with a slash")
    }
    return PhotoURL(scheme, "", 0, tail: path, written: written)
  }

  static func encode(_ bytes: ArraySlice<UInt8>, to out: inout [UInt8]) {
    for byte in bytes {
      if isPlain(byte) { out.append(byte) } else { out.append(percent: byte) }
    }
  }

  private static func lowered(_ bytes: ArraySlice<UInt8>) -> String {
    let isCapital: (UInt8) -> Bool = { (0x41...0x5A).contains($0) }
    guard bytes.contains(where: isCapital) else { return String(decoding: bytes, as: UTF8.self) }
    return String(decoding: bytes.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  // These run for every byte of every photo's URL: they compare numbers, not sets of characters.

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
  /// Needs no encoding: visible ASCII except "<>\\^`{|}.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D: false
    default: byte > 0x20 && byte < 0x7F
    }
  }
  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  /// Letters, digits, + - .
  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }
  /// Letters, digits, - . _
  private static func isHostByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
  }

  private static func wrong(_ code: String, _ reason: String, advice: String = "") -> Failure {
    Failure(.final, code: code, reason: reason, advice: advice)
  }
}
