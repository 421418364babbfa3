// SPDX-License-Identifier: Apache-2.0
// PNGs of every form become RGB or RGBA prints of 8 or 16 bits, those with a palette become prints
// with a palette; every pixel equals the formula.

import Filter
import Support
import Testing
import Vocabulary

struct PNGTests {
  static let size = 37

  /// Random bytes, always the same.
  private func noise(_ count: Int) -> [UInt8] {
    var state: UInt32 = 7
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
  }

  private func rows(_ form: PNGForm) -> [UInt8] {
    noise((form.width * form.channels * form.depth + 7) / 8 * form.height)
  }

  /// The meaning of the file's samples, computed here from the rows alone.
  private func meant(_ form: PNGForm, _ rows: [UInt8]) -> [UInt16] {
    let rowSize = rows.count / form.height
    let most = form.depth == 16 ? 65535 : 255
    func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
      let bit = (x * form.channels + channel) * form.depth
      let byte = y * rowSize + bit / 8
      if form.depth == 16 { return Int(rows[byte]) << 8 | Int(rows[byte + 1]) }
      return Int(rows[byte]) >> (8 - form.depth - bit % 8) & ((1 << form.depth) - 1)
    }
    var out: [UInt16] = []
    for y in 0..<form.height {
      for x in 0..<form.width {
        let raw = (0..<form.channels).map { sample(x, y, $0) }
        out += pixel(form, raw, most).map { UInt16($0) }
      }
    }
    return out
  }

  private func pixel(_ form: PNGForm, _ raw: [Int], _ most: Int) -> [Int] {
    func wide(_ value: Int) -> Int {
      form.depth < 8 ? value * 255 / ((1 << form.depth) - 1) : value
    }
    let isKey = !form.key.isEmpty && raw == form.key.prefix(raw.count).map { Int($0) }
    let opaque = isKey ? 0 : most
    switch form.colour {
    case .grey: return [wide(raw[0]), wide(raw[0]), wide(raw[0]), opaque]
    case .greyAlpha: return [raw[0], raw[0], raw[0], raw[1]]
    case .rgb: return raw + [opaque]
    case .rgba: return raw
    case .palette:
      let alpha = raw[0] < form.paletteAlpha.count ? Int(form.paletteAlpha[raw[0]]) : 255
      return (0..<3).map { Int(form.palette[raw[0] * 3 + $0]) } + [alpha]
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let form: PNGForm

    init(_ words: String, _ change: (inout PNGForm) -> Void) {
      testDescription = words
      form = PNGForm(width: PNGTests.size, height: 23, change)
    }

    init(colour: PNGForm.Colour, depth: Int) {
      self.init("\(colour), \(depth) bits") {
        ($0.colour, $0.depth) = (colour, depth)
        if colour == .palette {
          $0.palette = (0..<(3 << depth)).map { UInt8(truncatingIfNeeded: $0 * 67 + 13) }
        }
      }
    }
  }

  static let forms: [Case] =
    [1, 2, 4, 8, 16].map { Case(colour: .grey, depth: $0) }
    + [1, 2, 4, 8].map { Case(colour: .palette, depth: $0) }
    + [8, 16].flatMap { depth in
      [PNGForm.Colour.rgb, .greyAlpha, .rgba].map { Case(colour: $0, depth: depth) }
    } + [
      Case("palette with alpha") {
        ($0.colour, $0.depth) = (.palette, 2)
        $0.palette = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]
        $0.paletteAlpha = [0, 128, 255]
      },
      Case("grey with a transparent value") { ($0.colour, $0.depth, $0.key) = (.grey, 4, [5]) },
      Case("one transparent colour") { $0.key = [0, 0, 0] },
      Case("one transparent colour of 16 bits") { ($0.depth, $0.key) = (16, [1, 2, 3]) },
    ]

  @Test(arguments: forms, [false, true])
  func `the print equals the formula in every pixel`(_ example: Case, _ isInterlaced: Bool) throws {
    var form = example.form
    form.isInterlaced = isInterlaced
    let rows = rows(form)
    let print = try Darkroom.develop(form.bytes(rows))
    let seen = try #require(ReadPicture(png: print.bytes))
    let most = form.depth == 16 ? 65535 : 255
    #expect(print.developed.format == .png)
    #expect(print.developed.size == UInt64(print.bytes.count))
    #expect(seen.width == form.width && seen.height == form.height)
    #expect(seen.depth == (form.depth == 16 ? 16 : 8))
    let isSolid =
      [.grey, .rgb, .palette].contains(form.colour) && form.paletteAlpha.isEmpty && form.key.isEmpty
    #expect(seen.hasAlpha == !isSolid)
    #expect(seen.indexDepth == (form.colour == .palette ? form.depth : 0))
    #expect(seen.channels == Darkroom.sepia(all: meant(form, rows), most: most))
  }

  @Test(arguments: [(1, 1), (1, 70), (3000, 1), (5, 600)])
  func `a print has the size of its original`(_ width: Int, _ height: Int) throws {
    let pixels = SamplePictures.pixels(width: width, height: height)
    let original = PNGForm(width: width, height: height).bytes(pixels)
    let seen = try #require(ReadPicture(png: try Darkroom.develop(original).bytes))
    #expect(seen.width == width && seen.height == height)
    #expect(seen.channels == Darkroom.sepia(all: Darkroom.channels(pixels)))
  }

  @Test func `the amount of the filter is the amount in the print`() throws {
    let pixels = SamplePictures.pixels(width: 20, height: 20)
    let original = PNGForm(width: 20, height: 20).bytes(pixels)
    for thousandths in [0, 300, 1000] {
      let print = try Darkroom.develop(original, .sepia(thousandths: thousandths))
      let expected = Darkroom.sepia(all: Darkroom.channels(pixels), thousandths: thousandths)
      #expect(ReadPicture(png: print.bytes)?.channels == expected)
    }
  }

  /// The rows are wider than deflate's window: only the filter of a row can express that it repeats
  /// the one above.
  @Test func `rows that repeat the row above take next to no room in the print`() throws {
    let (width, height) = (12_000, 8)
    let row = noise(width * 3)
    let original = PNGForm(width: width, height: height).bytes(
      Array(repeatElement(row, count: height).joined()))
    let print = try Darkroom.develop(original)
    #expect(print.bytes.count < row.count * 5 / 4)
  }

  @Test func `a palette of any length keeps its length, its depth and its transparency`() throws {
    for (depth, colours, alphas) in [(1, 1, 0), (2, 3, 2), (4, 9, 9), (8, 5, 1), (8, 256, 256)] {
      let form = PNGForm(width: Self.size, height: 23) {
        ($0.colour, $0.depth) = (.palette, depth)
        $0.palette = (0..<(3 * colours)).map { UInt8(truncatingIfNeeded: $0 * 67 + 13) }
        $0.paletteAlpha = (0..<alphas).map { UInt8(truncatingIfNeeded: $0 * 31) }
      }
      let rowSize = (form.width * depth + 7) / 8
      let rows = (0..<(rowSize * 23)).map { at in
        (0..<(8 / depth)).reduce(UInt8(0)) { $0 << UInt8(depth) | UInt8((at + $1) % colours) }
      }
      let print = try Darkroom.develop(form.bytes(rows))
      let seen = try #require(ReadPicture(png: print.bytes))
      #expect(seen.channels == Darkroom.sepia(all: meant(form, rows)))
      #expect(seen.indexDepth == depth && seen.hasAlpha == (alphas > 0))
      let chunk = PNGForm.chunk("tRNS", form.paletteAlpha)
      #expect(alphas == 0 || print.bytes.firstRange(of: chunk) != nil)
      #expect(print.bytes.firstRange(of: Array("PLTE".utf8)) != nil)
    }
  }

  /// libpng leaves the bits behind the last pixel of a row as they were in memory.
  @Test(arguments: [1, 2, 4], [false, true])
  func `the bits behind a row of a palette are the same in each print`(
    _ depth: Int, _ isInterlaced: Bool
  ) throws {
    let form = PNGForm(width: 137, height: 9) {
      ($0.colour, $0.depth, $0.isInterlaced) = (.palette, depth, isInterlaced)
      $0.palette = (0..<(3 << depth)).map { UInt8(truncatingIfNeeded: $0 * 67) }
    }
    let original = form.bytes(rows(form))
    defer { HeapFill.set(0) }
    let prints = try [0x5A, 0xA5].map { (byte: UInt8) in
      HeapFill.set(byte)
      return try Darkroom.develop(original).bytes
    }
    #expect(prints[0] == prints[1])
  }

  @Test func `a pixel with a colour outside the palette fails the picture`() throws {
    for depth in [2, 4, 8] {
      for isInterlaced in [false, true] {
        let form = PNGForm(width: 3, height: 3) {
          ($0.colour, $0.depth, $0.isInterlaced) = (.palette, depth, isInterlaced)
          $0.palette = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        }
        let rowSize = (3 * depth + 7) / 8
        let last: UInt8 = depth == 2 ? 0b00_00_11_00 : depth == 4 ? 0x30 : 3
        let rows = [UInt8](repeating: 0, count: rowSize * 3 - 1) + [last]
        let failure = try #require(throws: Failure.self) {
          try Darkroom.develop(form.bytes(rows))
        }
        #expect(failure.code == "png.damaged" && failure.reason.contains("not in its palette"))
        // The bits behind the last pixel of a row are not a pixel.
        guard depth == 2 else { continue }
        let beside = [UInt8](repeating: 0, count: rowSize * 3 - 1) + [0b00_00_00_11]
        #expect(try Darkroom.code(form.bytes(beside)) == nil)
      }
    }
  }

  @Test func `a gamma chunk stands before the palette in the print`() throws {
    let form = PNGForm(width: 4, height: 4) {
      ($0.colour, $0.palette) = (.palette, [1, 2, 3])
    }
    let original = PNGForm.splice(
      PNGForm.chunk("gAMA", [0, 0, 0xB1, 0x8F]), into: form.bytes([UInt8](repeating: 0, count: 16)))
    let print = try Darkroom.develop(original)
    #expect(ReadPicture(png: print.bytes) != nil)
    let gamma = try #require(print.bytes.firstRange(of: Array("gAMA".utf8)))
    let palette = try #require(print.bytes.firstRange(of: Array("PLTE".utf8)))
    #expect(gamma.lowerBound < palette.lowerBound)
  }
}
