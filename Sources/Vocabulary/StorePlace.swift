// SPDX-License-Identifier: Apache-2.0
// Where a store keeps the objects of a cluster: `https://HOST/BUCKET`, perhaps with a prefix. The bucket is the first
// part of the path in every request: all stores that speak S3 know this form.

package struct StorePlace: Equatable, Sendable, CustomStringConvertible {
  private let scheme: String
  /// The host, and the port unless it is the scheme's default.
  package let server: String
  package let bucket: String
  /// Begins every key; empty, or with a slash at its end.
  package let prefix: String

  package init(parsing text: String) throws(TextProblem) {
    let url: PhotoURL
    do throws(Failure) { url = try PhotoURL(parsing: text) } catch {
      throw TextProblem(error.reason)
    }
    let parts = url.path.split(separator: "/")
    guard url.scheme.isRemote, url.query == nil, let bucket = parts.first,
      url.path.utf8.allSatisfy(Self.isPlain), !parts.contains("."), !parts.contains("..")
    else {
      throw TextProblem(
        "a store is written as https://HOST/BUCKET or https://HOST/BUCKET/PREFIX, in letters, digits and . _ -"
      )
    }
    (scheme, server, self.bucket) = (url.scheme.rawValue, url.server, String(bucket))
    prefix = parts.dropFirst().map { "\($0)/" }.joined()
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F: true
    default: false
    }
  }

  package var description: String {
    prefix.isEmpty ? bucketURL : "\(bucketURL)/\(prefix.dropLast())"
  }

  /// Without the slash at its end.
  package var bucketURL: String { "\(scheme)://\(server)/\(bucket)" }

  /// All but letters, digits and . _ ~ - are written as %XX, as the signature has them.
  package func text(of key: ObjectKey) -> String {
    let parts = key.bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
      .map { HexDigits.percentEncoded(Array($0)) }
    return "\(bucketURL)/\(prefix)\(parts.joined(separator: "/"))"
  }
}
