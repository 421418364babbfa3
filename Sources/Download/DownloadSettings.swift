// SPDX-License-Identifier: Apache-2.0
// What the configuration says about a single download.

package struct DownloadSettings: Equatable, Sendable {
  package var maximumSize: UInt64
  /// From the first connection to the last byte, redirects included.
  package var timeout: Duration
  package var connectTimeout: Duration
  /// Bytes that the cache may hold; 0 is none.
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
