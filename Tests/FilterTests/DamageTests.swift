// SPDX-License-Identifier: Apache-2.0
// Pictures cut off, bent and forged: a reason each time, never half a print, never a crash.

import Filter
import Support
import Testing
import Vocabulary

struct DamageTests {
  static let baseline = SamplePictures.jpeg(width: 40, height: 33)
  static let progressive = JPEGForm(width: 40, height: 33) { $0.isProgressive = true }
    .bytes(SamplePictures.pixels(width: 40, height: 33))
  static let arithmetic = JPEGForm(width: 40, height: 33) { $0.isArithmetic = true }
    .bytes(SamplePictures.pixels(width: 40, height: 33))
  static let png = SamplePictures.png(width: 24, height: 21)
  static let interlaced = PNGForm(width: 24, height: 21) { $0.isInterlaced = true }
    .bytes(SamplePictures.pixels(width: 24, height: 21))

  @Test(arguments: [baseline, progressive, arithmetic, png, interlaced])
  func `a picture cut off anywhere fails and says so`(_ whole: [UInt8]) throws {
    #expect(try Darkroom.code(whole) == nil)
    let codes: Set = [
      "jpeg.truncated", "jpeg.damaged", "png.truncated", "png.damaged", "picture.format",
      "picture.empty",
    ]
    for size in stride(from: 0, to: whole.count, by: 3) {
      let code = try Darkroom.code(Array(whole.prefix(size)))
      #expect(codes.contains(code ?? "a print"), "after \(size) bytes of \(whole.count)")
    }
    for missing in 1...12 {
      let code = try Darkroom.code(Array(whole.dropLast(missing)))
      #expect(
        code?.hasSuffix(".truncated") == true, "\(missing) bytes missing: \(code ?? "a print")")
    }
  }

  @Test(arguments: [baseline, progressive])
  func `a JPEG cut off and closed with an end marker fails`(_ whole: [UInt8]) throws {
    let scan = try #require(
      whole.indices.dropLast(1).first {
        whole[$0] == 0xFF && whole[$0 + 1] == 0xDA
      })
    for size in stride(from: scan, to: whole.count - 3, by: 5) {
      let code = try Darkroom.code(whole.prefix(size) + [0xFF, 0xD9])
      #expect(code == "jpeg.damaged" || code == "jpeg.truncated", "after \(size) bytes")
    }
  }

  @Test func `a progressive JPEG without its last scans fails as cut off`() throws {
    let whole = Self.progressive
    let scans = whole.indices.dropLast(1).filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
    #expect(scans.count > 3)
    // A scan's tables stand before it, so each cut is behind the data of a scan, at the next
    // marker.
    for scan in scans.dropFirst(2) {
      let next = whole.indices.dropFirst(scan + 2).dropLast(1).first {
        whole[$0] == 0xFF && whole[$0 + 1] != 0
      }
      guard let next, whole[next + 1] != 0xD9 else { continue }
      #expect(try Darkroom.code(whole.prefix(next) + [0xFF, 0xD9]) == "jpeg.truncated")
    }
  }

  @Test func `a missing component is noticed`() throws {
    let whole = JPEGForm(width: 24, height: 24) { $0.isSplit = true }
      .bytes(SamplePictures.pixels(width: 24, height: 24))
    let scans = whole.indices.dropLast(1).filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
    let last = try #require(scans.last)
    #expect(scans.count == 3)
    #expect(try Darkroom.code(whole.prefix(last) + [0xFF, 0xD9]) == "jpeg.truncated")
  }

  @Test(arguments: [baseline, progressive, arithmetic, png, interlaced])
  func `flipped bits give a failure or a whole print`(_ whole: [UInt8]) throws {
    var noise: UInt32 = 99
    for _ in 0..<400 {
      noise = noise &* 1_664_525 &+ 1_013_904_223
      var bent = whole
      bent[Int(noise >> 8) % whole.count] ^= 1 << UInt8(noise >> 5 & 7)
      do {
        let print = try Darkroom.develop(bent)
        let seen =
          print.developed.format == .jpeg
          ? ReadPicture(jpeg: print.bytes) : ReadPicture(png: print.bytes)
        #expect(seen != nil)
      } catch let failure as Failure {
        #expect(!failure.reason.isEmpty && failure.kind == .final)
      }
    }
  }

  @Test func `a wrong checksum fails a PNG, wherever it is`() throws {
    let text = PNGForm.splice(PNGForm.chunk("tEXt", Array("a\0b".utf8)), into: Self.png)
    #expect(try Darkroom.code(text) == nil)
    // Header, text and end: the last byte of each chunk belongs to its checksum.
    for at in [32, 33 + 14, text.count - 1] {
      var bent = text
      bent[at] ^= 0x10
      #expect(try Darkroom.code(bent) == "png.damaged")
    }
  }

  @Test func `bytes behind the end do not matter`() throws {
    for whole in [Self.baseline, Self.png] {
      let more = try Darkroom.develop(whole + [UInt8](repeating: 0xFF, count: 5000))
      #expect(more.bytes == (try Darkroom.develop(whole).bytes))
    }
  }

  @Test func `a quantisation table of zeros does no harm`() throws {
    var bent = Self.baseline
    let table = try #require(
      bent.indices.dropLast(1).first {
        bent[$0] == 0xFF && bent[$0 + 1] == 0xDB
      })
    for at in (table + 5)..<(table + 69) { bent[at] = 0 }
    _ = try? Darkroom.develop(bent)
  }
}
