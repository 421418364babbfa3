// SPDX-License-Identifier: Apache-2.0
// EXIF as a camera writes it: an orientation and, if requested, a small picture in a second
// directory.

struct ExifSample {
  let isLittle: Bool
  var thumbnail: [UInt8] = []
  /// True if the picture ends the data; otherwise four bytes follow, as a maker's note may.
  var isAtEnd = true

  /// The place of the link from the first directory to the next.
  static let linkOffset = 8 + 2 + 12

  private func number(_ value: Int, _ size: Int) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(value >> (8 * $0) & 255) }
    return isLittle ? bytes : bytes.reversed()
  }

  private func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
    number(tag, 2) + number(type, 2) + number(1, 4)
      + (type == 3 ? number(value, 2) + [0, 0] : number(value, 4))
  }

  /// Header and first directory up to the link, which must not change.
  var firstDirectory: [UInt8] {
    let mark = Array((isLittle ? "II" : "MM").utf8)
    return mark + number(42, 2) + number(8, 4) + number(1, 2) + entry(0x112, 3, 6)
  }

  var bytes: [UInt8] {
    if thumbnail.isEmpty { return firstDirectory + number(0, 4) }
    let second = Self.linkOffset + 4
    let picture = second + 2 + 24 + 4
    let directory =
      number(2, 2) + entry(0x201, 4, picture) + entry(0x202, 4, thumbnail.count) + number(0, 4)
    return firstDirectory + number(second, 4) + directory + thumbnail
      + (isAtEnd ? [] : [1, 2, 3, 4])
  }
}
