// SPDX-License-Identifier: Apache-2.0
// The chunks of a PNG beside its pixels: copied byte for byte, without previews and foreign
// profiles.

import Filter
import Support
import Testing
import Vocabulary

struct ChunkTests {
  func chunks(of png: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    var found: [(String, [UInt8])] = []
    var at = 8
    while at + 12 <= png.count {
      let size = png[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: png[(at + 4)..<(at + 8)], as: UTF8.self)
      found.append((name, Array(png[(at + 8)..<(at + 8 + size)])))
      at += size + 12
    }
    return found
  }

  func carried(
    _ name: String, _ bytes: [UInt8], _ rule: MetadataRule = .keep,
    into png: [UInt8] = DamageTests.png
  ) throws -> (Developed, [[UInt8]]) {
    let original = PNGForm.splice(PNGForm.chunk(name, bytes), into: png)
    let print = try Darkroom.develop(original, metadata: rule)
    #expect(ReadPicture(png: print.bytes) != nil)
    return (print.developed, chunks(of: print.bytes).filter { $0.name == name }.map { $0.bytes })
  }

  static let kept: [(String, [UInt8])] = [
    ("eXIf", ExifSample(isLittle: false).bytes),
    ("pHYs", [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1]),
    ("gAMA", [0, 0, 0xB1, 0x8F]),
    ("sRGB", [0]),
    ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>".utf8)),
    ("tEXt", Array("Author\0M. B.".utf8)),
    ("tEXt", Array("Comment\0".utf8) + [UInt8](repeating: 65, count: 100_000)),
    ("zTXt", Array("Comment\0\0".utf8) + [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1]),
  ]

  @Test(arguments: kept)
  func `metadata of a PNG is copied byte for byte`(_ name: String, _ bytes: [UInt8]) throws {
    let (developed, all) = try carried(name, bytes)
    #expect(all == [bytes])
    #expect(developed.notices == [])
  }

  @Test func `a long text is copied in pieces`() throws {
    let text = Array("Comment\0".utf8) + [UInt8](repeating: 66, count: 3_000_000)
    let (developed, all) = try carried("tEXt", text)
    #expect(all.count == 1 && all.first?.count == text.count && all.first?.last == 66)
    #expect(developed.notices == [])
  }

  @Test func `chunks behind the pixels are copied, too`() throws {
    let text = PNGForm.chunk("tEXt", Array("Author\0M. B.".utf8))
    let png: [UInt8] = DamageTests.png.dropLast(12) + text + DamageTests.png.suffix(12)
    let print = try Darkroom.develop(png)
    #expect(chunks(of: print.bytes).map { $0.name }.prefix(2) == ["IHDR", "tEXt"])
  }

  /// Readers do not look at them there: before the pixels of the print they would change its colours or its size.
  @Test(arguments: ["gAMA", "iCCP", "sRGB", "cHRM", "cICP", "pHYs"])
  func `colours and density behind the pixels are not those of the picture`(
    _ name: String
  ) throws {
    let late = PNGForm.chunk(name, [0, 0, 0xB1, 0x8F, 0, 0, 0, 1, 1])
    let png: [UInt8] = DamageTests.png.dropLast(12) + late + DamageTests.png.suffix(12)
    let print = try Darkroom.develop(png)
    #expect(!chunks(of: print.bytes).contains { $0.name == name })
    #expect(print.developed.notices == .metadataDropped)
  }

  @Test func `behind the palette it is density alone`() throws {
    let form = PNGForm(width: 8, height: 8) { form in
      (form.colour, form.palette) = (.palette, [1, 2, 3, 4, 5, 6])
    }
    let png = form.bytes([UInt8](repeating: 1, count: 64))
    let parts = chunks(of: png)
    let place = 8 + parts.prefix { $0.name != "IDAT" }.reduce(0) { $0 + $1.bytes.count + 12 }
    let late = [("gAMA", [0, 0, 0xB1, 0x8F]), ("pHYs", [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1])]
      .flatMap { PNGForm.chunk($0.0, $0.1) }
    let print = try Darkroom.develop(png[..<place] + late + png[place...])
    let names = chunks(of: print.bytes).map { $0.name }
    #expect(names.contains("pHYs") && !names.contains("gAMA"))
  }

  @Test func `previews in chunks are removed`() throws {
    let sample = ExifSample(isLittle: true, thumbnail: MetadataTests.thumbnail)
    let (developed, all) = try carried("eXIf", sample.bytes)
    #expect(developed.notices == .previewRemoved)
    #expect(all.first?.contains(0xAB) == false)

    let packet = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
    let (cut, packets) = try carried("iTXt", packet + Array("<xmpGImg:image>QUJD<".utf8))
    #expect(packets == [packet + Array("<xmpGImg:image><".utf8)])
    #expect(cut.notices == .previewRemoved)
  }

  @Test(
    arguments: [
      ("zTXt", Array("Raw profile type exif\0\0xyz".utf8)),
      ("tEXt", Array("Raw profile type APP1\0xyz".utf8)),
      ("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0xyz".utf8)),
      ("acTL", [0, 0, 0, 1, 0, 0, 0, 0]),
      ("xyZz", [1, 2, 3]),
    ] as [(String, [UInt8])])
  func `a chunk that cannot be inspected is left out with a notice`(
    _ name: String, _ bytes: [UInt8]
  ) throws {
    let (developed, all) = try carried(name, bytes)
    #expect(all == [] && developed.notices == .metadataDropped)
  }

  @Test func `a grey profile does not get into a print in colour`() throws {
    let profile = Array("grey\0\0".utf8) + [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1]
    let form = PNGForm(width: 8, height: 8) { $0.colour = .grey }
    let (developed, all) = try carried(
      "iCCP", profile, into: form.bytes([UInt8](repeating: 5, count: 64)))
    #expect(all == [] && developed.notices == .profileDropped)
  }

  @Test func `a chunk that claims more bytes than the file has counts as cut off`() throws {
    var png = PNGForm.splice(PNGForm.chunk("tEXt", Array("a\0b".utf8)), into: DamageTests.png)
    png[34] = 0xFF
    #expect(try Darkroom.code(png) == "png.truncated")
  }
}
