// SPDX-License-Identifier: Apache-2.0
// Finds JPEG streams in other bytes: a start marker that is followed by a well-formed segment. By chance this
// occurs once in several gigabytes. Blanks each from its start marker to its end marker, or to the end of the
// bytes.

enum PictureStream {
  /// The limit of segments to follow in a stream with a broken start.
  private static let mostSegments = 64

  /// True if there was a stream.
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

  /// `at` is the second byte of the start marker. Some cameras break the first byte of the previews in their
  /// maker notes; then the segments must lead to a scan.
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

  /// The end of a segment that may precede a scan; nil if there is none.
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

  /// The place after the end marker. Skips segments, since a preview may contain a preview.
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
