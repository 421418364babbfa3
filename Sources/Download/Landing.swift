// SPDX-License-Identifier: Apache-2.0
// The body of a finished transfer, for all its passengers: bytes in memory, a file on the partial shelf, or a
// file in the cache.

import Digests
import Vocabulary

final class Landing: Sendable {
  enum Place: Sendable {
    /// So few bytes that each photo writes them straight into its original.
    case memory([UInt8])
    /// A file on the partial shelf, named by its URL.
    case shelf(any OpenFile)
    case cache(any OpenFile)
  }

  let url: PhotoURL
  let place: Place
  let size: UInt64
  let digest: SHA256Digest
  let head: ArraySlice<UInt8>
  let reply: TransferReply

  init(_ bytes: [UInt8], from url: PhotoURL, _ reply: TransferReply) {
    (self.url, self.reply, place) = (url, reply, .memory(bytes))
    (size, digest) = (UInt64(bytes.count), SHA256.digest(of: bytes))
    head = bytes.prefix(PartialFile.headSize)
  }

  init(_ partial: PartialFile, _ file: any OpenFile, from url: PhotoURL, _ reply: TransferReply) {
    (self.url, self.reply, place) = (url, reply, .shelf(file))
    (size, digest, head) = (partial.size, partial.digest, partial.head[...])
  }

  init(_ found: OriginalCache.Found, of url: PhotoURL, _ reply: TransferReply) {
    (self.url, self.reply, place) = (url, reply, .cache(found.file))
    (size, digest, head) = (found.size, found.digest, found.head[...])
  }

  /// True for a file on the shelf: its name there must be removed when the last passenger leaves.
  var isNamed: Bool { if case .shelf = place { true } else { false } }

  var contents: Contents { Contents(size: size, hash: digest.prefix) }
}
