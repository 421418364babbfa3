// SPDX-License-Identifier: Apache-2.0
// The colour profile of a PNG: a whole profile for RGB is in the print, byte for byte and without its name; other
// bytes in its place are not.

import Filter
import Support
import Testing
import Vocabulary

struct PNGProfileTests {
  private let png = ChunkTests()
  private static let name = Array("GPS 48.137N 11.575E\0\0".utf8)

  /// A profile of sRGB with a gamma of 2.2, as cameras and editors write it (ICC.1, version 2).
  static let sRGB: [UInt8] = {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
    func xyz(_ x: Int, _ y: Int, _ z: Int) -> [UInt8] {
      Array("XYZ ".utf8) + number(0) + number(x) + number(y) + number(z)
    }
    let name = Array("sRGB\0".utf8)
    let description =
      Array("desc".utf8) + number(0) + number(name.count) + name + [UInt8](repeating: 0, count: 79)
    let curve = Array("curv".utf8) + number(0) + number(1) + [2, 51, 0, 0]
    let parts: [(String, [UInt8])] = [
      ("desc", description), ("cprt", Array("text\0\0\0\0CC0\0".utf8)),
      ("wtpt", xyz(0xF6D6, 0x10000, 0xD32D)), ("rXYZ", xyz(0x6FA2, 0x38F5, 0x0390)),
      ("gXYZ", xyz(0x6299, 0xB785, 0x18DA)), ("bXYZ", xyz(0x24A0, 0x0F84, 0xB6CF)),
      ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    var table = number(parts.count)
    var body: [UInt8] = []
    let start = 128 + 4 + 12 * parts.count
    for (name, bytes) in parts {
      table += Array(name.utf8) + number(start + body.count) + number(bytes.count)
      body += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    var header =
      number(start + body.count) + number(0) + [2, 16, 0, 0] + Array("mntrRGB XYZ ".utf8)
    header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28) + number(0xF6D6) + number(0x10000) + number(0xD32D)
    return header + [UInt8](repeating: 0, count: 128 - header.count) + table + body
  }()

  @Test(arguments: MetadataRule.allCases)
  func `a profile of sRGB is in the print under every rule, without its name`(
    _ rule: MetadataRule
  ) throws {
    let stream = TextTests.deflated(Self.sRGB)
    let (developed, all) = try png.carried("iCCP", Self.name + stream, rule)
    #expect(all == [Array("icc\0\0".utf8) + stream] && developed.notices == [])
  }

  @Test func `what follows the compressed profile is not in the print`() throws {
    let stream = TextTests.deflated(Self.sRGB)
    for address in [Array("HOME ADDRESS".utf8), [UInt8](repeating: 7, count: 100_000)] {
      let (_, all) = try png.carried("iCCP", Self.name + stream + address)
      #expect(all == [Array("icc\0\0".utf8) + stream])
    }
  }

  /// Changed bytes of the profile of sRGB.
  private static func changed(_ place: Int, _ text: String) -> [UInt8] {
    var profile = sRGB
    profile.replaceSubrange(place..<(place + text.utf8.count), with: text.utf8)
    return profile
  }

  static let junk: [(String, [UInt8])] = [
    ("a text", name + TextTests.deflated(Array("HOME ADDRESS: Meier".utf8))),
    ("a long text", name + TextTests.deflated([UInt8](repeating: 65, count: 100_000))),
    ("another size", name + TextTests.deflated(sRGB + [0])),
    ("the header alone", name + TextTests.deflated([0, 0, 0, 128] + sRGB[4..<128])),
    ("no mark", name + TextTests.deflated(changed(36, "ACSP"))),
    ("inks", name + TextTests.deflated(changed(16, "CMYK"))),
    ("grey", name + TextTests.deflated(changed(16, "GRAY"))),
    ("cut off", name + TextTests.deflated(sRGB).dropLast(5)),
    ("damaged", name + TextTests.deflated(sRGB).dropLast() + [0]),
    ("another method", name.dropLast() + [1] + TextTests.deflated(sRGB)),
    ("no name", [0, 0] + TextTests.deflated(sRGB)),
    ("a name alone", Array("HOME ADDRESS".utf8)),
  ]

  @Test(arguments: MetadataRule.allCases)
  func `what is not a profile is dropped with a notice`(_ rule: MetadataRule) throws {
    for (what, bytes) in Self.junk {
      let (developed, all) = try png.carried("iCCP", bytes, rule)
      #expect(all == [] && developed.notices == .profileDropped, "\(what)")
    }
  }

  /// The zlib format: `bytes` uncompressed, then zeros, 258 of which are 13 bits.
  private static func deflated(_ bytes: [UInt8], zeros: Int) -> [UInt8] {
    var bits: [Bool] = [true, true, false]
    func add(_ code: Int, _ count: Int) {
      bits += (0..<count).map { code >> (count - 1 - $0) & 1 == 1 }
    }
    for _ in 0..<(1 + (zeros - 1) % 258) { add(0x30, 8) }
    for _ in 0..<((zeros - 1) / 258) { add(0xC5 << 5, 13) }
    add(0, 7)
    let packed = stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { $0 | (start + $1 < bits.count && bits[start + $1] ? 1 << $1 : 0) }
    }
    // The head and the checksum of the whole, with the head's bytes as a block that is not the last one.
    let whole = TextTests.deflated(bytes + [UInt8](repeating: 0, count: zeros))
    var head = TextTests.deflated(bytes).dropLast(4)
    head[2] = 0
    return head + packed + whole.suffix(4)
  }

  @Test func `the limit of a profile is that of its bytes when they are decompressed`() throws {
    for (size, isKept) in [(1 << 17, true), ((1 << 17) + 1, false)] {
      var profile = Self.sRGB
      profile.replaceSubrange(0..<4, with: (0..<4).map { UInt8(size >> (24 - 8 * $0) & 255) })
      let stream = Self.deflated(profile, zeros: size - profile.count)
      let chunk = PNGForm.chunk("iCCP", Self.name + stream)
      let print = try Darkroom.develop(
        PNGForm.splice(chunk, into: DamageTests.png), limits: PictureLimits(profileSize: 1 << 17))
      #expect(png.chunks(of: print.bytes).contains { $0.name == "iCCP" } == isKept)
      #expect(print.developed.notices == (isKept ? [] : .profileDropped))
    }
  }

  @Test func `of several profiles the first is in the print`() throws {
    let chunk = PNGForm.chunk("iCCP", Self.name + TextTests.deflated(Self.sRGB))
    let (developed, all) = try png.carried(
      "iCCP", Self.name + TextTests.deflated(Self.sRGB),
      into: PNGForm.splice(chunk, into: DamageTests.png))
    #expect(all.count == 1 && developed.notices == .profileDropped)
  }
}
