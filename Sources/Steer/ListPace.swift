// SPDX-License-Identifier: Apache-2.0
// How fast a list is worked on, as the running daemon has measured it: members of `ListSummary`'s message.

package struct ListPace: Equatable, Sendable {
  /// Of the originals that were downloaded since the daemon started.
  package var bytes: UInt64 = 0
  /// How fast photos end, over the last minute; 0 if that is unknown.
  package var photosPerHour: UInt64 = 0

  package init(bytes: UInt64 = 0, photosPerHour: UInt64 = 0) {
    (self.bytes, self.photosPerHour) = (bytes, photosPerHour)
  }
}
