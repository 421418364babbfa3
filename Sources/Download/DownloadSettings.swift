// SPDX-License-Identifier: Apache-2.0
// The settings of a single download, and the size of the cache.

package struct DownloadSettings: Equatable, Sendable {
  package var maximumSize: UInt64
  /// From the first connection to the last byte, redirects included.
  package var timeout: Duration
  package var connectTimeout: Duration
  /// Bytes that the cache may hold; 0 turns it off.
  package var cache: UInt64

  package init(
    maximumSize: UInt64 = 256 << 20, timeout: Duration = .seconds(600),
    connectTimeout: Duration = .seconds(10), cache: UInt64 = 0
  ) {
    self.maximumSize = maximumSize
    self.timeout = timeout
    self.connectTimeout = connectTimeout
    self.cache = cache
  }
}
