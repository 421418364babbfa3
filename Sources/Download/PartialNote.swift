// SPDX-License-Identifier: Apache-2.0
// What stands beside a partial file: of which URL and which entity it holds the beginning, and the digest
// of that beginning after so many bytes, again and again. Nothing is synced for it: after a crash what
// the digests prove is kept, and the rest goes. Written by us, read as if by anybody.
//
//   #darkroom-partial 2
//   url https://photos.example.org/barn.jpg?token=…
//   place https://store.example.org/barn.jpg?token=…     the URL that answered
//   etag "5f2c"              where there is one
//   modified Tue, 18 …       where there is one; `strong` instead where it may stand in If-Range
//   total 8388608            where it is known
//   head 1d9a33f0            CRC-32C of all lines before
//   kept 262144 9f86d081…    SHA-256 of the first bytes · CRC-32C of the line, seeded with the head's

import Digests
import Vocabulary

struct PartialNote: Equatable {
  struct Mark: Equatable {
    let length: UInt64
    let digest: SHA256Digest
  }

  /// Marks grow by an eighth each: no file has so many.
  static let longest = 131_072

  let head: NoteHead
  /// In growing order.
  private(set) var marks: [Mark] = []

  init(url: String, entity: EntityFacts) {
    head = NoteHead(kind: "partial", url: url, entity: entity)
  }

  func line(_ mark: Mark) -> [UInt8] {
    let text = "kept \(mark.length) \(mark.digest.hex) "
    let sum = CRC32C.checksum(Array(text.utf8), seed: head.seed)
    return Array((text + NoteHead.hex(sum) + "\n").utf8)
  }

  /// Nil where the head is not as we write it. Marks count up to the first that is not.
  init?(reading bytes: [UInt8]) {
    guard bytes.count <= Self.longest, let head = NoteHead("partial", reading: bytes) else {
      return nil
    }
    self.head = head
    let lines = bytes.dropFirst(head.bytes.count).split(
      separator: 0x0A, omittingEmptySubsequences: false)
    // What follows the last line end is torn.
    for line in lines.dropLast() {
      guard let mark = Self.mark(line), self.line(mark) == Array(line) + [0x0A],
        mark.length > marks.last?.length ?? 0
      else { break }
      marks.append(mark)
    }
  }

  private static func mark(_ line: ArraySlice<UInt8>) -> Mark? {
    let parts = line.split(separator: 0x20)
    guard parts.count == 4, let length = UInt64(String(decoding: parts[1], as: UTF8.self)),
      let digest = SHA256Digest(hex: Array(parts[2]))
    else { return nil }
    return Mark(length: length, digest: digest)
  }
}
