// SPDX-License-Identifier: Apache-2.0
// A file's format, judged by its first bytes and never by its name.

package import Vocabulary

package enum PictureSniffer {
  package enum Found: Equatable, Sendable {
    case picture(PictureFormat)
    case empty
    /// Another format, in words for people: "a WebP picture".
    case other(String)
  }

  /// The number of first bytes to pass to `look`; fewer if the file is shorter.
  package static let headSize = 512

  private static let beginnings: [(bytes: [UInt8], words: String)] = [
    (Array("GIF87a".utf8), "a GIF picture"),
    (Array("GIF89a".utf8), "a GIF picture"),
    (Array("%PDF".utf8), "a PDF document"),
    (Array("BM".utf8), "a BMP picture"),
    ([0x49, 0x49, 0x2A, 0x00], "a TIFF or camera raw picture"),
    ([0x4D, 0x4D, 0x00, 0x2A], "a TIFF or camera raw picture"),
    (Array("8BPS".utf8), "a Photoshop document"),
    ([0xFF, 0x0A], "a JPEG XL picture"),
    ([0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "a JPEG XL picture"),
    ([0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20], "a JPEG 2000 picture"),
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
    ([0x1F, 0x8B], "a gzip file"),
  ]

  package static func look(_ head: [UInt8]) -> Found {
    if head.isEmpty { return .empty }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .picture(.jpeg) }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return .picture(.png)
    }
    if let words = container(head) { return .other(words) }
    for beginning in beginnings where head.starts(with: beginning.bytes) {
      return .other(beginning.words)
    }
    return .other(text(head) ?? "an unknown kind of file")
  }

  /// RIFF and ISO media files name their contents after the first few bytes.
  private static func container(_ head: [UInt8]) -> String? {
    guard head.count >= 12 else { return nil }
    let brand = head[8..<12]
    if head.starts(with: "RIFF".utf8), brand.elementsEqual("WEBP".utf8) { return "a WebP picture" }
    guard head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    switch String(decoding: brand, as: UTF8.self) {
    case "avif", "avis": return "an AVIF picture"
    case "heic", "heix", "hevc", "heim", "heis", "mif1", "msf1": return "a HEIC picture"
    default: return "a video or another media file"
    }
  }

  private static func text(_ head: [UInt8]) -> String? {
    let lower = head.filter { $0 != 0 }.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
    if has(lower, "<svg") { return "an SVG drawing" }
    if has(lower, "<!doctype html") || has(lower, "<html") { return "an HTML page" }
    guard lower.count * 2 >= head.count else { return nil }
    let first = lower.first { $0 > 0x20 }
    if first == UInt8(ascii: "<") { return "an XML or HTML document" }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return "a JSON document" }
    let isText = head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || 0x09...0x0D ~= $0 }
    return isText ? "a text file" : nil
  }

  private static func has(_ bytes: [UInt8], _ words: String) -> Bool {
    let words = Array(words.utf8)
    guard bytes.count >= words.count else { return false }
    return (0...(bytes.count - words.count)).contains {
      bytes[$0..<($0 + words.count)].elementsEqual(words)
    }
  }
}
