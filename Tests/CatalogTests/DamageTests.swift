// SPDX-License-Identifier: Apache-2.0
// Good lists and catalogs, cut anywhere and changed at random: nothing crashes, and a cut file is
// never taken for a whole one. The random numbers come from fixed seeds.

import Catalog
import Foundation
import Support
import Testing
import Vocabulary

@Suite("Damage")
struct DamageTests {
  static let body = """
    <dict><key>Title</key><string>Été &amp; more</string>
    <key>Photos</key><array>
    <dict><key>Name</key><string>barn</string><key>URL</key><string>http://x/b</string></dict>
    <dict><key>Name</key><string>caf\u{E9}</string><key>URL</key><integer>5</integer></dict>
    </array><key>Filter</key><string>sepia(0.5)</string></dict>
    """
  static let markup = Array(ReadList.document(body).utf8)
  static let binary = BinaryList.bytes(
    .dictionary([
      ("Title", .string("Été")),
      (
        "Photos",
        .array([
          .dictionary([("Name", .string("barn")), ("URL", .string("http://x/b"))]),
          .dictionary([("Name", .string("café")), ("URL", .data([1, 2, 3]))]),
        ])
      ), ("Filter", .string("sepia(0.5)")),
    ]))

  /// A photo with every option it may have, and one that is only a URL.
  static let ownMarkup = Array(
    ReadList.document(
      """
      <dict><key>barn</key><dict>\(PhotoOptionTests.markup(PhotoOptionTests.pairs))</dict>
      <key>lake</key><string>http://x/l</string></dict>
      """
    ).utf8)
  static let ownBinary = BinaryList.bytes(
    .dictionary([
      ("barn", .dictionary(PhotoOptionTests.pairs.map { ($0, .string($1)) })),
      ("lake", .string("http://x/l")),
    ]))
  static let markups = [("array", markup), ("dictionaries", ownMarkup)]
  static let binaries = [("array", binary), ("dictionaries", ownBinary)]

  @Test("an XML list that is cut anywhere is refused, as unfinished", arguments: markups)
  func cutMarkup(form: String, list: [UInt8]) throws {
    let end = Array("</plist>".utf8)
    let whole = try #require(list.indices.last { list[$0...].starts(with: end) }) + end.count
    let afterDoctype = try #require(
      list.indices.first { list[$0...].starts(with: "-//".utf8) })
    for size in whole...list.count {
      #expect(!ReadList.bytes(Array(list[..<size])).isRefused, "only white space is missing")
    }
    for size in 0..<whole {
      let outcome = ReadList.bytes(Array(list[..<size]))
      #expect(outcome.isRefused, "\(size)")
      // A cut word of the DOCTYPE is a different word to the parser.
      if size > afterDoctype { #expect(outcome.code == "list.truncated", "\(size): \(outcome)") }
    }
  }

  @Test("a binary list that is cut anywhere is refused", arguments: binaries)
  func cutBinary(form: String, list: [UInt8]) {
    #expect(!ReadList.bytes(list).isRefused)
    for size in 0..<list.count {
      #expect(ReadList.bytes(Array(list[..<size])).isRefused, "\(size)")
    }
  }

  /// Changes one to three bytes, or single bits of them.
  static func changed(_ bytes: [UInt8], _ random: inout SeededNumbers) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0..<3, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      if Bool.random(using: &random) {
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      } else {
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }

  @Test("a list with bytes changed at random is read or refused, and never crashes")
  func flips() {
    var random = SeededNumbers(seed: 20)
    var refused = 0
    for list in (Self.markups + Self.binaries).map(\.1) {
      for _ in 0..<1500 where ReadList.bytes(Self.changed(list, &random)).isRefused {
        refused += 1
      }
    }
    #expect(refused > 1000)
  }

  /// `DAMAGE=long` takes 64 KiB and every bit.
  static let isLong = ProcessInfo.processInfo.environment["DAMAGE"] == "long"

  /// A catalog of forty photos, or of 64 KiB.
  static func catalog(_ count: Int = 40) throws -> [UInt8] {
    let file = MemoryFile()
    var writer = try CatalogWriter(file, limits: ListLimits())
    for number in 1...count {
      try writer.add(
        CatalogRow(
          name: Array("photo \(number)".utf8), url: Array("http://x/\(number)".utf8),
          problem: number == 7 ? "its URL is empty (line 9)" : nil,
          options: number % 5 == 0 ? PhotoOptionTests.all : PhotoOptions(),
          place: .line(UInt64(number))))
    }
    try writer.finish(
      ListOptions(
        title: "Été", serviceClass: .utility, filter: .standard, quality: .level(9),
        metadata: .strip))
    return file.bytes
  }

  /// Reads up to 2000 photos; returns whether all of them could be read.
  static func read(_ bytes: [UInt8]) -> Bool {
    do throws(Failure) {
      let file = try CatalogFile(MemoryFile(bytes), limits: ListLimits())
      for number in 1...min(file.count, 2000) { _ = try file.entry(number) }
      return true
    } catch {
      #expect(error.code == "catalog.damaged")
      return false
    }
  }

  @Test(
    "a catalog that is cut anywhere, or in which any bit is flipped, is damaged", arguments: 0..<4)
  func damagedCatalog(share: Int) async throws {
    let whole = try Self.catalog(Self.isLong ? 1600 : 40)
    #expect(Self.read(whole) && (!Self.isLong || whole.count > 64 << 10))
    try await computing {
      for place in stride(from: share, to: whole.count, by: 4) {
        #expect(!Self.read(Array(whole[..<place])), "\(place)")
        for bit in 0..<8 as Range<UInt8> {
          var bytes = whole
          bytes[place] ^= 1 << bit
          #expect(!Self.read(bytes), "bit \(bit) at \(place)")
        }
      }
    }
  }

  @Test("a catalog that a worker forged at random never crashes the reader")
  func forgedCatalog() throws {
    var random = SeededNumbers(seed: 21)
    let whole = try Self.catalog()
    for _ in 0..<5000 {
      var bytes = whole
      let place = Int.random(in: (whole.count - 120)..<whole.count, using: &random)
      bytes[place] = UInt8.random(in: 0...255, using: &random)
      _ = Self.read(ForgedCatalog.sealed(Self.changed(bytes, &random)))
    }
  }
}

/// Random numbers that are the same in every run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
