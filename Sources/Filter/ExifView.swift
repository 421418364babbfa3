// SPDX-License-Identifier: Apache-2.0
// Reads the directories of EXIF: numbers in either byte order, entries and their values, never past the end
// of the bytes. All offsets count from the byte order mark.

struct ExifView {
  enum Tag {
    static let stripStarts = 0x111
    static let orientation = 0x112
    static let stripSizes = 0x117
    static let artist = 0x13B
    static let tileStarts = 0x144
    static let tileSizes = 0x145
    static let directories = 0x14A
    static let pictureStart = 0x201
    static let pictureSize = 0x202
    static let copyright = 0x8298
    static let exif = 0x8769
    static let interoperability = 0xA005
  }

  /// An entry of a directory; `at` is the offset of the entry itself.
  struct Entry {
    let at: Int
    let tag: Int
    let type: Int
    let count: Int
  }

  static let headSize = 8
  static let entrySize = 12

  private(set) var bytes: [UInt8]
  let isLittle: Bool

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

  func encoded(_ number: Int, _ size: Int) -> [UInt8] {
    let little = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return isLittle ? little : little.reversed()
  }

  /// The first directory, if it can be read.
  var first: Int? { number(4, 4).flatMap { link(of: $0) == nil ? nil : $0 } }

  /// The offset of a directory's link to the next one; nil if it is not a directory.
  func link(of directory: Int) -> Int? {
    guard directory >= Self.headSize, let count = number(directory, 2) else { return nil }
    let link = directory + 2 + Self.entrySize * count
    return link + 4 <= bytes.count ? link : nil
  }

  func entries(of directory: Int) -> [Entry] {
    guard let count = number(directory, 2) else { return [] }
    return (0..<count).compactMap { place in
      let at = directory + 2 + Self.entrySize * place
      guard let tag = number(at, 2), let type = number(at + 2, 2), let many = number(at + 4, 4)
      else { return nil }
      return Entry(at: at, tag: tag, type: type, count: many)
    }
  }

  /// The numbers of a value; at most 1024.
  func numbers(_ tag: Int, of directory: Int) -> [Int] {
    // Some writers use type 13 for the offset of a directory.
    guard let entry = entries(of: directory).first(where: { $0.tag == tag }),
      [3, 4, 13].contains(entry.type)
    else { return [] }
    let size = entry.type == 3 ? 2 : 4
    let isInline = entry.count <= 4 / size
    guard let base = isInline ? entry.at + 8 : number(entry.at + 8, 4) else { return [] }
    return (0..<min(entry.count, 1024)).compactMap { number(base + $0 * size, size) }
  }

  /// A text without trailing NULs; nil if it is missing or too long.
  func text(_ tag: Int, of directory: Int, limit: Int) -> [UInt8]? {
    guard let entry = entries(of: directory).first(where: { $0.tag == tag }), entry.type == 2,
      entry.count > 0, entry.count <= limit,
      let base = entry.count <= 4 ? entry.at + 8 : number(entry.at + 8, 4),
      base <= bytes.count - entry.count
    else { return nil }
    var text = bytes[base..<(base + entry.count)]
    while text.last == 0 { text.removeLast() }
    return text.isEmpty ? nil : Array(text)
  }

  /// The bytes of a directory's pictures: one JPEG, or strips or tiles of plain pixels.
  func pictures(of directory: Int) -> [Range<Int>] {
    let pairs = [
      (Tag.pictureStart, Tag.pictureSize), (Tag.stripStarts, Tag.stripSizes),
      (Tag.tileStarts, Tag.tileSizes),
    ]
    return pairs.flatMap { starts, sizes in
      zip(numbers(starts, of: directory), numbers(sizes, of: directory)).compactMap {
        start, size -> Range<Int>? in
        guard start >= Self.headSize, start < bytes.count else { return nil }
        return start..<min(start + size, bytes.count)
      }
    }
  }

  mutating func blank(_ range: Range<Int>) {
    for at in range.clamped(to: 0..<bytes.count) { bytes[at] = 0 }
  }

  /// Removes entries from a directory; later entries and the link move up. Values elsewhere stay in place.
  mutating func drop(_ tags: Set<Int>, from directory: Int) -> Bool {
    guard let link = link(of: directory) else { return false }
    let all = entries(of: directory)
    let kept = all.filter { !tags.contains($0.tag) }
    guard kept.count < all.count else { return false }
    var table = encoded(kept.count, 2)
    for entry in kept { table += bytes[entry.at..<(entry.at + Self.entrySize)] }
    table += bytes[link..<(link + 4)]
    let room = link + 4 - directory
    table += [UInt8](repeating: 0, count: room - table.count)
    bytes.replaceSubrange(directory..<(directory + room), with: table)
    return true
  }

  /// Makes the directory the last of its chain.
  mutating func endChain(at directory: Int) {
    guard let link = link(of: directory) else { return }
    blank(link..<(link + 4))
  }
}
