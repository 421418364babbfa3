// SPDX-License-Identifier: Apache-2.0
// JPEG streams within other bytes, found by their look: a start marker with a well-formed segment
// behind it. By chance that stands once in some million kilobytes. Each is blanked from its start
// marker to its end marker, or to the end of the bytes where it has none.

enum PictureStream {
  /// A stream whose start is broken is followed no further than this.
  private static let mostSegments = 64

  /// Whether there was one.
  static func blank(in bytes: inout [UInt8]) -> Bool {
    var isFound = false
    var from = 1
    while let at = bytes[min(from, bytes.count)...].firstIndex(of: 0xD8) {
      from = at + 1
      guard begins(at, in: bytes) else { continue }
      let end = end(of: at, in: bytes)
      for place in (at - 1)..<end { bytes[place] = 0 }
      isFound = true
      from = end
    }
    return isFound
  }

  /// `at` is the second byte of the start marker. Some makers break the first byte of the previews
  /// in their notes; then the stream must lead to a scan.
  private static func begins(_ at: Int, in bytes: [UInt8]) -> Bool {
    guard var next = segmentEnd(at + 1, in: bytes) else { return false }
    if bytes[at - 1] == 0xFF { return next == bytes.count || bytes[next] == 0xFF }
    for _ in 0..<mostSegments {
      if next + 1 < bytes.count, bytes[next] == 0xFF, bytes[next + 1] == 0xDA { return true }
      guard let end = segmentEnd(next, in: bytes) else { return false }
      next = end
    }
    return false
  }

  /// Behind a segment that may stand before a scan; nil where there is none.
  private static func segmentEnd(_ at: Int, in bytes: [UInt8]) -> Int? {
    guard at + 4 <= bytes.count, bytes[at] == 0xFF else { return nil }
    switch bytes[at + 1] {
    case 0xC0...0xCF, 0xDB...0xDD, 0xE0...0xEF, 0xFE: break
    default: return nil
    }
    let size = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
    let end = at + 2 + size
    return size >= 2 && end <= bytes.count ? end : nil
  }

  /// Behind the end marker. Segments are stepped over, since a preview may hold a preview.
  private static func end(of at: Int, in bytes: [UInt8]) -> Int {
    var next = at + 1
    while let end = segmentEnd(next, in: bytes) { next = end }
    while let mark = bytes[min(next, bytes.count)...].firstIndex(of: 0xFF) {
      if mark + 1 < bytes.count, bytes[mark + 1] == 0xD9 { return mark + 2 }
      next = mark + 1
    }
    return bytes.count
  }
}
