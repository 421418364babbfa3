// SPDX-License-Identifier: Apache-2.0
// The texts of a PNG: copied byte for byte, compressed or not, unless they contain a picture.

import Support
import Testing
import Vocabulary

struct TextTests {
  private let png = ChunkTests()
  private static let small = SamplePictures.jpeg(width: 16, height: 16, seed: 5)

  /// The zlib format without compression.
  static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let piece = rest.prefix(65535)
      rest = rest.dropFirst(piece.count)
      let size = [UInt8(piece.count & 255), UInt8(piece.count >> 8)]
      out += [rest.isEmpty ? 1 : 0] + size + size.map { ~$0 } + piece
    } while !rest.isEmpty
    var (a, b) = (1, 0)
    for byte in bytes {
      a = (a + Int(byte)) % 65521
      b = (b + a) % 65521
    }
    return out + [UInt8(b >> 8), UInt8(b & 255), UInt8(a >> 8), UInt8(a & 255)]
  }

  static func raw(_ kind: String, _ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\n\(kind)\n    \(bytes.count)\n".utf8)
    for (at, byte) in bytes.enumerated() {
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      if at % 36 == 35 { text.append(0x0A) }
    }
    return text + [0x0A]
  }

  private static func compressed(_ keyword: String, _ text: [UInt8]) -> [UInt8] {
    Array("\(keyword)\0\0".utf8) + deflated(text)
  }

  private static let exif = ExifTree([(0x112, .short(6)), (0x8298, .text("M. B."))]).bytes()
  private static let exifWithPicture = ExifTree(
    [(0x112, .short(6))], next: ExifTree([(0x201, .picture(small))])
  ).bytes()
  private static let packet = Array("<x:xmpmeta>Ålesund</x:xmpmeta>".utf8)

  static let kept: [(String, [UInt8])] = [
    ("zTXt", compressed("Comment", Array("a harbour".utf8))),
    ("zTXt", compressed("Comment", [UInt8](repeating: 66, count: 300_000))),
    ("zTXt", compressed("Raw profile type exif", raw("exif", Array("Exif\0\0".utf8) + exif))),
    ("tEXt", Array("Raw profile type exif\0".utf8) + raw("exif", exif)),
    (
      "zTXt",
      compressed(
        "Raw profile type iptc", raw("iptc", MetadataTests.resource(1028, [0x1C, 2, 80, 0, 0])))
    ),
    ("zTXt", compressed("Raw profile type icc", raw("icc", small))),
    ("zTXt", compressed("Raw profile type xmp", raw("xmp", packet))),
    ("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + deflated(packet)),
    ("iTXt", Array("Title\0\0\0no\0Tittel\0Ålesund".utf8)),
  ]

  @Test(arguments: kept)
  func `a text without a picture is copied byte for byte`(_ name: String, _ bytes: [UInt8])
    throws
  {
    let (developed, all) = try png.carried(name, bytes)
    #expect(all == [bytes] && developed.notices == [])
  }

  static let left: [(String, [UInt8])] = [
    ("tEXt", Array("Comment\0".utf8) + small),
    ("tEXt", Array("Thumb\0\(MetadataTests.letters)".utf8)),
    ("iTXt", Array("Thumb\0\0\0\0\0\(MetadataTests.letters)".utf8)),
    ("zTXt", compressed("Thumb", Array(MetadataTests.letters.utf8))),
    (
      "zTXt",
      compressed(
        "Comment", [UInt8](repeating: 66, count: 400_001) + Array(MetadataTests.letters.utf8))
    ),
    ("zTXt", compressed("Raw profile type exif", raw("exif", exifWithPicture))),
    ("tEXt", Array("Raw profile type APP1\0".utf8) + raw("APP1", exifWithPicture)),
    (
      "zTXt",
      compressed(
        "Raw profile type 8bim",
        raw("8bim", MetadataTests.resource(1036, MetadataTests.thumbnail)))
    ),
    ("zTXt", compressed("raw profile type xmp", raw("xmp", Array("<xmpGImg:image>QUJD<".utf8)))),
    (
      "iTXt",
      Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8)
        + deflated(Array("<xmpGImg:image>QUJD</xmpGImg:image>".utf8))
    ),
  ]

  @Test(arguments: left)
  func `a text with a picture in it is left out, with a notice`(_ name: String, _ bytes: [UInt8])
    throws
  {
    let (developed, all) = try png.carried(name, bytes)
    #expect(all == [])
    #expect(developed.notices == [.previewRemoved, .metadataDropped])
  }

  @Test func `long compressed texts within the limit are kept`() throws {
    let bomb = Self.compressed("Comment", [UInt8](repeating: 65, count: 100_000))
    let original = PNGForm.splice(PNGForm.chunk("zTXt", bomb), into: DamageTests.png)
    #expect(try Darkroom.develop(original).developed.notices == [])
    // Stored without compression, so that text and file are about as long: two of them are within
    // the limit.
    let two = PNGForm.splice(PNGForm.chunk("zTXt", bomb), into: original)
    let print = try Darkroom.develop(two)
    #expect(png.chunks(of: print.bytes).filter { $0.name == "zTXt" }.count == 2)
  }

  @Test func `a compressed text that is cut off is left out`() throws {
    let whole = Self.compressed("Comment", Array("a harbour".utf8))
    let (developed, all) = try png.carried("zTXt", Array(whole.dropLast(6)))
    #expect(all == [] && developed.notices == .metadataDropped)
  }
}
