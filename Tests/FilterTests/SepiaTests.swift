// SPDX-License-Identifier: Apache-2.0
// The matrix against the formula: every 8-bit channel value, many colours, every set of vector
// instructions.

import Codecs
import Filter
import Testing
import Vocabulary

@Suite(.serialized) struct SepiaTests {
  static let amounts = [0, 333, 800, 999, 1000]

  private func applied(_ channels: [UInt16], depth: Int, thousandths: Int) -> [UInt16] {
    var out: [UInt16] = []
    var at = 0
    let width = 64
    var rows = PixelRows(width: width, depth: depth)
    let band = width * rows.capacity * 4
    while at < channels.count {
      rows.fill(Array(channels[at..<min(at + band, channels.count)]))
      rows.apply(Sepia.matrix(thousandths: thousandths))
      out += rows.channels
      at += band
    }
    return out
  }

  /// 256 values of each channel against some of the others, and 6,400 random colours.
  private func colours(most: Int) -> [UInt16] {
    let step = (most + 1) / 256
    let some = [0, 127, 200, 254, 255].map { UInt16($0 == 255 ? most : $0 * step) }
    var channels: [UInt16] = []
    for value in 0...255 {
      let value = UInt16(value * step + value * (step - 1) / 255)
      for a in some {
        for b in some {
          channels += [value, a, b, 7, a, value, b, 9, a, b, value, 255]
        }
      }
    }
    var noise: UInt32 = 1
    while channels.count < 4 * 25_600 {
      noise = noise &* 1_664_525 &+ 1_013_904_223
      channels.append(UInt16(truncatingIfNeeded: Int(noise >> 8) % (most + 1)))
    }
    return channels
  }

  @Test(arguments: amounts) func `8-bit values match the exact formula on every processor`(
    _ thousandths: Int
  ) {
    let channels = colours(most: 255)
    let expected = Darkroom.sepia(all: channels, thousandths: thousandths)
    for vectors in ColourMatrix.Vectors.allCases {
      ColourMatrix.use(atMost: vectors)
      defer { ColourMatrix.use(atMost: .avx512) }
      #expect(applied(channels, depth: 8, thousandths: thousandths) == expected, "\(vectors)")
    }
  }

  @Test(arguments: amounts) func `16-bit values match the exact formula on every processor`(
    _ thousandths: Int
  ) {
    let channels = colours(most: 65535)
    let expected = Darkroom.sepia(all: channels, thousandths: thousandths, most: 65535)
    for vectors in ColourMatrix.Vectors.allCases {
      ColourMatrix.use(atMost: vectors)
      defer { ColourMatrix.use(atMost: .avx512) }
      #expect(applied(channels, depth: 16, thousandths: thousandths) == expected, "\(vectors)")
    }
  }

  @Test func `sums of 8-bit values are divided exactly`() {
    // Grey pixels under matrices of one factor: every value times the factor, once and three times.
    for factor in stride(from: Int32(1), through: 1_000_000, by: 13_577) {
      let matrix = ColourMatrix(millionths: [factor, 0, 0, 0, factor, 0, factor, factor, factor])
      var rows = PixelRows(width: 256, depth: 8)
      rows.fill((0..<256).flatMap { [UInt16($0), UInt16($0), UInt16($0), 0] })
      rows.apply(matrix)
      let expected = (0..<256).flatMap { value -> [UInt16] in
        let one = UInt16((value * Int(factor) + 500_000) / 1_000_000)
        let three = UInt16(min((3 * value * Int(factor) + 500_000) / 1_000_000, 255))
        return [one, one, three, 0]
      }
      #expect(rows.channels == expected)
    }
  }

  @Test func `amount 0 changes nothing, and amount 1 turns white pale yellow`() {
    let white = [UInt16](repeating: 255, count: 64 * 4)
    #expect(
      Sepia.matrix(thousandths: 0).millionths == [
        1_000_000, 0, 0, 0, 1_000_000, 0, 0, 0, 1_000_000,
      ])
    #expect(applied(white, depth: 8, thousandths: 1000).prefix(4) == [255, 255, 239, 255])
  }

  @Test func `amounts out of range count as the nearest limit`() {
    #expect(Sepia.matrix(thousandths: 4000) == Sepia.matrix(thousandths: 1000))
    #expect(Sepia.matrix(thousandths: -1) == Sepia.matrix(thousandths: 0))
  }
}
