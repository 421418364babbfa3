// SPDX-License-Identifier: Apache-2.0
// The index of further pictures behind a JPEG (MPF, CIPA DC-007): which kinds there are. The print has no such picture.

struct PictureIndex {
  private static let entries = 0xB002
  private static let entrySize = 16
  private static let mostPictures = 64

  /// A smaller copy of the picture.
  private(set) var hasPreview = false
  private(set) var hasGainMap = false

  /// `bytes` begins with the byte order mark. An index that cannot be read may be one of previews.
  init(_ bytes: [UInt8]) {
    guard let view = ExifView(bytes), let first = view.first,
      let entry = view.entries(of: first).first(where: { $0.tag == Self.entries }),
      let start = view.number(entry.at + 8, 4)
    else {
      hasPreview = true
      return
    }
    for place in 0..<min(entry.count / Self.entrySize, Self.mostPictures) {
      guard let attribute = view.number(start + place * Self.entrySize, 4) else {
        hasPreview = true
        return
      }
      switch attribute >> 16 & 0xFF {
      case 1: hasPreview = true
      case 5: hasGainMap = true
      default: break
      }
    }
  }
}
