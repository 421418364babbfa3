// SPDX-License-Identifier: Apache-2.0
// A picture that is too large is refused by its header; a full disk is trouble of this machine.

import Codecs
import Filter
import Linux
import Support
import Testing
import Vocabulary

struct LimitTests {
  /// Overwrites the size in the frame header.
  private func lying(_ jpeg: [UInt8], width: Int, height: Int) throws -> [UInt8] {
    var jpeg = jpeg
    let frame = try #require(
      jpeg.indices.dropLast(1).first {
        jpeg[$0] == 0xFF && (0xC0...0xC2).contains(jpeg[$0 + 1])
      })
    jpeg.replaceSubrange(
      (frame + 5)..<(frame + 9),
      with: [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)])
    return jpeg
  }

  @Test func `a header that claims more pixels than allowed is refused`() throws {
    for original in [DamageTests.baseline, DamageTests.progressive] {
      let forged = try lying(original, width: 65500, height: 65500)
      let failure = try #require(throws: Failure.self) { try Darkroom.develop(forged) }
      #expect(failure.code == "picture.pixels")
      #expect(
        failure.reason
          == "the picture is too large: it has 65500 x 65500 pixels; the limit is 100000000")
    }
    for size: [UInt8] in [
      [0, 1, 0, 0, 0, 1, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF],
      [0, 0x1F, 0, 0, 0, 0, 0, 1],
    ] {
      #expect(try Darkroom.code(lying(png: size)) == "picture.pixels")
    }
    let failure = try #require(throws: Failure.self) {
      try Darkroom.develop(lying(png: [0, 0x1F, 0, 0, 0, 0, 0, 1]))
    }
    #expect(
      failure.reason == "the picture is too large: one of its sides is longer than 1000000 pixels")
  }

  /// Another size in the header, whose checksum is right.
  private func lying(png size: [UInt8]) -> [UInt8] {
    let png = DamageTests.png
    return png.prefix(8) + PNGForm.chunk("IHDR", size + png[24..<29]) + png.dropFirst(33)
  }

  /// Chunks in which a reader of fixed offsets finds 1 × 1 pixels.
  @Test(arguments: ["tEXt", "gAMA", "IDAT", "IEND", "IHDr", "juNK"])
  func `a PNG whose first chunk is not its header is refused, whatever the chunk says`(
    name: String
  ) throws {
    let planted = PNGForm.chunk(name, [0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 1, count: 8))
    for png in [lying(png: [0, 1, 0, 0, 0, 1, 0, 0]), DamageTests.png] {
      let failure = try #require(throws: Failure.self) {
        try Darkroom.develop(png.prefix(8) + planted + png.dropFirst(8))
      }
      #expect(failure.code == "png.damaged")
      #expect(
        failure.reason == "the PNG is damaged: its first chunk is not its header (IHDR)")
    }
  }

  @Test func `a second header does not change the size of a PNG`() throws {
    let size: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1]
    let header = PNGForm.chunk("IHDR", size + DamageTests.png[24..<29])
    let large = lying(png: [0, 1, 0, 0, 0, 1, 0, 0])
    #expect(try Darkroom.code(PNGForm.splice(header, into: large)) == "png.damaged")
    #expect(try Darkroom.code(large.prefix(8) + header + large.dropFirst(8)) == "png.damaged")
  }

  @Test func `markers in front of the header of a JPEG do not change its size`() throws {
    // A frame header of 1 × 1 pixels: as the contents of segments, and after fill bytes.
    let small: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
    let forged = try lying(DamageTests.baseline, width: 65500, height: 65500)
    for marker: UInt8 in [0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xFE] {
      let segment = [0xFF, 0xFF, marker, 0, UInt8(small.count + 2)] + small
      #expect(try Darkroom.code([0xFF, 0xD8] + segment + forged.dropFirst(2)) == "picture.pixels")
    }
    // Two frames are damage.
    #expect(try Darkroom.code([0xFF, 0xD8] + small + forged.dropFirst(2)) == "jpeg.damaged")
  }

  @Test func `a progressive picture is charged two bytes a sample before they are allocated`()
    throws
  {
    let forged = try lying(DamageTests.progressive, width: 9000, height: 9000)
    let limits = PictureLimits(maximumPixels: 100_000_000, maximumMemory: 200 << 20)
    let failure = try #require(throws: Failure.self) {
      try Darkroom.develop(forged, limits: limits)
    }
    #expect(failure.code == "picture.memory")
    #expect(
      failure.reason.contains("needs 238 MiB of memory; the limit is 200")
        && failure.advice.contains("MaximumMemory="))
    // The same size in one scan needs no such memory, and fails as cut off.
    let baseline = try lying(DamageTests.baseline, width: 9000, height: 9000)
    #expect(try Darkroom.code(baseline, limits: limits)?.hasPrefix("jpeg.") == true)
  }

  @Test func `an interlaced PNG is charged for the whole picture`() throws {
    let limits = PictureLimits(maximumPixels: 100_000_000, maximumMemory: 3 << 20)
    let form = PNGForm(width: 900, height: 900) { $0.isInterlaced = true }
    let pixels = [UInt8](repeating: 90, count: 900 * 900 * 3)
    #expect(try Darkroom.code(form.bytes(pixels), limits: limits) == "picture.memory")
    #expect(
      try Darkroom.code(PNGForm(width: 900, height: 900).bytes(pixels), limits: limits) == nil)
  }

  @Test func `the number of scans is limited`() throws {
    let limits = PictureLimits(codec: CodecLimits(scans: 3))
    #expect(try Darkroom.code(DamageTests.progressive, limits: limits) == "picture.scans")
    #expect(try Darkroom.code(DamageTests.baseline, limits: limits) == nil)
  }

  @Test func `metadata beyond the limits is refused`() throws {
    let comment: [UInt8] = [0xFF, 0xFE, 0x00, 0x06, 1, 2, 3, 4]
    let many = [0xFF, 0xD8] + (0..<20).flatMap { _ in comment } + DamageTests.baseline.dropFirst(2)
    #expect(try Darkroom.code(many) == nil)
    let few = PictureLimits(metadataParts: 10)
    let failure = try #require(throws: Failure.self) { try Darkroom.develop(many, limits: few) }
    #expect(failure.code == "picture.metadata")
    #expect(failure.reason == "it has more than 10 pieces of metadata")
    let chunks = (0..<20).reduce(into: DamageTests.png) { png, _ in
      png = PNGForm.splice(PNGForm.chunk("tIME", [7, 233, 1, 1, 1, 1, 1]), into: png)
    }
    #expect(try Darkroom.code(chunks, limits: few) == "picture.metadata")
    let text = PNGForm.splice(
      PNGForm.chunk("tEXt", Array("a\0".utf8) + [UInt8](repeating: 65, count: 5000)),
      into: DamageTests.png)
    #expect(
      try Darkroom.code(text, limits: PictureLimits(metadataSize: 4096)) == "picture.metadata")
  }

  @Test func `a colour profile has its own limit of size`() throws {
    let meta = MetadataTests()
    let profile = MetadataTests.profile("RGB ")
    let jpeg = meta.jpeg(
      with: (0..<3).flatMap { _ in
        meta.segment(0xE2, profile + [UInt8](repeating: 1, count: 60_000))
      })
    #expect(try Darkroom.code(jpeg) == nil)
    let small = PictureLimits(profileSize: 1 << 17)
    let failure = try #require(throws: Failure.self) { try Darkroom.develop(jpeg, limits: small) }
    #expect(failure.code == "picture.profile")
    let sized = PictureLimits(profileSize: 2 << 20)
    let long = Array("p\0\0".utf8) + [UInt8](repeating: 1, count: (2 << 20) + 1)
    let png = PNGForm.splice(PNGForm.chunk("iCCP", long), into: DamageTests.png)
    let refused = try #require(throws: Failure.self) { try Darkroom.develop(png, limits: sized) }
    #expect(refused.code == "picture.profile")
    #expect(refused.reason == "its colour profile is larger than 2 MiB")
    #expect(try Darkroom.code(png) == nil)
  }

  @Test func `a full disk is trouble of this machine, not of the picture`() throws {
    let devices = try LinuxFolder.open(path: "/dev")
    for original in [
      SamplePictures.jpeg(width: 300, height: 300), SamplePictures.png(width: 300, height: 300),
    ] {
      let full = try devices.open(FileName(literal: "full"), .write)
      let file = try ScratchFile.make(original)
      let failure = try #require(throws: Failure.self) {
        try PictureFilter.develop(original: file, print: full, function: .standard)
      }
      #expect(failure.kind == .machine && failure.code == "disk.full")
    }
  }

  @Test func `the remains of an earlier attempt are cut off`() throws {
    let file = try ScratchFile.make(DamageTests.baseline)
    let print = try ScratchFile.make([UInt8](repeating: 7, count: 100_000))
    let developed = try PictureFilter.develop(original: file, print: print, function: .standard)
    #expect(try print.status().size == developed.size)
    #expect(ReadPicture(jpeg: try ScratchFile.bytes(of: print)) != nil)
  }
}
