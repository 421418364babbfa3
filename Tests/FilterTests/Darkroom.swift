// SPDX-License-Identifier: Apache-2.0
// Shared by the tests: developing bytes into bytes, and an independent version of the formula.

import Filter
import Support
import Vocabulary

enum Darkroom {
  struct Print {
    let developed: Developed
    let bytes: [UInt8]
  }

  static func develop(
    _ original: [UInt8], _ function: FilterFunction = .standard, quality: Int? = nil,
    metadata: MetadataRule = .keep, limits: PictureLimits = PictureLimits()
  ) throws -> Print {
    let file = try ScratchFile.make(original)
    let print = try ScratchFile.make()
    let developed = try PictureFilter.develop(
      original: file, print: print, function: function, quality: quality,
      metadata: metadata, limits: limits)
    return Print(developed: developed, bytes: try ScratchFile.bytes(of: print))
  }

  /// The failure's code, or nil if there is a print.
  static func code(_ original: [UInt8], limits: PictureLimits = PictureLimits()) throws -> String? {
    do {
      _ = try develop(original, limits: limits)
      return nil
    } catch let failure as Failure { return failure.code }
  }

  /// W3C Filter Effects 1, `sepia(amount)`, in whole millionths.
  private static func rows(thousandths: Int) -> [[Int]] {
    let rest = 1000 - thousandths
    return [
      [393_000 + 607 * rest, 769_000 - 769 * rest, 189_000 - 189 * rest],
      [349_000 - 349 * rest, 686_000 + 314 * rest, 168_000 - 168 * rest],
      [272_000 - 272 * rest, 534_000 - 534 * rest, 131_000 + 869 * rest],
    ]
  }

  /// One pixel, rounded to nearest, a half up.
  static func sepia(_ pixel: [UInt16], thousandths: Int, most: Int = 255) -> [UInt16] {
    let padded = Array(pixel.prefix(3)) + [0]
    let out = sepia(all: padded, thousandths: thousandths, most: most)
    return Array(out.prefix(3) + pixel.dropFirst(3))
  }

  /// The same for all pixels of four channels.
  static func sepia(all channels: [UInt16], thousandths: Int = 800, most: Int = 255) -> [UInt16] {
    var out = channels
    for (channel, row) in rows(thousandths: thousandths).enumerated() {
      let (red, green, blue) = (row[0], row[1], row[2])
      var at = 0
      while at < channels.count {
        let sum =
          red * Int(channels[at]) + green * Int(channels[at + 1]) + blue * Int(channels[at + 2])
        out[at + channel] = UInt16(min((2 * sum + 1_000_000) / 2_000_000, most))
        at += 4
      }
    }
    return out
  }

  /// Mean square error over the colours; 50 dB of PSNR are 0.65.
  static func meanSquareError(_ a: [UInt16], _ b: [UInt16]) -> Double {
    var sum = 0
    for at in 0..<min(a.count, b.count) where at % 4 != 3 {
      let difference = Int(a[at]) - Int(b[at])
      sum += difference * difference
    }
    return Double(sum) / Double(max(a.count / 4 * 3, 1))
  }

  /// Converts three bytes a pixel to four channels a pixel.
  static func channels(_ pixels: [UInt8]) -> [UInt16] {
    var out: [UInt16] = []
    for at in stride(from: 0, to: pixels.count, by: 3) {
      out += pixels[at..<(at + 3)].map { UInt16($0) }
      out.append(255)
    }
    return out
  }
}
