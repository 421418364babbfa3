// SPDX-License-Identifier: Apache-2.0
// The codings of a body, as Content-Encoding names them. Every request asks for none. Some origins code
// photos all the same, others write into the header what names no coding: a character set, the wrapping of an
// upload, nothing at all.

package struct ContentCoding: Equatable {
  /// The names that the origin wrote, separated by commas.
  package let text: String
  /// One of them is a coding: the bytes are not yet the photo's.
  package let isReal: Bool

  package init(_ lines: [String] = []) {
    let names = lines.flatMap { $0.split(separator: ",") }
      .map { String(decoding: $0.utf8.filter { $0 > 0x20 }, as: UTF8.self) }
      .filter { !$0.isEmpty }
    text = names.joined(separator: ", ")
    isReal = names.contains { Self.registered.contains($0.lowercased()) }
  }

  /// IANA's HTTP Content Coding Registry, without `identity`.
  private static let registered: Set<String> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip",
    "x-compress", "x-gzip", "zstd",
  ]
}
