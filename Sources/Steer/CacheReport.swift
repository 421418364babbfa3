// SPDX-License-Identifier: Apache-2.0
// The reply to `Cache`: the size of the cache, and its hits and misses.

package struct CacheReport: MessageValue {
  /// Bytes that the cache may hold; 0 when it is off.
  package var limit: UInt64
  package var entries: Int
  package var bytes: UInt64
  /// Since the daemon started: downloads that the cache saved, and those that it did not.
  package var hits: UInt64
  package var misses: UInt64

  package init(limit: UInt64, entries: Int, bytes: UInt64, hits: UInt64, misses: UInt64) {
    self.limit = limit
    self.entries = entries
    self.bytes = bytes
    self.hits = hits
    self.misses = misses
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    limit = try fields.count("limit")
    entries = try fields.count("entries")
    bytes = try fields.count("bytes")
    hits = try fields.count("hits")
    misses = try fields.count("misses")
  }

  package var object: JSONObject {
    JSONObject([
      "limit": .count(limit), "entries": .int(Int64(entries)), "bytes": .count(bytes),
      "hits": .count(hits), "misses": .count(misses),
    ])
  }
}
