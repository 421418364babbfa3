// SPDX-License-Identifier: Apache-2.0
// The metadata that the rules strip and copyright keep. Neither turns a print or changes its
// colours.

import Support
import Testing
import Vocabulary

@testable import Filter

struct RuleTests {
  private let meta = MetadataTests()
  private let png = ChunkTests()

  private static let exif = ExifTree(
    [
      (0x10F, .text("Camera")), (0x112, .short(6)), (0x132, .text("2025:11:21 08:05:45")),
      (0x13B, .text("M. B.")), (0x8298, .text("(c)")),
      (0x8825, .folders([ExifTree([(1, .text("N"))])], type: 4)),
    ], next: ExifTree([(0x201, .picture(SamplePictures.jpeg(width: 8, height: 8)))]))

  private static let packet = """
    <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description \
    xmlns:dc='http://purl.org/dc/elements/1.1/' exif:GPSLatitude='59,9N'>
    <dc:creator><rdf:Seq><rdf:li>M. B.</rdf:li><rdf:li>Ann &amp; Bo</rdf:li></rdf:Seq></dc:creator>
    <dc:rights><rdf:Alt><rdf:li xml:lang='x-default'>© M. B.</rdf:li>\
    <rdf:li xml:lang="no">Å</rdf:li></rdf:Alt></dc:rights>
    <dc:subject><rdf:Bag><rdf:li>harbour</rdf:li></rdf:Bag></dc:subject>
    </rdf:Description></rdf:RDF></x:xmpmeta>
    """

  private static func field(_ number: UInt8, _ text: String, record: UInt8 = 2) -> [UInt8] {
    [0x1C, record, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private static let captions = [
    field(90, "\u{1B}%G", record: 1), field(5, "harbour"), field(55, "20251121"),
    field(80, "M. B."),
    field(110, "Agency"), field(116, "(c) M. B."), field(120, "a caption"),
  ]

  private func exif(_ bytes: some Sequence<UInt8>) throws -> (view: ExifView, first: Int) {
    let view = try #require(ExifView(Array(bytes)))
    return (view, try #require(view.first))
  }

  @Test(arguments: [true, false])
  func `strip leaves the orientation, or nothing of EXIF`(_ isLittle: Bool) throws {
    let name = Array("Exif\0\0".utf8)
    let (developed, all) = try meta.carried(
      0xE1, name + Self.exif.bytes(isLittle: isLittle), .strip)
    #expect(developed.notices == [])
    let (view, first) = try exif(try #require(all.first).dropFirst(6))
    #expect(view.entries(of: first).map(\.tag) == [0x112])
    #expect(view.numbers(0x112, of: first) == [6] && view.isLittle == isLittle)
    #expect(all.first?.count == 32)

    for upright in [ExifTree([(0x112, .short(1))]), ExifTree([(0x10F, .text("Camera"))])] {
      #expect(try meta.carried(0xE1, name + upright.bytes(), .strip).1 == [])
    }
    #expect(try meta.carried(0xE1, name + [1, 2, 3], .strip).1 == [])
  }

  @Test func `strip keeps profile and density, and gives no notice of what it removes`() throws {
    let all: [(UInt8, [UInt8])] =
      MetadataTests.kept + [
        (0xE0, Array("JFXX\0".utf8) + [0x10, 0xAB]), (0xE2, Array("MPF\0".utf8) + [0xAB]),
        (0xE5, [1, 2, 3]),
      ]
    var original = meta.jpeg(with: all.flatMap { meta.segment($0.0, $0.1) })
    original.replaceSubrange(13..<18, with: [1, 1, 44, 0, 150])
    let print = try Darkroom.develop(original, metadata: .strip)
    let found = meta.segments(of: print.bytes)
    #expect(found.map { $0.marker } == [0xE0, 0xE1, 0xE2])
    #expect(found[0].bytes[7..<12] == [1, 1, 44, 0, 150])
    #expect(found[2].bytes == MetadataTests.profile("RGB "))
    #expect(print.developed.notices == [])
  }

  @Test(arguments: [MetadataRule.strip, .copyright])
  func `a profile of another colour space gives a notice under every rule`(_ rule: MetadataRule)
    throws
  {
    let profile = meta.segment(0xE2, MetadataTests.profile("GRAY"))
    let grey = meta.jpeg(with: profile) { $0.components = 1 }
    #expect(try Darkroom.develop(grey, metadata: rule).developed.notices == .profileDropped)
  }

  @Test func `the pixels are the same under every rule`() throws {
    let original = meta.jpeg(with: MetadataTests.kept.flatMap { meta.segment($0.0, $0.1) })
    let kept = try #require(ReadPicture(jpeg: try Darkroom.develop(original).bytes))
    for rule in [MetadataRule.strip, .copyright] {
      let print = try Darkroom.develop(original, metadata: rule)
      #expect(ReadPicture(jpeg: print.bytes)?.channels == kept.channels)
    }
  }

  @Test(arguments: [true, false])
  func `copyright keeps artist, copyright and orientation from EXIF`(_ isLittle: Bool) throws {
    let original = Array("Exif\0\0".utf8) + Self.exif.bytes(isLittle: isLittle)
    let (developed, all) = try meta.carried(0xE1, original, .copyright)
    #expect(developed.notices == [])
    let (view, first) = try exif(try #require(all.first).dropFirst(6))
    #expect(view.entries(of: first).map(\.tag) == [0x112, 0x13B, 0x8298])
    #expect(view.numbers(0x112, of: first) == [6])
    #expect(view.text(0x13B, of: first, limit: 99) == Array("M. B.".utf8))
    #expect(view.text(0x8298, of: first, limit: 99) == Array("(c)".utf8))
    #expect(view.number(try #require(view.link(of: first)), 4) == 0)
  }

  @Test func `copyright keeps byline, credit and copyright from IPTC`() throws {
    let name = Array("Photoshop 3.0\0".utf8)
    let mark = MetadataTests.resource(1034, [1])
    let all =
      MetadataTests.resource(1005, [1, 2]) + mark
      + MetadataTests.resource(1028, Self.captions.flatMap { $0 })
      + MetadataTests.resource(1036, MetadataTests.thumbnail)
    let (developed, found) = try meta.carried(0xED, name + all, .copyright)
    let wanted = [0, 3, 4, 5].flatMap { Self.captions[$0] }
    #expect(found == [name + mark + MetadataTests.resource(1028, wanted)])
    #expect(developed.notices == [])

    let nobody = MetadataTests.resource(1028, Self.captions[0] + Self.captions[1])
    #expect(try meta.carried(0xED, name + nobody, .copyright).1 == [])
    let torn = try meta.carried(0xED, name + [1, 2, 3], .copyright)
    #expect(torn.1 == [] && torn.0.notices == .metadataDropped)
  }

  @Test func `copyright keeps creators and rights from XMP`() throws {
    let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    let (developed, all) = try meta.carried(0xE1, name + Array(Self.packet.utf8), .copyright)
    #expect(developed.notices == [])
    let text = String(decoding: try #require(all.first).dropFirst(name.count), as: UTF8.self)
    #expect(
      text.contains(
        "<dc:creator><rdf:Seq><rdf:li>M. B.</rdf:li><rdf:li>Ann &amp; Bo</rdf:li>"
          + "</rdf:Seq></dc:creator>"))
    #expect(
      text.contains(
        "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">© M. B.</rdf:li>"
          + "<rdf:li xml:lang=\"no\">Å</rdf:li></rdf:Alt></dc:rights>"))
    #expect(!text.contains("harbour") && !text.contains("GPS"))
    #expect(text.hasPrefix("<?xpacket begin=") && text.hasSuffix("<?xpacket end=\"w\"?>"))
  }

  @Test(
    arguments: [
      "<a/>", "<dc:creator>x</dc:creator>",
      "xmlns:dc='http://purl.org/dc/elements/1.1/'<dc:creator><rdf:li>&who;</rdf:li></dc:creator>",
      "xmlns:dc='http://purl.org/dc/elements/1.1/'<dc:creator><rdf:li>a",
    ])
  func `XMP without a name, or with one that cannot be copied, is left out`(_ text: String)
    throws
  {
    let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    #expect(try meta.carried(0xE1, name + Array(text.utf8), .copyright).1 == [])
  }

  @Test func `both rules remove comments and extended XMP`() throws {
    for rule in [MetadataRule.strip, .copyright] {
      #expect(try meta.carried(0xFE, Array("by hand".utf8), rule).1 == [])
      let extended = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
      let piece = extended + [UInt8](repeating: 48, count: 90)
      #expect(try meta.carried(0xE1, piece, rule).1 == [])
    }
  }

  // MARK: PNG

  private func everything() -> [UInt8] {
    var all = DamageTests.png
    for (name, bytes) in [
      ("tEXt", Array("Comment\0a harbour".utf8)), ("tEXt", Array("Author\0M. B.".utf8)),
      ("zTXt", Array("Copyright\0\0".utf8) + TextTests.deflated([0x63])),
      ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0\(Self.packet)".utf8)),
      ("eXIf", Self.exif.bytes()), ("pHYs", [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1]),
      ("sRGB", [0]), ("xyZz", [1]),
    ] { all = PNGForm.splice(PNGForm.chunk(name, bytes), into: all) }
    return all
  }

  private func carried(_ rule: MetadataRule) throws -> [String: [UInt8]] {
    let print = try Darkroom.develop(everything(), metadata: rule)
    #expect(ReadPicture(png: print.bytes) != nil)
    #expect(print.developed.notices == [])
    let chunks = png.chunks(of: print.bytes).filter { !["IHDR", "IDAT", "IEND"].contains($0.name) }
    return Dictionary(chunks.map { ($0.name, $0.bytes) }) { first, _ in first }
  }

  @Test func `a stripped PNG keeps orientation, colours and density`() throws {
    let found = try carried(.strip)
    #expect(found.keys.sorted() == ["eXIf", "pHYs", "sRGB"])
    let (view, first) = try exif(found["eXIf"] ?? [])
    #expect(view.entries(of: first).map(\.tag) == [0x112])
  }

  @Test func `copyright keeps the texts of a PNG that name a person`() throws {
    let found = try carried(.copyright)
    #expect(found.keys.sorted() == ["eXIf", "iTXt", "pHYs", "sRGB", "tEXt", "zTXt"])
    #expect(found["tEXt"] == Array("Author\0M. B.".utf8))
    #expect(found["zTXt"]?.starts(with: "Copyright\0".utf8) == true)
    let text = String(decoding: found["iTXt"] ?? [], as: UTF8.self)
    #expect(text.hasPrefix("XML:com.adobe.xmp\0\0\0\0\0<?xpacket") && text.contains("Ann &amp; Bo"))
    #expect(!text.contains("harbour"))
    let (view, first) = try exif(found["eXIf"] ?? [])
    #expect(view.entries(of: first).map(\.tag) == [0x112, 0x13B, 0x8298])
  }
}
