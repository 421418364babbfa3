// SPDX-License-Identifier: Apache-2.0
// The reply to `Cache`: the size of the cache, and its hits and misses.

package struct CacheReport: MessageValue {
  /// Bytes that the cache may hold; 0 when it is off.
  package var limit: UInt64 = 0
  package var entries = 0
  package var bytes: UInt64 = 0
  /// Since the daemon started: downloads that the cache saved, and those that it did not.
  package var hits: UInt64 = 0
  package var misses: UInt64 = 0

  package init(limit: UInt64, entries: Int, bytes: UInt64, hits: UInt64, misses: UInt64) {
    (self.limit, self.entries, self.bytes, self.hits) = (limit, entries, bytes, hits)
    self.misses = misses
  }

  package init() {}
  package static let fields: [Field] = [
    Field("limit", \.limit), Field("entries", \.entries), Field("bytes", \.bytes),
    Field("hits", \.hits), Field("misses", \.misses),
  ]
}
