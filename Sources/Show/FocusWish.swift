// SPDX-License-Identifier: Apache-2.0
// The body of the one `POST`: the photos that a page shows. `VIEWER RANGE,RANGE...`, where VIEWER is 1 to 32 letters and
// digits, and RANGE a number or two with a dash; no ranges end the focus. A value; anything else is nil.

package struct FocusWish: Equatable, Sendable {
  package static let mostRanges = 200
  private static let mostPhotos: UInt64 = 1000
  private static let longestViewer = 32

  /// Tells the pages of one user apart.
  package let viewer: String
  package let photos: [ClosedRange<UInt32>]

  package init?(_ body: [UInt8]) {
    let parts = body.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 2, 1...Self.longestViewer ~= parts[0].count,
      parts[0].allSatisfy({ Self.isWord($0) })
    else { return nil }
    viewer = String(decoding: parts[0], as: UTF8.self)
    if parts[1].isEmpty {
      photos = []
      return
    }
    let words = parts[1].split(separator: 0x2C, omittingEmptySubsequences: false)
    guard words.count <= Self.mostRanges else { return nil }
    var ranges: [ClosedRange<UInt32>] = []
    for word in words {
      guard let range = Self.range(word) else { return nil }
      ranges.append(range)
    }
    guard ranges.reduce(0, { $0 + UInt64($1.count) }) <= Self.mostPhotos else { return nil }
    photos = ranges
  }

  /// The words of the control call.
  package var words: [String] { photos.map { "\($0.lowerBound)-\($0.upperBound)" } }

  package var body: [UInt8] { Array("\(viewer) \(words.joined(separator: ","))".utf8) }

  private static func isWord(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x61...0x7A ~= byte
  }

  private static func range(_ word: ArraySlice<UInt8>) -> ClosedRange<UInt32>? {
    let ends = word.split(separator: 0x2D, omittingEmptySubsequences: false).map(number)
    guard 1...2 ~= ends.count, let first = ends[0], let last = ends[ends.count - 1],
      0 < first, first <= last
    else { return nil }
    return first...last
  }

  private static func number(_ word: ArraySlice<UInt8>) -> UInt32? {
    guard 1...10 ~= word.count, word.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return UInt32(String(decoding: word, as: UTF8.self))
  }
}
