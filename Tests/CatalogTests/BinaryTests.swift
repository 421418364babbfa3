// SPDX-License-Identifier: Apache-2.0
// Binary lists: good ones, and ones that crash or choke other readers.

import Catalog
import Support
import Testing
import Vocabulary

@Suite("Binary lists")
struct BinaryTests {
  @Test("each form is read from binary as from XML, in the order of the file")
  func forms() {
    let byName = PropertyValue.dictionary([
      ("b", .string("http://x/b")), ("café", .string("http://x/é")), ("a", .string("http://x/a")),
    ])
    #expect(
      ReadList.binary(byName).photos == ["b = http://x/b", "café = http://x/é", "a = http://x/a"])
    let element = PropertyValue.dictionary([
      ("Name", .string("a")), ("URL", .string("http://x/a")),
    ])
    let withPhotos = PropertyValue.dictionary([
      ("QualityOfService", .string("utility")), ("Photos", .array([element, element])),
      ("Title", .string("Été")),
    ])
    #expect(
      ReadList.binary(withPhotos)
        == .photos(
          ["a = http://x/a", "a = http://x/a"], .init(title: "Été", serviceClass: .utility)))
  }

  @Test(
    "a quality is a number or a text",
    arguments: [
      (.number(85), .level(85)), (.string("85"), .level(85)), (.string("source"), .source),
    ] as [(PropertyValue, PrintQuality)])
  func quality(value: PropertyValue, quality: PrintQuality) {
    let photos = PropertyValue.dictionary([("a", .string("http://x/a"))])
    #expect(
      ReadList.binary(.dictionary([("Quality", value), ("Photos", photos)]))
        == .photos(["a = http://x/a"], .init(quality: quality)))
    #expect(
      ReadList.binary(.dictionary([("Quality", .number(-1)), ("Photos", photos)])).reason
        == "byte 17: 'Quality' is '-1': the quality is a whole number from 1 to 100, or source")
  }

  @Test("a long list, whose sizes do not fit into the markers, is read whole")
  func long() async throws {
    let long = String(repeating: "y", count: 5000)
    let value = PropertyValue.dictionary(
      (1...3000).map { ("photo \($0)", .string("http://x/\(long)/\($0)")) })
    let photos = try await computing { ReadList.binary(value).photos }
    #expect(photos?.count == 3000)
    #expect(photos?.last == "photo 3000 = http://x/\(long)/3000")
  }

  @Test("a string that many photos share is read for each")
  func shared() {
    let count = 14
    let names = (0..<count).map { [0x51, UInt8(0x61 + $0)] }
    let references = (1...count).map(UInt8.init)
    let urls = [UInt8](repeating: UInt8(count + 1), count: count)
    let top = BinaryList.head(0xD, count) + references + urls
    let list = BinaryList.assemble([top] + names + [[0x51, 0x75]])
    #expect(ReadList.bytes(list).photos?.count == count)
    #expect(ReadList.bytes(list).photos?.last == "n = u")
  }

  static let badEntries: [(PropertyValue, String)] = [
    (.number(1), "a ! its URL is a number, not a string (byte 15)"),
    (.real(1), "a ! its URL is a number, not a string (byte 15)"),
    (.bool(true), "a ! its URL is true or false, not a string (byte 15)"),
    (.date(1), "a ! its URL is a date, not a string (byte 15)"),
    (.data([1, 2]), "a ! its URL is data, not a string (byte 15)"),
    (.uid(1), "a ! its URL is a UID, not a string (byte 15)"),
    (.array([.array([])]), "a ! its URL is an array, not a string (byte 15)"),
    (.string(""), "a ! its URL is empty (byte 13)"),
    (.string("a\0b"), "a ! its URL contains a control character (byte 13)"),
    (
      .string(String(repeating: "x", count: 40)),
      "a ! its URL is 40 bytes long; the limit is 30 (byte 13)"
    ),
    (
      .string(String(repeating: "é", count: 20)),
      "a ! its URL is 40 bytes long; the limit is 30 (byte 13)"
    ),
    // A text of which only the beginning is read has at least this length.
    (
      .string(String(repeating: "é", count: 40)),
      "a ! its URL is 61 bytes long; the limit is 30 (byte 13)"
    ),
    (
      .wide([UInt16](repeating: 0x61, count: 99)),
      "a ! its URL is 99 bytes long; the limit is 30 (byte 13)"
    ),
  ]

  @Test("a bad entry fails alone and says at which byte", arguments: badEntries)
  func badEntry(value: PropertyValue, words: String) {
    let outcome = ReadList.binary(
      .dictionary([("a", value)]), limits: ListLimits(keyBytes: 20, valueBytes: 30))
    #expect(outcome.photos == [words])
  }

  static let refused: [(String, PropertyValue, String)] = [
    ("list.form", .string("a"), "byte 8: the list is a string, not a dictionary or an array"),
    ("list.form", .uid(1), "byte 8: the list is a UID, not a dictionary or an array"),
    ("list.empty", .dictionary([]), "it names no photos"),
    (
      "list.syntax", .set([.string("a")]),
      "byte 8: it contains a set; a list has dictionaries, arrays and strings"
    ),
    (
      "list.syntax", .dictionary([("k", .set([.number(5)]))]),
      "byte 15: it contains a set; a list has dictionaries, arrays and strings"
    ),
    (
      "list.syntax", .entries([(.number(1), .string("u"))]),
      "byte 13: a key is a number, not a string"
    ),
    (
      "list.syntax", .entries([(.array([]), .string("u"))]),
      "byte 13: a key is an array, not a string"
    ),
    (
      "list.syntax", .dictionary([("a", .wide([0xD800]))]),
      "byte 15: a string contains half a surrogate pair"
    ),
    (
      "list.duplicate", .dictionary([("a", .string("u")), ("a", .string("v"))]),
      "'a' occurs twice, at byte 17 and byte 19"
    ),
    (
      "list.duplicate", .dictionary([("é", .string("u")), ("e\u{301}", .string("v"))]),
      "'e\u{301}' occurs twice, at byte 17 and byte 20, in different Unicode spellings"
    ),
  ]

  @Test("a list is refused with its byte", arguments: refused)
  func isRefused(code: String, value: PropertyValue, reason: String) {
    let outcome = ReadList.binary(value)
    #expect(outcome.code == code)
    #expect(outcome.reason == reason)
  }

  static let string: [UInt8] = [0x51, 0x61]

  /// Nested arrays, each with ten references to the next.
  static func fan(_ levels: Int) -> [[UInt8]] {
    (1...levels).map { [0xAA] + [UInt8](repeating: UInt8($0), count: 10) } + [string]
  }

  /// Nested dictionaries: `a` and `b` of each are the next.
  static func doubling(_ levels: Int) -> [[UInt8]] {
    let first = UInt8(levels + 1)
    return (1...levels).map { [0xD2, first, first + 1, UInt8($0), UInt8($0)] }
      + [[0xD0], [0x51, 0x61], [0x51, 0x62]]
  }

  /// A dictionary whose only value is this object, which is object 2 and may refer to itself.
  static func holding(_ object: [UInt8], _ more: [[UInt8]] = []) -> [UInt8] {
    BinaryList.assemble([[0xD1, 1, 2], string, object] + more)
  }

  static let hostile: [(String, [UInt8])] = [
    (
      "an array that claims 2^60 objects",
      BinaryList.assemble([[0xAF, 0x13, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x61]])
    ),
    (
      "a dictionary that claims 2^59",
      BinaryList.assemble([[0xDF, 0x13, 8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]])
    ),
    (
      "2^62 entries",
      BinaryList.assemble([[0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]], referenceSize: 8)
    ),
    ("2^63 entries", BinaryList.assemble([[0xDF, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0]])),
    ("2^64-1 entries", BinaryList.assemble([[0xDF, 0x13] + [UInt8](repeating: 0xFF, count: 8)])),
    ("a string of 2^62 bytes", holding([0x5F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0])),
    ("a wide string of 2^63 units", holding([0x6F, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0])),
    ("data of 2^64-1 bytes", holding([0x4F, 0x13] + [UInt8](repeating: 0xFF, count: 8))),
    ("a size that is a string", holding([0x5F, 0x51, 0x61])),
    ("a size of 16 bytes", holding([0x5F, 0x14] + [UInt8](repeating: 0, count: 16))),
    ("a dictionary in itself", BinaryList.assemble([[0xD1, 1, 0], string])),
    ("an array in itself", holding([0xA1, 2])),
    ("an array of itself ten times", holding([0xAA] + [UInt8](repeating: 2, count: 10))),
    ("a key that is its dictionary", BinaryList.assemble([[0xD1, 0, 0]])),
    ("a set in itself", holding([0xC1, 2])),
    ("a string set", BinaryList.assemble([[0xC1, 1], string])),
    ("a number set", BinaryList.assemble([[0xC1, 1], [0x10, 5]])),
    ("a set in a dictionary", holding([0xC1, 1])),
    ("10^9 from nine arrays", BinaryList.assemble(fan(9))),
    (
      "10^9 from nine arrays under a key",
      BinaryList.assemble(
        [[0xD1, 11, 1]]
          + fan(9).enumerated().map { place, object in
            place < 9 ? [0xAA] + [UInt8](repeating: UInt8(place + 2), count: 10) : object
          } + [string])
    ),
    ("2^64 from 64 dictionaries", BinaryList.assemble(doubling(64))),
    ("2^30 from 30 dictionaries", BinaryList.assemble(doubling(30))),
    ("a reference to nothing", BinaryList.assemble([[0xD1, 1, 200], string])),
    ("a marker of no kind", holding([0x70])),
    ("a null", holding([0x00])),
    ("a fill byte", holding([0x0F])),
    ("a number of 32 bytes", holding([0x15] + [UInt8](repeating: 0, count: 32))),
    ("a date of two bytes at the end", holding([0x33, 0, 0])),
    ("offsets of 0 bytes", BinaryList.assemble([[0xD0]], offsetSize: 0)),
    ("references of 0 bytes", BinaryList.assemble([[0xD0]], referenceSize: 0)),
    ("references of 255 bytes", BinaryList.assemble([[0xD0]], referenceSize: 255)),
    ("no objects", BinaryList.assemble([[0xD0]], count: 0)),
    ("2^61 objects", BinaryList.assemble([[0xD0]], offsetSize: 8, count: 1 << 61)),
    ("2^64-1 objects", BinaryList.assemble([[0xD0]], offsetSize: 1, count: .max)),
    ("a top that is not there", BinaryList.assemble([[0xD0]], top: 1)),
    ("a top of 2^64-1", BinaryList.assemble([[0xD0]], top: .max)),
  ]

  @Test("a value that ends behind the objects is refused with its byte")
  func overhang() {
    #expect(
      ReadList.bytes(Self.holding([0x33, 0, 0])).reason
        == "byte 13: an object is longer than the file")
  }

  /// Objects over several windows of the reader: a dictionary, its key, and a long URL.
  static let spread = BinaryList.assemble([
    [0xD1, 1, 2], string, BinaryList.head(5, 40_000) + [UInt8](repeating: 0x78, count: 40_000),
  ])

  @Test(
    "a list that becomes shorter while it is read is refused with the byte that is missing",
    arguments: [(2, 8, 8), (2, 14, 14), (3, 16_384, 16_384), (2, 0, 8)])
  func shrinking(reads: Int, size: Int, missing: Int) {
    let file = ShrinkingFile(Self.spread, to: size, afterReads: reads)
    let failure = #expect(throws: Failure.self) {
      try ListReader.read(list: file, catalog: MemoryFile(), limits: ListLimits())
    }
    #expect(failure?.code == "list.truncated")
    #expect(failure?.reason == "byte \(missing): it became shorter while it was read")
  }

  @Test("a list that lies about itself is refused", arguments: hostile)
  func lies(what: String, bytes: [UInt8]) {
    let outcome = ReadList.bytes(bytes)
    #expect(outcome.isRefused, "\(outcome)")
    #expect(
      outcome.code == "list.syntax" || outcome.code == "list.limit" || outcome.code == "list.form")
  }

  @Test("a string of a megabyte that is used 10,000 times is refused")
  func unfolding() {
    let count = 10_000
    let names = (0..<count).map {
      BinaryList.head(5, 4) + Array(String(10_000 + $0).utf8.suffix(4))
    }
    let references = (1...count).flatMap { BinaryList.number(UInt64($0), size: 2) }
    let urls = (1...count).flatMap { _ in BinaryList.number(UInt64(count + 1), size: 2) }
    let long = BinaryList.head(5, 1 << 20) + [UInt8](repeating: 0x61, count: 1 << 20)
    let list = BinaryList.assemble(
      [BinaryList.head(0xD, count) + references + urls] + names + [long], referenceSize: 2)
    let outcome = ReadList.bytes(list)
    #expect(outcome.code == "list.limit")
    #expect(
      outcome.reason?.hasSuffix("expand it to more than four times its size") == true)
  }

  @Test("a string that is marked as ASCII must be ASCII")
  func notASCII() {
    #expect(
      ReadList.bytes(Self.holding([0x51, 0xE9])).reason
        == "byte 13: a string marked as ASCII has other bytes")
  }

  @Test("bytes after the end of a binary list are refused")
  func trailing() {
    let good = BinaryList.bytes(.dictionary([("a", .string("u"))]))
    for more in [[0x0A], Array("junk".utf8), good] {
      let outcome = ReadList.bytes(good + more)
      #expect(outcome.code == "list.syntax")
      #expect(outcome.reason?.hasSuffix("the last 32 bytes do not match the file") == true)
    }
  }
}
