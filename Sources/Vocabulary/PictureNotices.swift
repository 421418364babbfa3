// SPDX-License-Identifier: Apache-2.0
// The parts of a picture that its print lacks, reported once per photo. Nothing failed.

package struct PictureNotices: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A small coloured picture in the metadata.
  package static let previewRemoved = PictureNotices(rawValue: 1)
  /// A profile for a colour space other than the print's.
  package static let profileDropped = PictureNotices(rawValue: 2)
  /// Metadata that is unreadable or of an unknown kind.
  package static let metadataDropped = PictureNotices(rawValue: 4)

  /// A gain map, which a screen of high dynamic range would use.
  package static let gainMapDropped = PictureNotices(rawValue: 8)
  /// The video of a motion photo.
  package static let motionDropped = PictureNotices(rawValue: 16)

  private static let all: [(notice: PictureNotices, name: String, words: String)] = [
    (.previewRemoved, "preview-removed", "its embedded preview"),
    (.profileDropped, "profile-dropped", "its colour profile"),
    (.metadataDropped, "metadata-dropped", "some of its metadata"),
    (.gainMapDropped, "gainmap-dropped", "its gain map"),
    (.motionDropped, "motion-dropped", "its video"),
  ]

  /// Short and stable, for programs: `preview-removed`. An unknown bit has no name.
  package var names: [String] { Self.all.filter { contains($0.notice) }.map(\.name) }

  /// The missing parts: `its embedded preview and its colour profile`; empty if the print has all.
  package var words: String {
    let words = Self.all.filter { contains($0.notice) }.map(\.words)
    guard words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
  }
}
