// SPDX-License-Identifier: Apache-2.0
// The version that the daemon and the tool report, and its date.

package enum Release {
  package static let version = "0.1.0"
  /// In milliseconds since 1970: the date of the version in debian/changelog. No clock that is right shows an earlier time.
  package static let date: UInt64 = 1_795_435_200_000
}
