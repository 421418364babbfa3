// SPDX-License-Identifier: Apache-2.0
// SHA-256 of bytes that come in pieces, and its first sixteen hex digits as used in the journal file.

internal import CDigests
internal import Vocabulary

package struct SHA256: Sendable {
  private var state = dr_sha256()

  package init() { unsafe dr_sha256_start(&state) }

  package mutating func add(_ bytes: [UInt8]) {
    unsafe dr_sha256_add(&state, bytes, UInt64(bytes.count))
  }

  /// The digest of all bytes added before; more may follow.
  package func digest() -> SHA256Digest {
    var copy = state
    var bytes = [UInt8](repeating: 0, count: 32)
    unsafe dr_sha256_end(&copy, &bytes)
    return SHA256Digest(bytes: bytes)
  }

  package static func digest(of bytes: [UInt8]) -> SHA256Digest {
    var hash = SHA256()
    hash.add(bytes)
    return hash.digest()
  }
}

package struct SHA256Digest: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Nil unless there are 32 bytes.
  package init?(raw bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.init(bytes: bytes)
  }

  /// 64 hex digits, upper or lower case; nil for anything else.
  package init?(hex: [UInt8]) {
    guard hex.count == 64 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 32)
    for place in bytes.indices {
      guard let high = HexDigits.value(hex[2 * place]),
        let low = HexDigits.value(hex[2 * place + 1])
      else { return nil }
      bytes[place] = high << 4 | low
    }
    self.init(bytes: bytes)
  }

  package var hex: String { String(hex: bytes) }

  /// The first 16 hex digits, as a number.
  package var prefix: UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
