// SPDX-License-Identifier: Apache-2.0
// Checksums against published vectors, with the processor's instructions and with the portable
// code.

import Digests
import Testing

@Suite(.serialized) struct DigestTests {
  static let checksums: [([UInt8], UInt32)] = [
    ([], 0), (Array("123456789".utf8), 0xE306_9283),
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    (Array(0..<32), 0x46DD_794E), ((0..<32).reversed(), 0x113F_DB5C),
  ]

  @Test(arguments: checksums, [false, true])
  func `CRC32C matches RFC 3720`(known: ([UInt8], UInt32), isPortable: Bool) {
    CRC32C.usePortableCode(isPortable)
    defer { CRC32C.usePortableCode(false) }
    #expect(CRC32C.checksum(known.0) == known.1)
    for cut in 0...known.0.count {
      let first = CRC32C.checksum(known.0[..<cut])
      #expect(CRC32C.checksum(known.0[cut...], seed: first) == known.1)
    }
  }

  @Test func `a digest is read from 64 hex digits of either case, and from nothing else`() {
    let digest = SHA256.digest(of: Array("abc".utf8))
    #expect(SHA256Digest(hex: Array(digest.hex.utf8)) == digest)
    #expect(SHA256Digest(hex: Array(digest.hex.uppercased().utf8)) == digest)
    #expect(SHA256Digest(raw: digest.bytes) == digest)
    let head = digest.hex.dropLast()
    for bad in [
      "", String(head), "\(digest.hex)0", "\(head)g", " \(head)", "\(head)\0", "\(head)é",
    ] {
      #expect(SHA256Digest(hex: Array(bad.utf8)) == nil, "\(bad)")
    }
    for count in [0, 31, 33] {
      #expect(SHA256Digest(raw: [UInt8](repeating: 0, count: count)) == nil)
    }
  }

  static let digests: [(String, Int, String)] = [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  @Test(arguments: digests, [false, true])
  func `SHA-256 matches FIPS 180-4`(known: (String, Int, String), isPortable: Bool) {
    CRC32C.usePortableCode(isPortable)
    defer { CRC32C.usePortableCode(false) }
    var hash = SHA256()
    let piece = [UInt8](known.0.utf8)
    if known.1 == 1 {
      hash.add(piece)
    } else {
      for _ in 0..<1000 { hash.add([UInt8](repeating: piece[0], count: known.1 / 1000)) }
    }
    #expect(hash.digest().hex == known.2)
  }

  @Test func `a digest does not depend on how the bytes are cut`() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let whole = SHA256.digest(of: bytes)
    for size in [1, 3, 63, 64, 65, 127, 128, 129] {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: size) {
        hash.add(Array(bytes[start..<min(bytes.count, start + size)]))
      }
      #expect(hash.digest() == whole)
    }
    #expect(whole.hex.hasPrefix(String(whole.prefix, radix: 16)))
  }
}
