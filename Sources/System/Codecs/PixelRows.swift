// SPDX-License-Identifier: Apache-2.0
// A band of rows between a reader and a writer: four channels per pixel, red, green, blue and alpha (or
// filler), 8 or 16 bits each. It cannot be copied and is freed once.

internal import CCodecs

@safe package struct PixelRows: ~Copyable {
  /// A band fits into a processor's second-level cache: memory sees one pass over the picture, not three.
  private static let bandSize = 256 << 10
  private static let mostRows = 16

  package let width: Int
  /// Bits per channel: 8 or 16.
  package let depth: Int
  /// The number of rows that fit.
  package let capacity: Int
  /// The number of rows in the band.
  package internal(set) var count = 0

  let base: UnsafeMutableRawPointer
  var stride: Int { width * 4 * (depth / 8) }

  package init(width: Int, depth: Int) {
    precondition(width > 0 && (depth == 8 || depth == 16))
    self.width = width
    self.depth = depth
    let stride = width * 4 * (depth / 8)
    let fitting = Self.bandSize / stride
    capacity = min(max(fitting, 1), Self.mostRows)
    unsafe base = UnsafeMutableRawPointer.allocate(byteCount: stride * capacity, alignment: 64)
  }

  deinit { unsafe base.deallocate() }

  /// Applies the matrix to every pixel; the fourth channel stays as it is.
  package mutating func apply(_ matrix: ColourMatrix) {
    var inC = matrix.inC
    let pixels = UInt64(width * count)
    if depth == 8 {
      unsafe dr_matrix_apply8(&inC, base.assumingMemoryBound(to: UInt8.self), pixels)
    } else {
      unsafe dr_matrix_apply16(&inC, base.assumingMemoryBound(to: UInt16.self), pixels)
    }
  }
}
