// SPDX-License-Identifier: Apache-2.0
// The facts of a small picture of a print: its size, and a few colours that stand for it until it is loaded.

package struct Thumbnail: Equatable, Sendable {
  /// A thumbnail is at most this many times as wide as it may be high.
  package static let widest: UInt16 = 4
  /// No file of a thumbnail of the largest size has more bytes.
  package static let longest: UInt64 = 4 << 20
  /// The heights that `Thumbnails=` takes.
  package static let heights: [UInt16] = [240, 480]

  /// The folder of a list's thumbnails, in the folder of its prints. No print has this name: a leading dot is escaped.
  package static let folder = FileName(literal: ".sheet")

  /// The file of a photo's thumbnail in `folder`.
  package static func file(_ number: UInt32) -> FileName { FileName(made: "\(number).jpg") }

  /// As the print's orientation shows it.
  package let width: UInt16
  package let height: UInt16
  package let grid: ColourGrid

  package init(width: UInt16, height: UInt16, grid: ColourGrid) {
    self.width = width
    self.height = height
    self.grid = grid
  }

  /// The file that receives a thumbnail, and the most pixels that it may be high.
  package struct Order: Sendable {
    package let file: any OpenFile
    package let height: UInt16

    package init(file: any OpenFile, height: UInt16) {
      self.file = file
      self.height = height
    }
  }
}

/// The mean colours of four times three parts of a picture, row by row, with four bits for each of red, green and
/// blue: 18 bytes.
package struct ColourGrid: Hashable, Sendable {
  package static let width = 4
  package static let height = 3
  package static let size = 18
  private static let parts = width * height

  /// The high four bits of a byte come first.
  package let packed: [UInt8]

  /// Nil unless there are as many bytes as a grid has.
  package init?(packed: some Collection<UInt8>) {
    guard packed.count == Self.size else { return nil }
    self.packed = Array(packed)
  }

  /// From red, green and blue of each part, a byte each; missing ones are black.
  package init(_ colours: [UInt8]) {
    let nibbles = (0..<(Self.parts * 3)).map { place -> UInt8 in
      guard place < colours.count else { return 0 }
      return UInt8((Int(colours[place]) * 15 + 127) / 255)
    }
    packed = (0..<Self.size).map { nibbles[$0 * 2] << 4 | nibbles[$0 * 2 + 1] }
  }

  /// Three hexadecimal digits for each part.
  package var digits: String {
    String(
      decoding: packed.flatMap { [HexDigits.lower($0 >> 4), HexDigits.lower($0 & 15)] },
      as: UTF8.self)
  }

  /// Red, green and blue of a part, each 0 to 15.
  package func colour(_ column: Int, _ row: Int) -> (red: UInt8, green: UInt8, blue: UInt8) {
    let first = (row * Self.width + column) * 3
    func nibble(_ place: Int) -> UInt8 {
      place % 2 == 0 ? packed[place / 2] >> 4 : packed[place / 2] & 15
    }
    return (nibble(first), nibble(first + 1), nibble(first + 2))
  }
}
