// SPDX-License-Identifier: Apache-2.0
// What a transfer brought, for all who waited for it: one file, still under a name that nobody asked for,
// or in the cache.

import Digests
import Vocabulary

struct Landing: Sendable {
  enum Place: Sendable {
    /// Among the partial files, under its URL.
    case shelf
    case cache
  }

  let url: PhotoURL
  let place: Place
  let file: any OpenFile
  let size: UInt64
  let digest: SHA256Digest
  let head: [UInt8]
  let reply: TransferReply

  var contents: Contents { Contents(size: size, hash: digest.prefix) }
}
