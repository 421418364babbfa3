// SPDX-License-Identifier: Apache-2.0
// The metadata of a JPEG is copied byte for byte, without the previews in it.

import Filter
import Support
import Testing
import Vocabulary

struct MetadataTests {
  typealias Segment = (marker: UInt8, bytes: [UInt8])

  func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let size = bytes.count + 2
    return [0xFF, marker, UInt8(size >> 8), UInt8(size & 255)] + bytes
  }

  /// A JPEG with these segments behind the start marker and JFIF's segment.
  func jpeg(
    with segments: [UInt8], _ change: (inout JPEGForm) -> Void = { _ in }
  ) -> [UInt8] {
    let form = JPEGForm(width: 16, height: 16, change)
    let pixels = SamplePictures.pixels(width: 16, height: 16)
    let some = form.components == 3 ? pixels : Array(pixels.prefix(256 * form.components))
    let plain = form.bytes(some + [UInt8](repeating: 9, count: 256 * form.components - some.count))
    let head = plain[3] == 0xE0 ? 20 : 2
    return plain.prefix(head) + segments + plain.dropFirst(head)
  }

  /// All segments of application data or comments before the first scan.
  func segments(of jpeg: [UInt8]) -> [Segment] {
    var found: [Segment] = []
    var at = 2
    while at + 4 <= jpeg.count, jpeg[at] == 0xFF, jpeg[at + 1] != 0xDA {
      let size = Int(jpeg[at + 2]) << 8 | Int(jpeg[at + 3])
      let marker = jpeg[at + 1]
      if marker == 0xFE || 0xE0...0xEF ~= marker {
        found.append((marker, Array(jpeg[(at + 4)..<(at + 2 + size)])))
      }
      at += size + 2
    }
    return found
  }

  func carried(
    _ marker: UInt8, _ bytes: [UInt8], _ rule: MetadataRule = .keep
  ) throws -> (Developed, [[UInt8]]) {
    let print = try Darkroom.develop(jpeg(with: segment(marker, bytes)), metadata: rule)
    #expect(ReadPicture(jpeg: print.bytes) != nil)
    let all = segments(of: print.bytes).dropFirst().map { $0.bytes }
    return (print.developed, all)
  }

  /// The beginning of a JPEG in base64.
  static let letters = "/9j/4AAQ" + String(repeating: "SkZJRgABAQ&#xA;", count: 20)

  static let thumbnail = [UInt8](repeating: 0xAB, count: 100)

  static func profile(_ space: String) -> [UInt8] {
    Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 3, count: 16) + Array(space.utf8)
      + [UInt8](repeating: 5, count: 200)
  }

  static let kept: [(UInt8, [UInt8])] = [
    (0xE1, Array("Exif\0\0".utf8) + ExifSample(isLittle: true).bytes),
    (0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>Ålesund</x:xmpmeta>".utf8)),
    (0xE1, Array("http://ns.adobe.com/xmp/extension/\0".utf8) + [UInt8](repeating: 65, count: 90)),
    (0xE2, profile("RGB ")),
    (0xED, Array("Photoshop 3.0\0".utf8) + resource(1028, Array("a caption".utf8))),
    (0xFE, Array("made by hand".utf8)),
  ]

  static func resource(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    Array("8BIM".utf8) + [
      UInt8(number >> 8), UInt8(number & 255), 0, 0, 0, 0, 0, UInt8(bytes.count),
    ]
      + bytes + (bytes.count % 2 == 1 ? [0] : [])
  }

  @Test(arguments: kept)
  func `metadata of a JPEG is copied byte for byte`(_ marker: UInt8, _ bytes: [UInt8]) throws {
    let (developed, all) = try carried(marker, bytes)
    #expect(all == [bytes])
    #expect(developed.notices == [])
  }

  @Test func `several pieces keep their order, and density stays`() throws {
    var original = jpeg(with: Self.kept.flatMap { segment($0.0, $0.1) })
    original.replaceSubrange(13..<18, with: [1, 1, 44, 0, 150])
    let print = try Darkroom.develop(original)
    let found = segments(of: print.bytes)
    #expect(found.map { $0.marker } == [0xE0] + Self.kept.map { $0.0 })
    #expect(found[0].bytes[7..<12] == [1, 1, 44, 0, 150])
    #expect(found.dropFirst().map { $0.bytes } == Self.kept.map { $0.1 })
  }

  @Test func `a JPEG without JFIF's segment is printed without it`() throws {
    let plain = SamplePictures.jpeg(width: 16, height: 16)
    let bare: [UInt8] = plain.prefix(2) + segment(0xE1, Self.kept[0].1) + plain.dropFirst(20)
    let print = try Darkroom.develop(bare)
    #expect(segments(of: print.bytes).map { $0.marker } == [0xE1])
  }

  @Test(arguments: [false, true], [true, false])
  func `the preview in EXIF is removed, and all else stays in place`(
    _ isLittle: Bool, _ isAtEnd: Bool
  ) throws {
    let sample = ExifSample(isLittle: isLittle, thumbnail: Self.thumbnail, isAtEnd: isAtEnd)
    let (developed, all) = try carried(0xE1, Array("Exif\0\0".utf8) + sample.bytes)
    let exif = try #require(all.first)
    #expect(developed.notices == .previewRemoved)
    #expect(!exif.contains(0xAB))
    #expect(exif.dropFirst(6).starts(with: sample.firstDirectory))
    if isAtEnd { #expect(exif.count < sample.bytes.count - Self.thumbnail.count + 6) }
    if !isAtEnd { #expect(exif.suffix(4) == [1, 2, 3, 4]) }
  }

  @Test func `EXIF that leads in circles or nowhere does no harm`() throws {
    for link: UInt8 in [8, 9, 200, 255] {
      var circle = ExifSample(isLittle: true).bytes
      circle[ExifSample.linkOffset] = link
      _ = try carried(0xE1, Array("Exif\0\0".utf8) + circle)
    }
    let (developed, all) = try carried(0xE1, Array("Exif\0\0II*\0\u{7F}\u{7F}\u{7F}\u{7F}".utf8))
    #expect(all == [] && developed.notices == .metadataDropped)
  }

  @Test func `Photoshop's thumbnails are removed, its captions stay`() throws {
    let name = Array("Photoshop 3.0\0".utf8)
    let caption = Self.resource(1028, Array("odd".utf8))
    let all = name + Self.resource(1036, Self.thumbnail) + caption + Self.resource(1033, [0xAB])
    let (developed, found) = try carried(0xED, all)
    #expect(found == [name + caption] && developed.notices == .previewRemoved)

    // A resource that continues in the next segment.
    let whole = Self.resource(1036, Self.thumbnail) + caption
    let halves = segment(0xED, name + whole.prefix(60)) + segment(0xED, name + whole.dropFirst(60))
    let print = try Darkroom.develop(jpeg(with: halves))
    #expect(segments(of: print.bytes).dropFirst().map { $0.bytes } == [name + caption])

    let (torn, nothing) = try carried(0xED, name + [1, 2, 3])
    #expect(nothing == [] && torn.notices == .metadataDropped)
  }

  @Test func `thumbnails in XMP are cut out, the rest of the packet stays`() throws {
    let name = "http://ns.adobe.com/xap/1.0/\0"
    for (before, after) in [
      (
        "<a><xmpGImg:image>QUJD&#xA;</xmpGImg:image>b</a>",
        "<a><xmpGImg:image></xmpGImg:image>b</a>"
      ),
      ("<a xapGImg:image='QUJD' b='1'/>", "<a xapGImg:image='' b='1'/>"),
      ("<a><xmpGImg:image>QUJD", "<a><xmpGImg:image>"),
      (
        "<a><xmpGImg:image rdf:x='a>b' y=\"1\">QUJD</xmpGImg:image>b</a>",
        "<a><xmpGImg:image rdf:x='a>b' y=\"1\"></xmpGImg:image>b</a>"
      ),
      (
        "<xmpGImg:image><![CDATA[QUJD]]></xmpGImg:image><xmpGImg:format>JPEG</xmpGImg:format>",
        "<xmpGImg:image></xmpGImg:image><xmpGImg:format>JPEG</xmpGImg:format>"
      ),
      (
        "<xmpGImg:image><rdf:value>QUJD</rdf:value></xmpGImg:image>",
        "<xmpGImg:image></xmpGImg:image>"
      ),
      (
        "<a xmlns:g = 'http://ns.adobe.com/xap/1.0/g/img/'><g:image>QUJD</g:image></a>",
        "<a xmlns:g = 'http://ns.adobe.com/xap/1.0/g/img/'><g:image></g:image></a>"
      ),
      ("<a GImage:Data='\(Self.letters)'/>", "<a GImage:Data=''/>"),
    ] {
      let (developed, all) = try carried(0xE1, Array((name + before).utf8))
      #expect(all == [Array((name + after).utf8)])
      #expect(developed.notices == .previewRemoved)
    }
    for same in [
      "<xmpGImg:image/><xmpGImg:imageCount>3</xmpGImg:imageCount>", "<a b='/9j/4'/>",
      "<a b='https://x/9j/\(String(repeating: "a-", count: 99))'/>",
    ] {
      let (developed, all) = try carried(0xE1, Array((name + same).utf8))
      #expect(all == [Array((name + same).utf8)] && developed.notices == [])
    }
    let extended =
      Array("http://ns.adobe.com/xmp/extension/\0".utf8) + [UInt8](repeating: 48, count: 40)
    let (developed, all) = try carried(0xE1, extended + Array("<xmpGImg:image>QUJD".utf8))
    #expect(all == [] && developed.notices.contains(.previewRemoved))
  }

  @Test(
    arguments: [
      (0xE0, Array("JFXX\0".utf8) + [0x10, 0xAB]), (0xE2, Array("MPF\0".utf8) + [0xAB]),
    ] as [(UInt8, [UInt8])])
  func `previews in their own segments are removed`(_ marker: UInt8, _ bytes: [UInt8]) throws {
    let (developed, all) = try carried(marker, bytes)
    #expect(all == [] && developed.notices == .previewRemoved)
  }

  @Test func `profiles of another colour space are dropped with a notice`() throws {
    let grey = jpeg(with: segment(0xE2, Self.profile("GRAY"))) { $0.components = 1 }
    let inks = jpeg(with: segment(0xE2, Self.profile("CMYK"))) {
      ($0.components, $0.isAdobe) = (4, true)
    }
    for original in [grey, inks] {
      let print = try Darkroom.develop(original)
      #expect(print.developed.notices.contains(.profileDropped))
      #expect(!segments(of: print.bytes).contains { $0.marker == 0xE2 })
    }
  }
}
