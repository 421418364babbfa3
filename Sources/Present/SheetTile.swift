// SPDX-License-Identifier: Apache-2.0
// One photo on a contact sheet: its print, the reason for its failure, or its place. A value; raises nothing.

package import Vocabulary

package struct SheetTile: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    case print(Print)
    case failed(reason: String)
    /// Still to come, or in the end not done.
    case missing
  }

  package struct Print: Equatable, Sendable {
    package let file: FileName
    /// As in the file; a thumbnail tells how it is shown.
    package let width: UInt32
    package let height: UInt32
    package let thumbnail: Thumbnail?

    package init(file: FileName, width: UInt32, height: UInt32, thumbnail: Thumbnail?) {
      self.file = file
      self.width = width
      self.height = height
      self.thumbnail = thumbnail
    }
  }

  package let number: UInt32
  package let name: String
  package let content: Content

  package init(number: UInt32, name: String, content: Content) {
    self.number = number
    self.name = name
    self.content = content
  }

  /// A tile without a picture has the form of most pictures.
  private static let usualRatio = 1500
  private static let ratios = 400...4000

  package var isFailed: Bool { if case .failed = content { true } else { false } }

  /// Width by height of the tile in thousandths, within limits: a very long picture has paper beside it.
  var ratio: Int { min(max(trueRatio, Self.ratios.lowerBound), Self.ratios.upperBound) }

  private var trueRatio: Int {
    guard case .print(let print) = content, print.height > 0 else { return Self.usualRatio }
    let shown = print.shown
    return (Int(shown.width) * 2000 + Int(shown.height)) / (Int(shown.height) * 2)
  }

  /// A rule for the colours behind the picture until it is loaded; none where the picture leaves paper free.
  var colours: String? {
    guard case .print(let print) = content, let grid = print.thumbnail?.grid, ratio == trueRatio
    else { return nil }
    let rows = (0..<ColourGrid.height).map { grid.mean(ofRow: $0) }.joined(separator: ",")
    return "#n\(number) a{background:linear-gradient(\(rows))}"
  }
}

extension SheetTile.Print {
  /// The size with the orientation applied.
  var shown: (width: UInt32, height: UInt32) {
    guard let small = thumbnail, (small.width > small.height) != (width > height),
      small.width != small.height
    else { return (width, height) }
    return (height, width)
  }
}

extension ColourGrid {
  /// As in CSS: `#ba7`.
  fileprivate func mean(ofRow row: Int) -> String {
    var sums = (0, 0, 0)
    for column in 0..<Self.width {
      let colour = colour(column, row)
      sums = (sums.0 + Int(colour.red), sums.1 + Int(colour.green), sums.2 + Int(colour.blue))
    }
    let digits = [sums.0, sums.1, sums.2].map {
      String(($0 + Self.width / 2) / Self.width, radix: 16)
    }
    return "#" + digits.joined()
  }
}
