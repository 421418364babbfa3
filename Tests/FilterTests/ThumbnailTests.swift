// SPDX-License-Identifier: Apache-2.0
// Thumbnails from the rows that are filtered: their size, colours and orientation against those of the print, and the
// cases without one.

import Codecs
import Filter
import Linux
import Support
import Testing
import Vocabulary

struct ThumbnailTests {
  private struct Made {
    let print: ReadPicture
    let picture: ReadPicture
    let thumbnail: Thumbnail
    let bytes: [UInt8]
  }

  private static func make(
    _ original: [UInt8], isPNG: Bool = false, height: UInt16 = 240
  ) throws -> Made {
    let (print, file) = (
      try ScratchFile.make(), try ScratchFile.make([UInt8](repeating: 7, count: 1 << 20))
    )
    let developed = try PictureFilter.develop(
      original: try ScratchFile.make(original), print: print, function: .standard,
      thumbnail: Thumbnail.Order(file: file, height: height))
    let bytes = try ScratchFile.bytes(of: file)
    let whole = try ScratchFile.bytes(of: print)
    return Made(
      print: try #require(isPNG ? ReadPicture(png: whole) : ReadPicture(jpeg: whole)),
      picture: try #require(ReadPicture(jpeg: bytes)),
      thumbnail: try #require(developed.thumbnail), bytes: bytes)
  }

  /// The mean of an area of a print in 8 bits, over white.
  private static func mean(
    _ picture: ReadPicture, _ left: Double, _ top: Double, _ right: Double, _ bottom: Double
  ) -> [Double] {
    let most = picture.depth == 16 ? 65535.0 : 255.0
    let across = Int(left * Double(picture.width))..<max(Int(right * Double(picture.width)), 1)
    let down = Int(top * Double(picture.height))..<max(Int(bottom * Double(picture.height)), 1)
    var sums = [0.0, 0.0, 0.0]
    for y in down {
      for x in across {
        let at = (y * picture.width + x) * 4
        let alpha = Double(picture.channels[at + 3]) / most
        for channel in 0..<3 {
          sums[channel] +=
            Double(picture.channels[at + channel]) / most * 255 * alpha + 255 * (1 - alpha)
        }
      }
    }
    return sums.map { $0 / Double(across.count * down.count) }
  }

  /// The largest difference between the means of 12 x 8 parts.
  private static func difference(_ one: ReadPicture, _ other: ReadPicture) -> Double {
    var most = 0.0
    for y in 0..<8 {
      for x in 0..<12 {
        let (left, top) = (Double(x) / 12, Double(y) / 8)
        let a = mean(one, left, top, left + 1.0 / 12, top + 0.125)
        let b = mean(other, left, top, left + 1.0 / 12, top + 0.125)
        most = max(most, zip(a, b).map { abs($0 - $1) }.max() ?? 0)
      }
    }
    return most
  }

  // MARK: sizes and colours

  @Test(arguments: [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2)])
  func `a JPEG of any sampling has a thumbnail with the colours of its print`(
    across: Int, down: Int
  ) throws {
    let form = JPEGForm(width: 1101, height: 735) { ($0.across, $0.down) = (across, down) }
    let made = try Self.make(form.bytes(SamplePictures.pixels(width: 1101, height: 735)))
    #expect(made.picture.width == 360 && made.picture.height == 240)
    #expect(made.thumbnail.width == 360 && made.thumbnail.height == 240)
    #expect(Self.difference(made.print, made.picture) < 6)
    #expect(made.bytes.count < 40_000)
  }

  @Test(arguments: [
    (3000, 2000, 240, 360, 240), (3000, 2000, 480, 720, 480), (100, 80, 240, 100, 80),
    (300, 241, 240, 299, 240), (5000, 300, 240, 960, 58), (40, 4000, 240, 2, 240),
    (1, 1, 240, 1, 1),
    (65500, 2, 240, 960, 1), (2, 65500, 240, 1, 240),
  ])
  func `a thumbnail has the height that is wanted, and is never larger than the picture`(
    width: Int, height: Int, wanted: Int, wide: Int, high: Int
  ) throws {
    let made = try Self.make(
      SamplePictures.jpeg(width: width, height: height), height: UInt16(wanted))
    #expect(made.picture.width == wide && made.picture.height == high)
    #expect(Int(made.thumbnail.width) == wide && Int(made.thumbnail.height) == high)
  }

  @Test func `grey, inks and progressive pictures have one, too`() throws {
    let grey = JPEGForm(width: 640, height: 480) { $0.components = 1 }
    let pixels = SamplePictures.pixels(width: 640, height: 480)
    let light = (0..<(640 * 480)).map { pixels[$0 * 3] }
    #expect(Self.difference2(try Self.make(grey.bytes(light))) < 6)
    let progressive = JPEGForm(width: 640, height: 480) { $0.isProgressive = true }
    #expect(Self.difference2(try Self.make(progressive.bytes(pixels))) < 6)
    let inks = JPEGForm(width: 640, height: 480) { ($0.components, $0.isAdobe) = (4, true) }
    var four: [UInt8] = []
    for at in stride(from: 0, to: pixels.count, by: 3) {
      four += pixels[at..<(at + 3)]
      four.append(255)
    }
    #expect(Self.difference2(try Self.make(inks.bytes(four))) < 6)
  }

  private static func difference2(_ made: Made) -> Double { difference(made.print, made.picture) }

  @Test(arguments: [false, true])
  func `a PNG has a thumbnail over white`(isInterlaced: Bool) throws {
    for (colour, depth) in [(PNGForm.Colour.rgba, 8), (.rgba, 16), (.rgb, 8), (.grey, 8)] {
      let form = PNGForm(width: 500, height: 400) {
        ($0.colour, $0.depth, $0.isInterlaced) = (colour, depth, isInterlaced)
      }
      let count = 500 * 400 * form.channels * depth / 8
      let source = SamplePictures.pixels(width: 500, height: 400)
      let made = try Self.make(
        form.bytes((0..<count).map { source[$0 % source.count] }), isPNG: true)
      #expect(made.picture.width == 300 && made.picture.height == 240)
      #expect(Self.difference2(made) < 6, "\(colour) \(depth)")
    }
  }

  @Test(arguments: [1, 2, 4, 8])
  func `a palette is shown by its colours and their transparency`(depth: Int) throws {
    let form = PNGForm(width: 640, height: 400) {
      $0.colour = .palette
      $0.depth = depth
      for entry in 0..<(1 << depth) {
        $0.palette += [UInt8(entry * 255 / (1 << depth)), UInt8(entry * 37 % 256), 90]
      }
      $0.paletteAlpha = [0, 128]
    }
    let rows = SamplePictures.pixels(width: 640, height: 400)
    let made = try Self.make(
      form.bytes(Array(rows.prefix((640 * depth + 7) / 8 * 400))), isPNG: true)
    #expect(made.picture.width == 384)
    // Noise of single pixels in strong colours: JPEG's chroma has half the columns and rows.
    #expect(Self.difference2(made) < 12)
  }

  // MARK: orientation

  /// Red above left, green above right, blue below left, white below right, as the picture is shown.
  @Test(arguments: 1...8)
  func `a thumbnail is turned as the orientation says`(orientation: Int) throws {
    let (width, height) = (480, 320)
    var pixels: [UInt8] = []
    let colours: [[UInt8]] = [[220, 40, 40], [40, 200, 40], [40, 40, 220], [250, 250, 250]]
    for y in 0..<height {
      for x in 0..<width { pixels += colours[(y >= height / 2 ? 2 : 0) + (x >= width / 2 ? 1 : 0)] }
    }
    // The quarters of the file, in the order in which the orientation shows them.
    let shown = [
      [0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1], [0, 2, 1, 3], [2, 0, 3, 1],
      [3, 1, 2, 0], [1, 3, 0, 2],
    ][orientation - 1]
    let exif = Array("Exif\0\0".utf8) + ExifTree([(0x112, .short(orientation))]).bytes()
    let size = exif.count + 2
    let segment = [0xFF, 0xE1, UInt8(size >> 8), UInt8(size & 255)] + exif
    let plain = JPEGForm(width: width, height: height) { ($0.across, $0.down) = (1, 1) }
      .bytes(pixels)
    let made = try Self.make(Array(plain.prefix(2)) + segment + plain.dropFirst(2))
    let turns = orientation >= 5
    #expect(made.picture.width == (turns ? 160 : 360) && made.picture.height == 240)
    for (place, quarter) in shown.enumerated() {
      let (left, top) = (place % 2 == 0 ? 0.1 : 0.6, place < 2 ? 0.1 : 0.6)
      let seen = Self.mean(made.picture, left, top, left + 0.3, top + 0.3)
      let (x, y) = (quarter % 2 == 0 ? 0.1 : 0.6, quarter < 2 ? 0.1 : 0.6)
      let wanted = Self.mean(made.print, x, y, x + 0.3, y + 0.3)
      #expect(zip(seen, wanted).allSatisfy { abs($0 - $1) < 4 })
    }
    let corner = made.thumbnail.grid.colour(0, 0)
    let mean = Self.mean(made.picture, 0, 0, 0.24, 0.3)
    #expect(abs(Double(corner.red) * 17 - mean[0]) < 12)
    #expect(abs(Double(corner.blue) * 17 - mean[2]) < 12)
  }

  @Test func `a PNG is turned by its EXIF`() throws {
    let chunk = PNGForm.chunk("eXIf", ExifTree([(0x112, .short(6))]).bytes())
    let original = PNGForm.splice(chunk, into: SamplePictures.png(width: 480, height: 320))
    let made = try Self.make(original, isPNG: true)
    #expect(made.picture.width == 160 && made.picture.height == 240)
  }

  // MARK: metadata

  @Test func `a thumbnail has no metadata but a small profile that is not sRGB`() throws {
    let meta = MetadataTests()
    func markers(_ profile: [UInt8]) throws -> [UInt8] {
      let exif = Array("Exif\0\0".utf8) + ExifTree([(0x10F, .text("Camera"))]).bytes()
      let segments =
        meta.segment(0xE1, exif) + meta.segment(0xFE, Array("a comment".utf8))
        + meta.segment(0xE2, Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile)
      return meta.segments(of: try Self.make(meta.jpeg(with: segments)).bytes).map(\.marker)
    }
    var profile = [UInt8](repeating: 0, count: 400)
    #expect(try markers(profile) == [0xE0])
    profile.replaceSubrange(16..<20, with: "RGB ".utf8)
    #expect(try markers(profile) == [0xE0, 0xE2])
    profile.replaceSubrange(200..<204, with: "sRGB".utf8)
    #expect(try markers(profile) == [0xE0])
    var wide = [UInt8](repeating: 0, count: 400)
    wide.replaceSubrange(16..<20, with: "RGB ".utf8)
    wide.replaceSubrange(200..<208, with: "s\0R\0G\0B\0".utf8)
    #expect(try markers(wide) == [0xE0])
    #expect(
      try markers(
        [UInt8](repeating: 0, count: 16) + "RGB ".utf8 + [UInt8](repeating: 9, count: 6000)) == [
          0xE0
        ])
  }

  // MARK: trouble

  @Test func `a thumbnail that cannot be written leaves the print as it is`() throws {
    let original = SamplePictures.jpeg(width: 640, height: 480)
    let plain = try Darkroom.develop(original)
    let print = try ScratchFile.make()
    // A device that is always full.
    let full = try LinuxFolder.open(path: "/dev").open(FileName(literal: "full"), .write)
    let developed = try PictureFilter.develop(
      original: try ScratchFile.make(original), print: print, function: .standard,
      thumbnail: Thumbnail.Order(file: full, height: 240))
    #expect(developed == plain.developed)
    #expect(developed.thumbnail == nil)
    #expect(try ScratchFile.bytes(of: print) == plain.bytes)
  }

  @Test func `a print is the same with a thumbnail and without`() throws {
    for original in [
      SamplePictures.jpeg(width: 700, height: 500), SamplePictures.png(width: 300, height: 200),
    ] {
      let (print, file) = (try ScratchFile.make(), try ScratchFile.make())
      _ = try PictureFilter.develop(
        original: try ScratchFile.make(original), print: print, function: .standard,
        thumbnail: Thumbnail.Order(file: file, height: 480))
      #expect(try ScratchFile.bytes(of: print) == Darkroom.develop(original).bytes)
    }
  }

  @Test func `a thumbnail is the same on every processor`() throws {
    let original = SamplePictures.jpeg(width: 901, height: 601)
    defer { ColourMatrix.use(atMost: .avx512) }
    var made: Set<[UInt8]> = []
    for vectors in ColourMatrix.Vectors.allCases {
      ColourMatrix.use(atMost: vectors)
      made.insert(try Self.make(original).bytes)
    }
    #expect(made.count == 1)
  }

  @Test func `a grid keeps four bits of each colour`() {
    let grid = ColourGrid((0..<36).map { UInt8($0 * 7) })
    #expect(grid.packed.count == ColourGrid.size)
    #expect(ColourGrid(packed: grid.packed) == grid)
    #expect(ColourGrid(packed: [1, 2, 3]) == nil)
    let last = grid.colour(3, 2)
    #expect(last.red == 14 && last.green == 14 && last.blue == 14)
    #expect(grid.colour(0, 0) == (0, 0, 1))
    #expect(ColourGrid([255, 0, 128]).colour(0, 0) == (15, 0, 8))
  }
}
