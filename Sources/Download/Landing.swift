// SPDX-License-Identifier: Apache-2.0
// What a transfer brought, for all who waited for it: a few bytes, or one file, still under a name that
// nobody asked for, or in the cache.

import Digests
import Vocabulary

final class Landing: Sendable {
  enum Place: Sendable {
    /// So small that whoever wants it writes it where it belongs, and nowhere before.
    case memory([UInt8])
    /// Among the partial files, under its URL.
    case shelf(any OpenFile)
    case cache(any OpenFile)
  }

  let url: PhotoURL
  let place: Place
  let size: UInt64
  let digest: SHA256Digest
  let head: ArraySlice<UInt8>
  let reply: TransferReply

  init(
    url: PhotoURL, place: Place, size: UInt64, digest: SHA256Digest, head: ArraySlice<UInt8>,
    reply: TransferReply
  ) {
    (self.url, self.place, self.size) = (url, place, size)
    (self.digest, self.head, self.reply) = (digest, head, reply)
  }

  /// It has a name that must go when nobody asks for it any more.
  var isNamed: Bool { if case .memory = place { false } else { true } }

  var contents: Contents { Contents(size: size, hash: digest.prefix) }
}
