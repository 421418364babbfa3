// SPDX-License-Identifier: Apache-2.0
// Makes a small EXIF block: the orientation and, on request, artist and copyright. Drops the rest, including
// previews.

enum ExifExcerpt {
  /// Longer texts are left out: they are not names.
  private static let longestText = 8192

  /// Nil if nothing is left: the picture is upright, and artist and copyright are unknown.
  static func make(of tiff: [UInt8], withRights: Bool) -> [UInt8]? {
    guard let view = ExifView(tiff), let first = view.first else { return nil }
    var short: [Int] = []
    if let turn = view.numbers(ExifView.Tag.orientation, of: first).first, 2...8 ~= turn {
      short = [turn]
    }
    var texts: [(tag: Int, bytes: [UInt8])] = []
    if withRights {
      for tag in [ExifView.Tag.artist, ExifView.Tag.copyright] {
        guard let text = view.text(tag, of: first, limit: longestText) else { continue }
        texts.append((tag, text + [0]))
      }
    }
    guard !short.isEmpty || !texts.isEmpty else { return nil }
    return write(view, short, texts)
  }

  /// Entries in the order of their tags, then texts; in the byte order of the original.
  private static func write(
    _ view: ExifView, _ orientation: [Int], _ texts: [(tag: Int, bytes: [UInt8])]
  ) -> [UInt8] {
    let count = orientation.count + texts.count
    var place = ExifView.headSize + 2 + count * ExifView.entrySize + 4
    var out = view.bytes.prefix(4) + view.encoded(ExifView.headSize, 4) + view.encoded(count, 2)
    var behind: [UInt8] = []
    for turn in orientation {
      out += view.encoded(ExifView.Tag.orientation, 2) + view.encoded(3, 2) + view.encoded(1, 4)
      out += view.encoded(turn, 2) + [0, 0]
    }
    for (tag, bytes) in texts {
      out += view.encoded(tag, 2) + view.encoded(2, 2) + view.encoded(bytes.count, 4)
      if bytes.count <= 4 {
        out += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
        continue
      }
      out += view.encoded(place, 4)
      // Values begin at even offsets.
      let padded = bytes + (bytes.count % 2 == 1 ? [0] : [])
      behind += padded
      place += padded.count
    }
    return out + [0, 0, 0, 0] + behind
  }
}
