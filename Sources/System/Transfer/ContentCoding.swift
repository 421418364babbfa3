// SPDX-License-Identifier: Apache-2.0
// The codings of a body, as Content-Encoding names them, or Transfer-Encoding. Every request asks for none. Some
// origins code photos nevertheless. Other origins write something into the header that does not name a coding: a
// character set, the wrapping of an upload, or nothing at all.

internal import Vocabulary

package struct ContentCoding: Equatable {
  /// The names that the origin wrote, separated by commas, with `?` for those that cannot be a coding's.
  package let text: String
  /// At least one is a coding: the bytes are not yet the photo's.
  package let isReal: Bool
  /// The only coding, if the daemon decodes it.
  package let packing: Packing?

  package enum Packing: Equatable, Sendable { case deflate, gzip }

  /// No coding has a longer name.
  private static let longest = 64

  package init(_ lines: [String] = []) {
    let names = lines.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
      .map { $0.filter { $0 > 0x20 } }.filter { !$0.isEmpty }.map(Self.name)
    text = names.map(\.text).joined(separator: ", ")
    isReal = names.contains { Self.registered.contains($0.lowered) }
    let codings = names.map(\.lowered).filter { $0 != "identity" }
    packing = codings.count == 1 ? codings.first.flatMap { Self.packings[$0] } : nil
  }

  private static func name(_ bytes: [UInt8]) -> OutsideText {
    guard bytes.allSatisfy({ $0 < 0x7F }) else { return "?" }
    return OutsideText(bytes, most: longest) ?? "?"
  }

  /// IANA's HTTP Content Coding Registry, without `identity`.
  private static let registered: Set<OutsideText> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip",
    "x-compress", "x-gzip", "zstd",
  ]

  private static let packings: [OutsideText: Packing] = [
    "deflate": .deflate, "gzip": .gzip, "x-gzip": .gzip,
  ]
}
