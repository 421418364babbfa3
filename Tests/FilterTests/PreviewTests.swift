// SPDX-License-Identifier: Apache-2.0
// Previews in colour hide in many places of a picture. None of them gets into a print.

import Support
import Testing
import Vocabulary

@testable import Filter

struct PreviewTests {
  private let meta = MetadataTests()
  private let png = ChunkTests()
  private static let small = SamplePictures.jpeg(width: 16, height: 16, seed: 5)
  private static let exifName = Array("Exif\0\0".utf8)

  /// The number of start markers with another marker behind them.
  private func streams(in bytes: [UInt8]) -> Int {
    bytes.indices.dropLast(2).count {
      bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 && bytes[$0 + 2] == 0xFF
    }
  }

  private static func maker(_ inside: [UInt8]) -> [UInt8] {
    Array("MAKER\0lens 50mm".utf8) + inside + Array("shutter 1/60".utf8)
  }

  struct Place: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let tree: @Sendable ([UInt8]) -> ExifTree
  }

  static let places = [
    Place(testDescription: "the second directory") { picture in
      ExifTree([(0x112, .short(6))], next: ExifTree([(0x201, .picture(picture))]))
    },
    Place(testDescription: "the third directory") { picture in
      ExifTree(
        [(0x112, .short(6))],
        next: ExifTree([(0x112, .short(1))], next: ExifTree([(0x201, .picture(picture))])))
    },
    Place(testDescription: "the first directory itself") { picture in
      ExifTree([(0x112, .short(6)), (0x201, .picture(picture))])
    },
    Place(testDescription: "a directory below") { picture in
      ExifTree([
        (0x112, .short(6)), (0x14A, .folders([ExifTree([(0x201, .picture(picture))])], type: 4)),
      ])
    },
    Place(testDescription: "the second of two directories below, as IFD") { picture in
      ExifTree([
        (0x112, .short(6)),
        (
          0x14A,
          .folders(
            [ExifTree([(0x100, .long(9))]), ExifTree([(0x201, .picture(picture))])], type: 13)
        ),
        (0x8298, .text("M. B.")),
      ])
    },
    Place(testDescription: "behind a directory below") { picture in
      let last = ExifTree([(0x201, .picture(picture))])
      return ExifTree([
        (0x112, .short(6)), (0x14A, .folders([ExifTree([(0x100, .long(9))], next: last)], type: 4)),
      ])
    },
    Place(testDescription: "strips in a directory below") { picture in
      let strips = ExifTree([(0x111, .picture(picture)), (0x117, .long(picture.count))])
      return ExifTree([(0x112, .short(6)), (0x14A, .folders([strips], type: 4))])
    },
    Place(testDescription: "below EXIF's own directory") { picture in
      let below = ExifTree([(0x201, .picture(picture))])
      let exif = ExifTree([(0x9003, .text("2025:11:21")), (0x14A, .folders([below], type: 4))])
      return ExifTree([(0x112, .short(6)), (0x8769, .folders([exif], type: 4))])
    },
    Place(testDescription: "a maker's note") { picture in
      let exif = ExifTree([(0x927C, .bytes(maker(picture))), (0x9003, .text("2025:11:21"))])
      return ExifTree([(0x112, .short(6)), (0x8769, .folders([exif], type: 4))])
    },
  ]

  @Test(arguments: places, [true, false])
  func `no preview is left in EXIF, wherever it was`(_ place: Place, _ isLittle: Bool) throws {
    let exif = place.tree(Self.small).bytes(isLittle: isLittle)
    let original = meta.jpeg(with: meta.segment(0xE1, Self.exifName + exif))
    #expect(streams(in: original) == 2)
    let print = try Darkroom.develop(original)
    #expect(streams(in: print.bytes) == 1)
    #expect(print.developed.notices == .previewRemoved)
    let kept = try #require(meta.segments(of: print.bytes).dropFirst().first?.bytes.dropFirst(6))
    let view = try #require(ExifView(Array(kept)))
    let first = try #require(view.first)
    #expect(view.numbers(0x112, of: first) == [6])
    #expect(view.numbers(0x14A, of: first) == [] && view.numbers(0x201, of: first) == [])

    let chunk = try png.carried("eXIf", exif)
    #expect(chunk.1.map { streams(in: $0) } == [0] && chunk.0.notices == .previewRemoved)
  }

  @Test func `values beside a removed directory stay readable`() throws {
    let below = ExifTree([(0x201, .picture(Self.small))])
    let tree = ExifTree([
      (0x112, .short(8)), (0x14A, .folders([below], type: 4)), (0x8298, .text("(c) M. B., 2025")),
    ])
    let all = try meta.carried(0xE1, Self.exifName + tree.bytes()).1
    let view = try #require(all.first.flatMap { ExifView(Array($0.dropFirst(6))) })
    let first = try #require(view.first)
    #expect(view.text(0x8298, of: first, limit: 100) == Array("(c) M. B., 2025".utf8))
    #expect(view.entries(of: first).map(\.tag) == [0x112, 0x8298])
  }

  @Test func `a maker's note keeps its length and everything but its preview`() throws {
    let note = Self.maker(Self.small)
    let exif = ExifTree([(0x8769, .folders([ExifTree([(0x927C, .bytes(note))])], type: 4))])
    let before = exif.bytes()
    let after = try #require(try meta.carried(0xE1, Self.exifName + before).1.first)
    #expect(after.count == before.count + 6)
    let blanked = Self.maker([UInt8](repeating: 0, count: Self.small.count))
    #expect(PacketPreview.find(blanked, in: after) != nil)
  }

  /// Some cameras break the first byte of the preview in their notes.
  @Test func `a preview whose start marker is broken is removed, too`() throws {
    let note = Self.maker([0] + Self.small.dropFirst())
    let exif = ExifTree([(0x8769, .folders([ExifTree([(0x927C, .bytes(note))])], type: 4))])
    let (developed, all) = try meta.carried(0xE1, Self.exifName + exif.bytes())
    #expect(developed.notices == .previewRemoved)
    #expect(PacketPreview.find(Array(Self.small[40..<80]), in: try #require(all.first)) == nil)
  }

  @Test(
    arguments: [
      [0xFF, 0xD8], [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0xE0, 0, 1], [0xFF, 0xD8, 0xFF, 0x00],
      [0x00, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xE0, 0, 2],
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 3, 4, 5],
    ] as [[UInt8]])
  func `a maker's note that merely resembles a picture stays byte for byte`(
    _ inside: [UInt8]
  ) throws {
    let note = ExifTree([(0x927C, .bytes(Self.maker(inside)))])
    let exif = Self.exifName + ExifTree([(0x8769, .folders([note], type: 4))]).bytes()
    let (developed, all) = try meta.carried(0xE1, exif)
    #expect(all == [exif] && developed.notices == [])
  }

  @Test func `directories that lead in circles or share their places do no harm`() throws {
    let below = ExifTree([(0x201, .picture(Self.small))])
    let exif = ExifTree([(0x112, .short(6)), (0x14A, .folders([below, below], type: 4))]).bytes()
    // Every byte of the header and the first directory, and some of the rest.
    let places = Array(0..<60) + Array(stride(from: 60, to: exif.count, by: 37))
    for place in places {
      for value: UInt8 in [0, 8, 255] {
        var bent = exif
        bent[place] = value
        let outcome = ExifPreview.remove(from: &bent)
        if outcome != .unreadable { #expect(streams(in: bent) == 0) }
      }
    }
  }

  @Test func `previews in Photoshop's other resources, IPTC and comments are removed`() throws {
    let name = Array("Photoshop 3.0\0".utf8)
    let size = Self.small.count
    let preview = [0x1C, 2, 202, UInt8(size >> 8), UInt8(size & 255)] + Self.small
    let field: [UInt8] = [0x1C, 2, 80, 0, 2, 0x4D, 0x42]
    let data = field + preview
    let resource =
      Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, UInt8(data.count >> 8), UInt8(data.count & 255)]
      + data + (data.count % 2 == 1 ? [0] : [])
    let (developed, all) = try meta.carried(0xED, name + resource)
    let kept = try #require(all.first)
    #expect(streams(in: kept) == 0 && developed.notices == .previewRemoved)
    #expect(PacketPreview.find(field, in: kept) != nil && kept.count == (name + resource).count)

    let comment = try meta.carried(0xFE, Array("see: ".utf8) + Self.small)
    #expect(comment.0.notices == .previewRemoved)
    #expect(comment.1.first?.starts(with: "see: ".utf8) == true)
    #expect(comment.1.map { streams(in: $0) } == [0])
  }

  @Test func `a second picture behind the first is not copied`() throws {
    let print = try Darkroom.develop(DamageTests.baseline + Self.small)
    #expect(streams(in: print.bytes) == 1)
  }

  @Test func `a preview within a preview is removed with it`() {
    let outer = [0xFF, 0xD8] + meta.segment(0xE1, Self.small) + Self.small.dropFirst(2)
    var bytes = [1, 2, 3] + outer + [4, 5, 6]
    #expect(PictureStream.blank(in: &bytes))
    #expect(bytes == [1, 2, 3] + [UInt8](repeating: 0, count: outer.count) + [4, 5, 6])
  }

  @Test func `a stream without an end is blanked to the end`() {
    var bytes = [9, 9] + Self.small.dropLast(2)
    #expect(PictureStream.blank(in: &bytes))
    #expect(bytes == [9, 9] + [UInt8](repeating: 0, count: Self.small.count - 2))
  }

  @Test func `thousands of false start markers are searched in one pass`() {
    var bytes: [UInt8] = []
    for _ in 0..<10_000 { bytes += [0x00, 0xD8, 0xFF, 0xE0, 0, 4] }
    #expect(!PictureStream.blank(in: &bytes))
    var packet = (0..<10_000).flatMap { _ in Array("xmpGImg:image ".utf8) }
    #expect(PacketPreview.remove(from: &packet) == .none)
  }
}
