// SPDX-License-Identifier: Apache-2.0
// The notes beside a partial file: its URL and entity, and the digest of its first bytes at growing lengths.
// Notes are never synced: after a crash the bytes that a digest proves are kept, and the rest is cut off. The
// reader trusts nothing.
//
//   #darkroom-partial 1
//   url https://photos.example.org/barn.jpg?token=…
//   place https://store.example.org/barn.jpg?token=…     the URL that answered
//   etag "5f2c"              if there is one
//   modified Tue, 18 …       if there is one; `strong` instead if it may be used in If-Range
//   total 8388608            if known
//   owner 1000               the user whose transfer began the file
//   head 1d9a33f0            CRC-32C of all lines before
//   kept 262144 9f86d081…    SHA-256 of the first bytes · CRC-32C of the line, seeded with the head's

import Digests
import Vocabulary

struct PartialNote: Equatable {
  struct Mark: Equatable {
    let length: UInt64
    let digest: SHA256Digest
  }

  /// Each mark is an eighth longer than the one before, so the notes of no file get longer than this.
  static let longest = 131_072

  let head: NoteHead
  /// By increasing length.
  private(set) var marks: [Mark] = []

  init(url: String, entity: EntityFacts, owner: UInt32 = 0) {
    head = NoteHead(kind: "partial", url: url, entity: entity, others: ["owner": "\(owner)"])
  }

  func line(_ mark: Mark) -> [UInt8] {
    let text = "kept \(mark.length) \(mark.digest.hex) "
    let sum = CRC32C.checksum(Array(text.utf8), seed: head.seed)
    return Array((text + String(hex: sum) + "\n").utf8)
  }

  /// Nil unless the head is exactly as written. Reads marks up to the first that is not.
  init?(reading bytes: [UInt8]) {
    guard bytes.count <= Self.longest, let head = Self.head(bytes) else { return nil }
    self.head = head
    let lines = bytes.dropFirst(head.bytes.count).split(
      separator: 0x0A, omittingEmptySubsequences: false)
    // Bytes after the last line end are torn.
    for line in lines.dropLast() {
      guard let mark = Self.mark(line), self.line(mark) == Array(line) + [0x0A],
        mark.length > marks.last?.length ?? 0
      else { break }
      marks.append(mark)
    }
  }

  /// Nil unless the head is exactly as written.
  static func owner(reading bytes: [UInt8]) -> UInt32? {
    head(bytes)?.others["owner"].flatMap { UInt32($0) }
  }

  private static func head(_ bytes: [UInt8]) -> NoteHead? {
    NoteHead("partial", reading: bytes, others: ["owner"])
  }

  private static func mark(_ line: ArraySlice<UInt8>) -> Mark? {
    let parts = line.split(separator: 0x20)
    guard parts.count == 4, let length = UInt64(String(decoding: parts[1], as: UTF8.self)),
      let digest = SHA256Digest(hex: Array(parts[2]))
    else { return nil }
    return Mark(length: length, digest: digest)
  }
}
