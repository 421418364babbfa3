// SPDX-License-Identifier: Apache-2.0
// A PNG of any form, made from its rows, and chunks spliced into it.

internal import CSamples

package struct PNGForm: Sendable {
  package enum Colour: Int32, Sendable {
    case grey = 0
    case rgb = 2
    case palette = 3
    case greyAlpha = 4
    case rgba = 6
  }

  package var width: Int
  package var height: Int
  package var depth = 8
  package var colour = Colour.rgb
  package var isInterlaced = false
  /// Three bytes an entry.
  package var palette: [UInt8] = []
  package var paletteAlpha: [UInt8] = []
  /// The transparent colour of a picture without a palette; for grey the first value counts.
  package var key: [UInt16] = []

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  package init(width: Int, height: Int, _ change: (inout PNGForm) -> Void) {
    self.init(width: width, height: height)
    change(&self)
  }

  package var channels: Int {
    switch colour {
    case .grey, .palette: 1
    case .greyAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// Rows as in the file: packed below 8 bits, big-endian at 16.
  package func bytes(_ rows: [UInt8]) -> [UInt8] {
    precondition(rows.count == (width * channels * depth + 7) / 8 * height)
    var form = sample_png()
    form.width = UInt32(width)
    form.height = UInt32(height)
    form.depth = Int32(depth)
    form.colour = colour.rawValue
    form.is_interlaced = isInterlaced ? 1 : 0
    form.palette_size = Int32(palette.count / 3)
    form.alpha_size = Int32(paletteAlpha.count)
    unsafe withUnsafeMutableBytes(of: &form.palette) { unsafe $0.copyBytes(from: palette) }
    unsafe withUnsafeMutableBytes(of: &form.alpha) { unsafe $0.copyBytes(from: paletteAlpha) }
    form.has_key = key.isEmpty ? 0 : 1
    if let first = key.first {
      form.key = (first, key.count > 1 ? key[1] : first, key.count > 2 ? key[2] : first)
    }
    return unsafe taken(sample_png_write(&form, rows))
  }

  /// Length, name, data, checksum.
  package static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + data
    return bigEndian(UInt32(data.count)) + named
      + bigEndian(checksum(named))
  }

  /// The checksum of a chunk's name and data.
  package static func checksum(_ named: [UInt8]) -> UInt32 {
    unsafe sample_crc32(named, named.count)
  }

  /// Puts a chunk behind signature and header, which always have 33 bytes.
  package static func splice(_ chunk: [UInt8], into png: [UInt8]) -> [UInt8] {
    png.prefix(33) + chunk + png.dropFirst(33)
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
