// SPDX-License-Identifier: Apache-2.0
// Pictures made by arithmetic: the same bytes for the same size and seed, on every machine. They
// resemble photographs: soft gradients, some edges, some grain, a burnt-out corner.

package enum SamplePictures {
  /// A JPEG as a camera saves it: 4:2:0, quality 90.
  package static func jpeg(width: Int, height: Int, seed: UInt32 = 1) -> [UInt8] {
    JPEGForm(width: width, height: height).bytes(pixels(width: width, height: height, seed: seed))
  }

  /// A PNG, 8 bits, RGB.
  package static func png(width: Int, height: Int, seed: UInt32 = 1) -> [UInt8] {
    PNGForm(width: width, height: height).bytes(pixels(width: width, height: height, seed: seed))
  }

  /// Three bytes a pixel: red, green, blue.
  package static func pixels(width: Int, height: Int, seed: UInt32 = 1) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * height * 3)
    var noise = seed &* 2_654_435_761 &+ 12345
    let shift = Int(seed % 97)
    for y in 0..<height {
      for x in 0..<width {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        let grain = Int(noise >> 28) - 8
        let across = x * 255 / max(width - 1, 1)
        let down = y * 255 / max(height - 1, 1)
        let edge = (x / 24 + y / 32 + shift) % 5 * 9
        // Light rises towards one corner until every channel is at its maximum.
        let light = max(0, across + down - 360) * 2
        bytes.append(clamped(wave(x + shift * 3, 160) / 2 + across / 3 + edge + grain + light))
        bytes.append(clamped(wave(y + shift, 220) / 2 + down / 4 + edge + grain + light))
        bytes.append(clamped(wave(x + y, 300) / 2 + (255 - across) / 4 + grain + light))
      }
    }
    return bytes
  }

  /// 0...255 and back again, once a period.
  private static func wave(_ at: Int, _ period: Int) -> Int {
    let place = at % period * 2
    return (place < period ? place : 2 * period - place) * 255 / period
  }

  private static func clamped(_ value: Int) -> UInt8 { UInt8(min(max(value, 0), 255)) }
}
