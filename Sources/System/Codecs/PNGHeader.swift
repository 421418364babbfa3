// SPDX-License-Identifier: Apache-2.0
// The properties of a PNG, from its header, and the form of its rows.

internal import CCodecs

package struct PNGHeader: Equatable, Sendable {
  package let width: Int
  package let height: Int
  /// Bits per channel of the rows: 16 if the file has 16, else 8.
  package let depth: Int
  package let hasAlpha: Bool
  /// The file is grey; its rows are in colour.
  package let isGrey: Bool
  package let isInterlaced: Bool
  /// The picture has a palette: it is developed by its palette and has no rows of channels.
  package let isPalette: Bool
  /// Bits of a palette index: 1, 2, 4 or 8; without a palette 0.
  package let indexDepth: Int

  init(_ header: dr_png_header) {
    width = Int(header.width)
    height = Int(header.height)
    depth = Int(header.depth)
    hasAlpha = header.has_alpha != 0
    isGrey = header.is_grey != 0
    isInterlaced = header.is_interlaced != 0
    isPalette = header.is_palette != 0
    indexDepth = Int(header.index_depth)
  }

  var inC: dr_png_header {
    dr_png_header(
      width: UInt32(width), height: UInt32(height), depth: UInt8(depth),
      has_alpha: hasAlpha ? 1 : 0, is_grey: isGrey ? 1 : 0, is_interlaced: isInterlaced ? 1 : 0,
      is_palette: isPalette ? 1 : 0, index_depth: UInt8(indexDepth))
  }
}
