// SPDX-License-Identifier: Apache-2.0
// Removes the previews in EXIF: in the directories after the first one (IFD1 and later), in those below it
// (SubIFDs), and as JPEG streams anywhere, for example in a maker note. Blanks them in place, since other
// values are located by their offsets; then cuts blank bytes off the end. The rest stays byte for byte, but
// directories lose their links and entries that lead to previews.
//
// The format of a maker note and the base of its offsets depend on the maker. So the note is neither parsed
// nor dropped. A preview in it is a JPEG stream, which is found without knowing the format and replaced with
// zeros; lens and settings can still be read.

enum ExifPreview {
  /// `tiff` begins with its byte order mark.
  static func remove(from tiff: inout [UInt8]) -> PreviewOutcome {
    guard var view = ExifView(tiff), let first = view.first else { return .unreadable }
    let kept = keptDirectories(in: view, first)
    var walk = Walk(seen: Set(kept))
    walk.follow(view, from: view.link(of: first).flatMap { view.number($0, 4) } ?? 0)
    let chain = walk.blanks
    for directory in kept {
      for below in view.numbers(ExifView.Tag.directories, of: directory) {
        walk.follow(view, from: below)
      }
    }
    let tables = kept.compactMap { directory in
      view.link(of: directory).map { directory..<($0 + 4) }
    }
    for range in walk.blanks { view.blank(range, sparing: [0..<ExifView.headSize] + tables) }
    var isChanged = !walk.blanks.isEmpty
    if !chain.isEmpty { view.endChain(at: first) }
    let pointers: Set = [
      ExifView.Tag.directories, ExifView.Tag.pictureStart, ExifView.Tag.pictureSize,
    ]
    for directory in kept where view.drop(pointers, from: directory) { isChanged = true }
    var bytes = view.bytes
    let end = min(end(of: bytes.count, without: chain), bytes.count)
    if PictureStream.blank(in: &bytes) { isChanged = true }
    guard isChanged else { return .none }
    tiff = Array(bytes.prefix(end))
    return .removed
  }

  /// The directories that describe the picture itself.
  private static func keptDirectories(in view: ExifView, _ first: Int) -> [Int] {
    var kept = [first]
    for directory in view.numbers(ExifView.Tag.exif, of: first).prefix(1)
    where view.link(of: directory) != nil {
      kept.append(directory)
      kept += view.numbers(ExifView.Tag.interoperability, of: directory).prefix(1)
        .filter { view.link(of: $0) != nil }
    }
    return kept
  }

  private static func end(of size: Int, without blanks: [Range<Int>]) -> Int {
    var end = size
    // A byte of padding may follow a picture of odd length.
    for range in blanks.sorted(by: { $0.upperBound > $1.upperBound })
    where range.upperBound + 1 >= end && range.lowerBound < end { end = range.lowerBound }
    return end
  }

  /// Directories of previews, one after the other, and the ranges of their bytes.
  private struct Walk {
    private(set) var blanks: [Range<Int>] = []
    private var seen: Set<Int>

    init(seen: Set<Int>) { self.seen = seen }

    mutating func follow(_ view: ExifView, from start: Int) {
      var next = start
      while next != 0, seen.count < 32, seen.insert(next).inserted {
        guard let link = view.link(of: next) else { break }
        blanks.append(next..<(link + 4))
        blanks += view.pictures(of: next)
        for below in view.numbers(ExifView.Tag.directories, of: next) {
          follow(view, from: below)
        }
        next = view.number(link, 4) ?? 0
      }
    }
  }
}

extension ExifView {
  /// Spares `kept`: a broken offset may point at bytes that must stay readable.
  fileprivate mutating func blank(_ range: Range<Int>, sparing kept: [Range<Int>]) {
    var at = range.lowerBound
    for spared in kept.sorted(by: { $0.lowerBound < $1.lowerBound })
    where spared.overlaps(range) {
      if at < spared.lowerBound { blank(at..<spared.lowerBound) }
      at = max(at, spared.upperBound)
    }
    if at < range.upperBound { blank(at..<range.upperBound) }
  }
}
