// SPDX-License-Identifier: Apache-2.0
// A photo's URL, read strictly: http, https or file; a host in ASCII; no user name, no password.
// What is shown of it never holds the query or the fragment, where lists hide their secrets.
// Spaces around it are dropped; inside, spaces and bytes that a URL cannot hold are
// percent-encoded.

package struct PhotoURL: Hashable, Sendable {
  package enum Scheme: String, Sendable { case http, https, file }

  package static let longest = 8192

  /// Together behind one reference: every photo's URL passes through many hands.
  private final class Parts: Sendable {
    let scheme: Scheme
    let host: String
    let port: UInt16
    let path: String
    let query: String?
    let server: String
    let origin: String
    let text: String
    /// Tables of URLs grow and shrink with every photo: the text is hashed once.
    let hash: Int

    init(_ scheme: Scheme, _ host: String, _ port: UInt16, _ path: String, _ query: String?) {
      (self.scheme, self.host, self.port) = (scheme, host, port)
      (self.path, self.query) = (path, query)
      let name = host.utf8.contains(UInt8(ascii: ":")) ? "[" + host + "]" : host
      server = port == scheme.port ? name : name + ":" + String(port)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(10 + server.utf8.count + path.utf8.count + (query?.utf8.count ?? 0))
      bytes += scheme.rawValue.utf8
      bytes += "://".utf8
      bytes += server.utf8
      origin = String(decoding: bytes, as: UTF8.self)
      bytes += path.utf8
      if let query {
        bytes += "?".utf8
        bytes += query.utf8
      }
      text = String(decoding: bytes, as: UTF8.self)
      hash = bytes.hashValue
    }
  }

  private let parts: Parts

  package var scheme: Scheme { parts.scheme }
  /// In lower case; an IPv6 address without its brackets; empty for a file.
  package var host: String { parts.host }
  /// What is dialled, named or not; 0 for a file.
  package var port: UInt16 { parts.port }
  /// Percent-encoded, with a leading slash.
  package var path: String { parts.path }
  /// Percent-encoded, without its question mark; nil where there is none.
  package var query: String? { parts.query }

  /// Host, and port where it is not the usual one: what messages name.
  package var server: String { parts.server }

  /// For the wire. Never for a message.
  package var text: String { parts.text }

  /// Scheme, host and port: transfers that share it share connections.
  package var origin: String { parts.origin }

  init(scheme: Scheme, host: String, port: UInt16, path: String, query: String?) {
    parts = Parts(scheme, host, port, path, query)
  }

  package static func == (one: PhotoURL, other: PhotoURL) -> Bool {
    one.parts === other.parts || (one.parts.hash == other.parts.hash && one.text == other.text)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(parts.hash) }

  /// The path of a `file:` URL as checked components, decoded. Never empty; none of them leads up.
  package func filePath() throws(Failure) -> [FileName] {
    var names: [FileName] = []
    for piece in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let bytes = Self.decoded(piece) else {
        throw Failure(
          .final, code: "url.syntax", reason: "the file's URL holds a % that encodes nothing",
          advice: "Write a plain % as %25")
      }
      guard let name = FileName(bytes: bytes) else {
        throw Failure(
          .final, code: "file.refused", reason: "the file's path holds a part that is no file name",
          advice: "Write the path without '.', '..' and encoded slashes")
      }
      names.append(name)
    }
    guard !names.isEmpty, path.utf8.last != UInt8(ascii: "/") else {
      throw Failure(.final, code: "file.refused", reason: "the file's URL names a folder")
    }
    return names
  }

  /// What a download says of the URL before it asks the network or a folder; nil where that is nothing.
  package static func refusal(of text: String) -> Failure? {
    do throws(Failure) {
      let url = try PhotoURL(parsing: text)
      if url.scheme == .file { _ = try url.filePath() }
      return nil
    } catch { return error }
  }

  private static func decoded(_ piece: some Collection<UInt8>) -> [UInt8]? {
    var out: [UInt8] = []
    var rest = Array(piece)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        out.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexValue),
        let low = rest.popFirst().flatMap(hexValue)
      else { return nil }
      out.append(high << 4 | low)
    }
    return out
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

extension PhotoURL.Scheme {
  package var port: UInt16 {
    switch self {
    case .http: 80
    case .https: 443
    case .file: 0
    }
  }
}
