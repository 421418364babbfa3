// SPDX-License-Identifier: Apache-2.0
// Small pictures of every known form, with every kind of metadata that is inspected.

import Support

enum PictureSeeds {
  static let jpegs: [(String, [UInt8])] = {
    let plain = jpeg(17, 9)
    return [
      ("420", plain), ("1x1", jpeg(1, 1)),
      (
        "444",
        jpeg(16, 16) {
          $0.across = 1; $0.down = 1
        }
      ),
      ("422", jpeg(17, 9) { $0.down = 1 }),
      (
        "411",
        jpeg(33, 9) {
          $0.across = 4; $0.down = 1
        }
      ),
      ("grey", jpeg(9, 17) { $0.components = 1 }),
      (
        "rgb",
        jpeg(9, 9) {
          $0.isRGB = true; $0.across = 1; $0.down = 1
        }
      ),
      ("progressive", jpeg(17, 17) { $0.isProgressive = true }),
      ("split", jpeg(17, 17) { $0.isSplit = true }),
      ("restart", jpeg(17, 33) { $0.restartRows = 1 }),
      ("arithmetic", jpeg(9, 9) { $0.isArithmetic = true }),
      (
        "cmyk",
        jpeg(9, 9) {
          $0.components = 4; $0.isAdobe = true; $0.across = 1; $0.down = 1
        }
      ),
      (
        "ycck",
        jpeg(17, 9) {
          $0.components = 4; $0.isAdobe = true; $0.isYCCK = true
        }
      ),
      ("coarse", jpeg(40, 40) { $0.quality = 5 }),
      ("exif", splice(0xE1, Array("Exif\0\0".utf8) + exif, into: plain)),
      ("packet", splice(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet, into: plain)),
      (
        "extended",
        splice(0xE1, Array("http://ns.adobe.com/xmp/extension/\0".utf8) + packet, into: plain)
      ),
      ("profile", splice(0xE2, Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile, into: plain)),
      ("resources", splice(0xED, Array("Photoshop 3.0\0".utf8) + resources, into: plain)),
      ("comment", splice(0xFE, Array("a comment".utf8), into: plain)),
      ("cut", Array(plain.dropLast(40))),
    ]
  }()

  static let pngs: [(String, [UInt8])] = {
    var made: [(String, [UInt8])] = []
    for depth in [1, 2, 4, 8, 16] {
      made.append(
        (
          "grey-\(depth)",
          png(9, 7) {
            $0.colour = .grey; $0.depth = depth
          }
        ))
      if depth <= 8 {
        made.append(("palette-\(depth)", png(9, 7) { palette(&$0, depth) }))
      } else {
        made.append(("rgb-16", png(7, 5) { $0.depth = 16 }))
        made.append(
          (
            "rgba-16",
            png(7, 5) {
              $0.depth = 16; $0.colour = .rgba
            }
          ))
      }
    }
    let plain = png(9, 7) { _ in }
    made += [
      ("rgb", plain), ("rgba", png(9, 7) { $0.colour = .rgba }),
      ("grey-alpha", png(9, 7) { $0.colour = .greyAlpha }),
      ("key", png(9, 7) { $0.key = [1, 2, 3] }),
      ("interlaced", png(9, 9) { $0.isInterlaced = true }),
      (
        "interlaced-palette",
        png(9, 9) {
          palette(&$0, 2); $0.isInterlaced = true
        }
      ),
      ("exif", PNGForm.splice(PNGForm.chunk("eXIf", exif), into: plain)),
      ("text", PNGForm.splice(PNGForm.chunk("tEXt", Array("Title\0Two".utf8)), into: plain)),
      (
        "packet",
        PNGForm.splice(
          PNGForm.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + packet), into: plain)
      ),
      ("profile", PNGForm.splice(PNGForm.chunk("iCCP", Array("p\0\0xyz".utf8)), into: plain)),
      ("density", PNGForm.splice(PNGForm.chunk("pHYs", [0, 0, 1, 0, 0, 0, 1, 0, 1]), into: plain)),
      ("unknown", PNGForm.splice(PNGForm.chunk("abCd", [1, 2, 3]), into: plain)),
      ("cut", Array(plain.dropLast(20))),
    ]
    return made
  }()

  private static func jpeg(
    _ width: Int, _ height: Int, _ change: (inout JPEGForm) -> Void = { _ in }
  ) -> [UInt8] {
    let form = JPEGForm(width: width, height: height, change)
    return form.bytes(samples(width * height * form.components))
  }

  private static func png(
    _ width: Int, _ height: Int, _ change: (inout PNGForm) -> Void
  ) -> [UInt8] {
    let form = PNGForm(width: width, height: height, change)
    return form.bytes(samples((width * form.channels * form.depth + 7) / 8 * height))
  }

  private static func palette(_ form: inout PNGForm, _ depth: Int) {
    form.colour = .palette
    form.depth = depth
    form.palette = samples(3 << min(depth, 8))
    form.paletteAlpha = [0, 128, 255].dropLast(depth == 1 ? 1 : 0)
  }

  private static func samples(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0 / 7 + $0 * 5) }
  }

  /// Puts a segment behind the first marker.
  private static func splice(_ marker: UInt8, _ bytes: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
    let size = bytes.count + 2
    return jpeg.prefix(2) + [0xFF, marker, UInt8(size >> 8), UInt8(size & 255)] + bytes
      + jpeg.dropFirst(2)
  }

  /// An orientation, and a second directory with a picture of five bytes.
  private static let exif: [UInt8] = [
    0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 26,
    0, 2, 2, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 56, 2, 2, 0, 4, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0,
    0xFF, 0xD8, 0xFF, 0xD9, 0,
  ]

  private static let packet = Array(
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><xmp:Thumbnails><rdf:Alt>AAAA</rdf:Alt></xmp:Thumbnails></x:xmpmeta>"
      .utf8)

  /// The header of an RGB profile, and nothing behind it.
  private static let profile =
    [UInt8](repeating: 0, count: 16) + Array("RGB XYZ ".utf8) + [UInt8](repeating: 0, count: 104)

  /// A caption and a small picture.
  private static let resources =
    Array("8BIM\u{4}\u{4}\0\0\0\0\0\u{2}hi8BIM\u{4}\u{c}\0\0\0\0\0\u{4}abcd".utf8)
}
