// SPDX-License-Identifier: Apache-2.0
// A photo's URL, read strictly: http, https or file; a host in ASCII; no user name, no password. `dropped:` is
// the daemon's own, for pictures that were dropped themselves: it is informative, and leads nowhere.
// Messages never show query and fragment, which may hold secrets. Surrounding spaces and the fragment are
// dropped; other spaces and bytes that a URL may not contain are percent-encoded.

package struct PhotoURL: Hashable, Sendable {
  package enum Scheme: String, Sendable { case http, https, file, dropped }

  package static let longest = 16384

  /// Behind one reference: a photo's URL is copied many times.
  private final class Parts: Sendable {
    let scheme: Scheme
    let host: String
    let port: UInt16
    /// The whole URL, in ASCII; the ends below are byte offsets in it.
    let text: String
    let serverEnd: Int
    let pathEnd: Int

    init(
      _ scheme: Scheme, _ host: String, _ port: UInt16, _ text: String, serverEnd: Int,
      pathEnd: Int
    ) {
      (self.scheme, self.host, self.port) = (scheme, host, port)
      (self.text, self.serverEnd, self.pathEnd) = (text, serverEnd, pathEnd)
    }

    func text(_ start: Int, _ end: Int) -> String {
      let first = text.utf8.index(text.startIndex, offsetBy: start)
      return String(text[first..<text.utf8.index(first, offsetBy: end - start)])
    }
  }

  private let parts: Parts
  /// The text's hash, computed once: tables of URLs change with every photo and rehash neighbours then.
  private let hash: Int

  package var scheme: Scheme { parts.scheme }
  /// In lower case; an IPv6 address without its brackets; empty without one.
  package var host: String { parts.host }
  /// The port to dial, written in the URL or not; 0 without a host.
  package var port: UInt16 { parts.port }
  /// Percent-encoded, with a leading slash.
  package var path: String { parts.text(parts.serverEnd, parts.pathEnd) }
  /// Percent-encoded, without its question mark; nil if there is none.
  package var query: String? {
    let end = parts.text.utf8.count
    return parts.pathEnd < end ? parts.text(parts.pathEnd + 1, end) : nil
  }

  /// The host, and the port unless it is the scheme's default; for messages.
  package var server: String {
    parts.text(scheme.rawValue.utf8.count + "://".utf8.count, parts.serverEnd)
  }

  /// The name of the server for limits and closures, and for people. Without a port it is the host itself, with http and
  /// with https: hosts redirect one to the other, and mean both when they ask to be left alone. Each other port is a server
  /// with its own name, which begins with the scheme of https: where one does not answer, another may.
  package var serverName: String {
    let isDefault = port == scheme.port
    return scheme == .https && !isDefault ? parts.text(0, parts.serverEnd) : server
  }

  /// The URL without its query, which may be a secret; for messages.
  package var shown: String { parts.text(0, parts.pathEnd) }

  /// The whole URL, for the wire. Never for a message.
  package var text: String { parts.text }

  /// Transfers with the same origin share connections.
  package struct Origin: Hashable, Sendable {
    let scheme: Scheme
    let host: String
    let port: UInt16
  }

  package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

  /// `tail` is the part of `written` after the server.
  init(
    _ scheme: Scheme, _ host: String, _ port: UInt16, tail: ArraySlice<UInt8>,
    written: (text: String, bytes: [UInt8])
  ) {
    var bytes = Self.head(scheme, host, port)
    let serverEnd = bytes.count
    let mark = tail.firstIndex(of: UInt8(ascii: "?")) ?? tail.endIndex
    if mark > tail.startIndex, tail.allSatisfy(Self.isPlain),
      serverEnd + tail.count == written.bytes.count, written.bytes.starts(with: bytes)
    {
      // The common case: the text is already in its final form.
      parts = Parts(
        scheme, host, port, written.text, serverEnd: serverEnd,
        pathEnd: serverEnd + mark - tail.startIndex)
    } else {
      let path = tail[..<mark]
      if path.isEmpty { bytes += "/".utf8 } else { Self.encode(path, to: &bytes) }
      let pathEnd = bytes.count
      if mark < tail.endIndex {
        bytes += "?".utf8
        Self.encode(tail[(mark + 1)...], to: &bytes)
      }
      parts = Parts(
        scheme, host, port, String(decoding: bytes, as: UTF8.self), serverEnd: serverEnd,
        pathEnd: pathEnd)
    }
    hash = parts.text.hashValue
  }

  /// The URL's text up to the path.
  private static func head(_ scheme: Scheme, _ host: String, _ port: UInt16) -> [UInt8] {
    let hasBrackets = host.utf8.contains(UInt8(ascii: ":"))
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: 16 + host.utf8.count) { span in
      for byte in scheme.rawValue.utf8 { span.append(byte) }
      for byte in "://".utf8 { span.append(byte) }
      if hasBrackets { span.append(UInt8(ascii: "[")) }
      for byte in host.utf8 { span.append(byte) }
      if hasBrackets { span.append(UInt8(ascii: "]")) }
      if port != scheme.port { span.append(UInt8(ascii: ":")) }
    }
    if port != scheme.port { bytes.append(decimal: UInt64(port)) }
    return bytes
  }

  package static func == (one: PhotoURL, other: PhotoURL) -> Bool {
    one.parts === other.parts || (one.hash == other.hash && one.text == other.text)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// The path of a `file:` URL as decoded, checked components. Never empty; no component is `..`.
  package func filePath() throws(Failure) -> [FileName] {
    var names: [FileName] = []
    for piece in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let bytes = HexDigits.percentDecoded(piece) else {
        throw Failure(
          .final, code: "url.syntax", reason: "the file's URL contains a % that encodes nothing",
          advice: "Write a plain % as %25")
      }
      guard let name = FileName(bytes: bytes) else {
        throw Failure(
          .final, code: "file.refused", reason: "part of the file's path is not a file name",
          advice: "Write the path without '.', '..' and encoded slashes")
      }
      names.append(name)
    }
    guard !names.isEmpty, path.utf8.last != UInt8(ascii: "/") else {
      throw Failure(.final, code: "file.refused", reason: "the file's URL names a folder")
    }
    return names
  }

  /// The failure that a download of this URL raises before it uses the network or a folder, if any.
  package static func refusal(of text: String) -> Failure? {
    do throws(Failure) {
      let url = try PhotoURL(parsing: text)
      if url.scheme == .file { _ = try url.filePath() }
      return nil
    } catch { return error }
  }
}

extension PhotoURL.Scheme {
  package var port: UInt16 {
    switch self {
    case .http: 80
    case .https: 443
    case .file, .dropped: 0
    }
  }

  /// The photo comes from another machine.
  package var isRemote: Bool { self == .http || self == .https }
}
