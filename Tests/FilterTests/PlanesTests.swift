// SPDX-License-Identifier: Apache-2.0
// JPEGs that are developed on their planes of luma and chroma look as if they had been decoded,
// filtered by the exact formula and encoded again.

import Codecs
import Filter
import Support
import Testing
import Vocabulary

struct PlanesTests {
  enum Motif: CaseIterable, Sendable {
    case gradient
    case noise
    case highlights
    case saturated
    case shadows

    /// Three bytes a pixel.
    func pixels(_ width: Int, _ height: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(width * height * 3)
      var state: UInt32 = 7
      for y in 0..<height {
        for x in 0..<width {
          state = state &* 1_664_525 &+ 1_013_904_223
          let grain = Int(state >> 28) - 8
          let parts: [Int]
          switch self {
          case .gradient:
            parts = [x * 255 / width, y * 255 / height, (x + y) * 255 / (width + height)]
          case .noise: parts = [8, 16, 24].map { Int(state >> $0) & 255 }
          case .highlights:
            // Half of it is burnt out, with soft edges.
            let light = abs((x + y * 2) % 400 - 200) + 120 + grain
            parts = [light, light - 4, light - 15]
          case .saturated:
            let field = (x / 23 + y / 17) % 7 + 1
            parts = [field & 1, field >> 1 & 1, field >> 2 & 1].map { $0 * 255 }
          case .shadows: parts = [grain + x % 9, grain, grain + 6]
          }
          bytes += parts.map { UInt8(min(max($0, 0), 255)) }
        }
      }
      return bytes
    }
  }

  static let samplings = [(1, 1), (2, 1), (2, 2), (1, 2), (4, 1)]

  /// Expects a peak signal-to-noise ratio of at least 50 dB against the reference, or a loss of at
  /// most 0.3 dB more than that of the reference; both as mean square errors.
  private func expectTrue(
    _ form: JPEGForm, _ motif: Motif, thousandths: Int = 800
  ) throws {
    let original = form.bytes(motif.pixels(form.width, form.height))
    let before = try #require(ReadPicture(jpeg: original))
    let exact = Darkroom.sepia(all: before.channels, thousandths: thousandths)
    var pixels: [UInt8] = []
    for at in stride(from: 0, to: exact.count, by: 4) {
      for channel in 0..<3 { pixels.append(UInt8(exact[at + channel])) }
    }
    let reference = try #require(ReadPicture(jpeg: form.bytes(pixels)))
    let seen = try #require(
      ReadPicture(
        jpeg: try Darkroom.develop(original, .sepia(thousandths: thousandths)).bytes))
    #expect(seen.sampling == before.sampling && seen.tables == before.tables)
    let apart = Darkroom.meanSquareError(seen.channels, reference.channels)
    let lost = Darkroom.meanSquareError(seen.channels, exact)
    let lostAnyway = Darkroom.meanSquareError(reference.channels, exact)
    #expect(apart <= 0.65 || lost <= lostAnyway * 1.0715, "\(apart), \(lost), \(lostAnyway)")
  }

  @Test(arguments: samplings, Motif.allCases)
  func `a print is as true as decoding, formula and encoding`(
    _ sampling: (Int, Int), _ motif: Motif
  ) throws {
    try expectTrue(
      JPEGForm(width: 261, height: 253) { ($0.across, $0.down) = sampling }, motif)
  }

  @Test(arguments: samplings, [(1301, 51), (256, 256), (5, 13_200), (65_500, 2)])
  func `pictures of any size are true at their edges`(_ sampling: (Int, Int), _ size: (Int, Int))
    throws
  {
    try expectTrue(
      JPEGForm(width: size.0, height: size.1) { ($0.across, $0.down) = sampling }, .highlights)
  }

  @Test(arguments: [30, 100]) func `prints with coarse and fine tables are true`(_ quality: Int)
    throws
  {
    for motif in [Motif.highlights, .saturated] {
      try expectTrue(JPEGForm(width: 260, height: 260) { $0.quality = quality }, motif)
    }
  }

  @Test(arguments: samplings)
  func `every processor makes the same bytes`(_ sampling: (Int, Int)) throws {
    for motif in Motif.allCases {
      let form = JPEGForm(width: 261, height: 253) { ($0.across, $0.down) = sampling }
      let original = form.bytes(motif.pixels(form.width, form.height))
      let print = try Darkroom.develop(original).bytes
      for vectors in ColourMatrix.Vectors.allCases {
        ColourMatrix.use(atMost: vectors)
        defer { ColourMatrix.use(atMost: .avx512) }
        #expect(try Darkroom.develop(original).bytes == print, "\(motif), \(vectors)")
      }
    }
  }

  @Test func `a large JPEG cut anywhere fails`() throws {
    let form = JPEGForm(width: 261, height: 253)
    let original = form.bytes(Motif.noise.pixels(form.width, form.height))
    for share in 1..<5 {
      let cut = Array(original.prefix(original.count * share / 5))
      #expect(try Darkroom.code(cut) == "jpeg.truncated")
    }
  }

  @Test(arguments: [0, 400, 1000]) func `prints with any amount are true`(_ thousandths: Int)
    throws
  {
    let form = JPEGForm(width: 260, height: 260) { $0.quality = 100 }
    try expectTrue(form, .highlights, thousandths: thousandths)
    try expectTrue(form, .gradient, thousandths: thousandths)
  }
}
