// SPDX-License-Identifier: Apache-2.0
// JPEGs of every supported form become baseline prints of the same sampling and tables, true to the
// formula.

import Filter
import Support
import Testing
import Vocabulary

struct JPEGTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let form: JPEGForm

    init(
      _ words: String, width: Int = 61, height: Int = 47,
      _ change: (inout JPEGForm) -> Void = { _ in }
    ) {
      testDescription = words
      form = JPEGForm(width: width, height: height, change)
    }
  }

  static let colours = [
    Case("4:2:0"),
    Case("4:4:4") { ($0.across, $0.down) = (1, 1) },
    Case("4:2:2") { ($0.across, $0.down) = (2, 1) },
    Case("4:4:0") { ($0.across, $0.down) = (1, 2) },
    Case("4:1:1") { ($0.across, $0.down) = (4, 1) },
    Case("4:1:0") { ($0.across, $0.down) = (4, 2) },
    Case("progressive") { $0.isProgressive = true },
    Case("a scan a component") { $0.isSplit = true },
    Case("arithmetic coding") { $0.isArithmetic = true },
    Case("arithmetic coding, progressive") { ($0.isArithmetic, $0.isProgressive) = (true, true) },
    Case("arithmetic coding, restart markers") { ($0.isArithmetic, $0.restartRows) = (true, 1) },
    Case("restart markers") { $0.restartRows = 1 },
    Case("coarse tables") { $0.quality = 20 },
    Case("finest tables") { $0.quality = 100 },
    Case("1 x 1", width: 1, height: 1),
    Case("1 wide", width: 1, height: 33),
    Case("7 x 3", width: 7, height: 3),
    Case("as wide as can be", width: 65500, height: 2),
    Case("many bands", width: 32, height: 500),
  ]

  @Test(arguments: colours) func `a print looks like one of the exact formula`(_ example: Case)
    throws
  {
    let form = example.form
    let pixels = SamplePictures.pixels(width: form.width, height: form.height)
    let original = form.bytes(pixels)
    let print = try Darkroom.develop(original)
    let seen = try #require(ReadPicture(jpeg: print.bytes))
    let before = try #require(ReadPicture(jpeg: original))

    #expect(seen.width == form.width && seen.height == form.height)
    #expect(print.developed.width == UInt32(form.width))
    #expect(print.developed.size == UInt64(print.bytes.count))
    #expect(!seen.isProgressive && seen.components == 3)
    #expect(seen.sampling == before.sampling)
    #expect(seen.tables == before.tables)

    var plain = form
    (plain.isProgressive, plain.isSplit, plain.restartRows) = (false, false, 0)
    plain.isArithmetic = false
    let exact = Darkroom.sepia(all: before.channels)
    let reference = try #require(ReadPicture(jpeg: plain.bytes(rgb(exact))))
    #expect(Darkroom.meanSquareError(seen.channels, reference.channels) <= 0.65)
  }

  @Test func `a grey JPEG becomes a print in colour`() throws {
    let form = JPEGForm(width: 50, height: 40) { $0.components = 1 }
    let grey = stride(from: 0, to: 6000, by: 3).map {
      SamplePictures.pixels(width: 50, height: 40)[$0]
    }
    let original = form.bytes(grey)
    let before = try #require(ReadPicture(jpeg: original))
    let seen = try #require(ReadPicture(jpeg: try Darkroom.develop(original).bytes))
    #expect(seen.components == 3)
    #expect(seen.sampling == [[1, 1], [1, 1], [1, 1]])
    #expect(seen.tables[0] == before.tables[0])
    #expect(Darkroom.meanSquareError(seen.channels, Darkroom.sepia(all: before.channels)) < 12)
  }

  @Test func `a JPEG stored as red, green and blue is developed`() throws {
    let form = JPEGForm(width: 40, height: 30) { ($0.isRGB, $0.across, $0.down) = (true, 1, 1) }
    let original = form.bytes(SamplePictures.pixels(width: 40, height: 30))
    let before = try #require(ReadPicture(jpeg: original))
    let seen = try #require(ReadPicture(jpeg: try Darkroom.develop(original).bytes))
    #expect(Darkroom.meanSquareError(seen.channels, Darkroom.sepia(all: before.channels)) < 12)
  }

  @Test(arguments: [(true, false), (true, true), (false, false)])
  func `four inks become RGB, inverted or not`(_ isAdobe: Bool, _ isYCCK: Bool) throws {
    let size = 32
    let form = JPEGForm(width: size, height: size) {
      ($0.components, $0.isAdobe, $0.isYCCK, $0.quality) = (4, isAdobe, isYCCK, 100)
      ($0.across, $0.down) = (1, 1)
    }
    let light: [UInt16] = [200, 120, 60]
    let black: UInt16 = 204
    // As stored: Adobe's files hold light, others hold ink.
    let stored = (light + [black]).map { UInt8(isAdobe ? $0 : 255 - $0) }
    let original = form.bytes((0..<(size * size)).flatMap { _ in stored })
    let expected = Darkroom.sepia(light.map { $0 * black / 255 } + [255], thousandths: 800)
    let print = try Darkroom.develop(original)
    let seen = try #require(ReadPicture(jpeg: print.bytes))
    #expect(seen.components == 3)
    for (at, value) in seen.channels.enumerated() {
      #expect(abs(Int(value) - Int(expected[at % 4])) <= 4)
    }
  }

  @Test func `a given quality replaces the tables of the original`() throws {
    let original = SamplePictures.jpeg(width: 64, height: 64)
    let coarse = try Darkroom.develop(original, quality: 30)
    let form = JPEGForm(width: 8, height: 8) { $0.quality = 30 }
    let wanted = ReadPicture(jpeg: form.bytes(SamplePictures.pixels(width: 8, height: 8)))
    #expect(ReadPicture(jpeg: coarse.bytes)?.tables == wanted?.tables)
    #expect(coarse.bytes.count < (try Darkroom.develop(original).bytes.count))
  }

  @Test func `the same picture gives the same bytes`() throws {
    let original = SamplePictures.jpeg(width: 123, height: 77)
    #expect(try Darkroom.develop(original).bytes == Darkroom.develop(original).bytes)
    #expect(SamplePictures.jpeg(width: 123, height: 77) == original)
  }

  @Test(arguments: [0xC3, 0xC5, 0xC7, 0xCB, 0xCF])
  func `unsupported codings are named`(_ marker: UInt8) throws {
    var original = SamplePictures.jpeg(width: 16, height: 16)
    let frame = try #require(
      original.indices.dropLast(1).first {
        original[$0] == 0xFF && original[$0 + 1] == 0xC0
      })
    original[frame + 1] = marker
    let failure = try #require(throws: Failure.self) { try Darkroom.develop(original) }
    #expect(failure.code == "jpeg.unsupported" && failure.kind == .final)
    #expect(failure.reason.contains("coding"))
  }

  @Test func `12 bits a sample are named as unsupported`() throws {
    var original = SamplePictures.jpeg(width: 16, height: 16)
    let frame = try #require(
      original.indices.dropLast(1).first {
        original[$0] == 0xFF && original[$0 + 1] == 0xC0
      })
    original[frame + 4] = 12
    let deep = try #require(throws: Failure.self) { try Darkroom.develop(original) }
    #expect(deep.code == "jpeg.unsupported")
    #expect(
      deep.reason
        == "this JPEG cannot be developed: it has 12 bits per sample; only 8 are supported")
  }

  private func rgb(_ channels: [UInt16]) -> [UInt8] {
    stride(from: 0, to: channels.count, by: 4).flatMap { at in
      channels[at..<(at + 3)].map { UInt8($0) }
    }
  }
}
