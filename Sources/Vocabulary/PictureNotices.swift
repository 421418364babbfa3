// SPDX-License-Identifier: Apache-2.0
// What of a picture is not in its print, said once per photo. Nothing failed.

package struct PictureNotices: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A small coloured picture within the metadata.
  package static let previewRemoved = PictureNotices(rawValue: 1)
  /// A colour profile of another colour space than the print's.
  package static let profileDropped = PictureNotices(rawValue: 2)
  /// Metadata that is unreadable or not known here.
  package static let metadataDropped = PictureNotices(rawValue: 4)
}
