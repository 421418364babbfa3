// SPDX-License-Identifier: Apache-2.0
// The format of a file, judged by its first bytes, and named in the refusal.

import Codecs
import Filter
import Testing
import Vocabulary

struct FormatTests {
  static let heads: [(String, [UInt8])] = [
    ("a WebP picture", Array("RIFF\u{10}\0\0\0WEBPVP8 ".utf8)),
    ("a GIF picture", Array("GIF89a\u{1}\0\u{1}\0".utf8)),
    ("an HTML page", Array("\n\n<!DOCTYPE html><html><body>Log in".utf8)),
    ("an HTML page", Array("<HTML><head>".utf8)),
    ("a PDF document", Array("%PDF-1.7".utf8)),
    ("a HEIC picture", [0, 0, 0, 24] + Array("ftypheic".utf8)),
    ("an AVIF picture", [0, 0, 0, 24] + Array("ftypavif".utf8)),
    ("a video or another media file", [0, 0, 0, 24] + Array("ftypisom".utf8)),
    ("an SVG drawing", Array("<?xml version=\"1.0\"?><svg xmlns=\"…\"/>".utf8)),
    ("a TIFF or camera raw picture", [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]),
    ("a JSON document", Array("{\"error\": 404}".utf8)),
    ("a text file", Array("not found\n".utf8)),
    ("a ZIP archive", [0x50, 0x4B, 3, 4, 0]),
    ("an unknown kind of file", [1, 2, 3, 4, 5, 0xFF]),
  ]

  @Test(arguments: heads) func `a file that is neither JPEG nor PNG is named by its format`(
    _ words: String, _ head: [UInt8]
  ) throws {
    #expect(PictureSniffer.look(head) == .other(words))
    let failure = try #require(throws: Failure.self) { try Darkroom.develop(head) }
    #expect(failure.code == "picture.format" && failure.kind == .final)
    #expect(failure.reason == "it is \(words), and not a JPEG or PNG picture")
  }

  @Test func `an empty file is called empty`() throws {
    #expect(try Darkroom.code([]) == "picture.empty")
  }
}
