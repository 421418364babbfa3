// SPDX-License-Identifier: Apache-2.0
// The small picture in EXIF: the directories behind the first one (IFD1 and what follows) and the
// bytes they point to. They are blanked in place, since other values are found by their offsets;
// what then is blank at the end is cut off. Everything before stays byte for byte.

enum ExifPreview {
  /// `tiff` begins with its byte order mark.
  static func remove(from tiff: inout [UInt8]) -> PreviewOutcome {
    guard var view = View(tiff), let first = view.number(4, 4) else { return .unreadable }
    guard let link = view.link(of: first), let start = view.number(link, 4) else {
      return .unreadable
    }
    if start == 0 { return .none }
    var blanks: [Range<Int>] = [link..<(link + 4)]
    var next = start
    var seen: Set<Int> = [first]
    while next != 0, seen.insert(next).inserted, seen.count < 16 {
      guard let link = view.link(of: next) else { break }
      blanks.append(next..<min(link + 4, tiff.count))
      blanks += view.pictures(of: next)
      next = view.number(link, 4) ?? 0
    }
    for range in blanks { view.blank(range) }
    tiff = Array(view.bytes.prefix(end(of: tiff.count, without: blanks.dropFirst())))
    return .removed
  }

  private static func end(of size: Int, without blanks: some Sequence<Range<Int>>) -> Int {
    var end = size
    // A byte of padding may follow a picture of odd length.
    for range in blanks.sorted(by: { $0.upperBound > $1.upperBound })
    where range.upperBound + 1 >= end && range.lowerBound < end { end = range.lowerBound }
    return end
  }

  /// Numbers of either byte order, and directories, without ever leaving the bytes.
  private struct View {
    private(set) var bytes: [UInt8]
    private let isLittle: Bool

    init?(_ bytes: [UInt8]) {
      self.bytes = bytes
      switch bytes.prefix(4) {
      case [0x49, 0x49, 0x2A, 0x00]: isLittle = true
      case [0x4D, 0x4D, 0x00, 0x2A]: isLittle = false
      default: return nil
      }
    }

    func number(_ at: Int, _ size: Int) -> Int? {
      guard at >= 0, at <= bytes.count - size else { return nil }
      let part = bytes[at..<(at + size)]
      return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func blank(_ range: Range<Int>) {
      for at in range.clamped(to: 0..<bytes.count) { bytes[at] = 0 }
    }

    /// Where a directory says which one follows.
    func link(of directory: Int) -> Int? {
      guard directory >= 8, let count = number(directory, 2) else { return nil }
      let link = directory + 2 + 12 * count
      return link + 4 <= bytes.count ? link : nil
    }

    /// The bytes of a directory's pictures: one JPEG, or strips of plain pixels.
    func pictures(of directory: Int) -> [Range<Int>] {
      let starts = values(0x201, of: directory) + values(0x111, of: directory)
      let sizes = values(0x202, of: directory) + values(0x117, of: directory)
      return zip(starts, sizes).compactMap { start, size in
        guard start >= 8, start < bytes.count else { return nil }
        return start..<min(start + size, bytes.count)
      }
    }

    private func values(_ tag: Int, of directory: Int) -> [Int] {
      guard let count = number(directory, 2) else { return [] }
      for entry in 0..<count {
        let at = directory + 2 + 12 * entry
        guard number(at, 2) == tag, let type = number(at + 2, 2), let many = number(at + 4, 4)
        else { continue }
        guard type == 3 || type == 4 else { return [] }
        let size = type == 3 ? 2 : 4
        let isInline = many * size <= 4
        guard let base = isInline ? at + 8 : number(at + 8, 4) else { return [] }
        return (0..<min(many, 1024)).compactMap { number(base + $0 * size, size) }
      }
      return []
    }
  }
}
