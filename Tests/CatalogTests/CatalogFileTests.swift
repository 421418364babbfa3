// SPDX-License-Identifier: Apache-2.0
// A catalog gives back every photo and option that was written into it; a forged one is damage.

import Catalog
import Digests
import Support
import Testing
import Vocabulary

@Suite("The catalog")
struct CatalogFileTests {
  static func file(
    _ rows: [CatalogRow], _ options: ListOptions = ListOptions()
  ) throws -> MemoryFile {
    let file = MemoryFile("what was there before, and is longer than the whole catalog will be")
    var writer = try CatalogWriter(file, limits: ListLimits())
    for row in rows { try writer.add(row) }
    try writer.finish(options)
    return file
  }

  static func row(_ number: Int) -> CatalogRow {
    CatalogRow(
      name: Array("photo \(number)".utf8), url: Array("http://x/\(number)".utf8),
      place: .byte(UInt64(number)))
  }

  @Test("every photo is found by its number", arguments: [1, 15, 16, 17, 31, 32, 33, 5000])
  func numbers(count: Int) throws {
    let catalog = try CatalogFile(Self.file((1...count).map(Self.row)), limits: ListLimits())
    #expect(catalog.count == UInt32(count))
    for number in [1, count, (count + 1) / 2, 1] + Array(1...count) {
      let entry = try catalog.entry(UInt32(number))
      #expect(entry.name == "photo \(number)")
      #expect(entry.url == "http://x/\(number)")
      #expect(entry.place == .byte(UInt64(number)))
      #expect(entry.failure == nil)
    }
    for number in [0, UInt32(count) + 1, .max] {
      #expect(throws: Failure.self) { try catalog.entry(number) }
    }
  }

  @Test("a photo of a damaged block is not read, those of the other blocks are")
  func damagedBlock() throws {
    var bytes = try Self.file((1...40).map(Self.row)).bytes
    let name = Array("photo 20".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    bytes[place] ^= 1
    let catalog = try CatalogFile(MemoryFile(bytes), limits: ListLimits())
    for number in 17...32 as ClosedRange<UInt32> {
      let failure = #expect(throws: Failure.self) { try catalog.entry(number) }
      #expect(failure?.code == "catalog.damaged")
    }
    for number in [1, 16, 33, 40] as [UInt32] {
      #expect(try catalog.entry(number).name == "photo \(number)")
    }
  }

  @Test(
    "options are kept",
    arguments: [
      ListOptions(), ListOptions(title: "Été", serviceClass: .background, filter: .standard),
      ListOptions(filter: .sepia(thousandths: 1)),
      ListOptions(quality: .source, metadata: .keep),
      ListOptions(quality: .level(100), metadata: .copyright),
      ListOptions(notify: try? PhotoURL(parsing: "https://h.example:8443/a/b?token=x")),
    ])
  func options(options: ListOptions) throws {
    let catalog = try CatalogFile(Self.file([Self.row(1)], options), limits: ListLimits())
    #expect(catalog.options == options)
  }

  @Test("the classes of single photos are kept, and where they are; the others cost nothing")
  func classes() throws {
    let owns: [Int: ServiceClass] = [3: .background, 17: .userInteractive, 40: .background]
    let rows = (1...50).map { number in
      CatalogRow(
        name: Array("photo \(number)".utf8), url: Array("http://x/\(number)".utf8),
        options: PhotoOptions(serviceClass: owns[number]), place: .byte(UInt64(number)))
    }
    let catalog = try CatalogFile(Self.file(rows), limits: ListLimits())
    #expect(catalog.spans.map(\.serviceClass) == [.background, .userInteractive])
    #expect(catalog.spans.map(\.first) == [3, 17] && catalog.spans.map(\.last) == [40, 17])
    for number: UInt32 in 1...50 {
      #expect(try catalog.entry(number).options.serviceClass == owns[Int(number)])
    }
    let plain = try CatalogFile(Self.file((1...50).map(Self.row)), limits: ListLimits())
    #expect(plain.spans.isEmpty)
    #expect(try catalog.entry(3).isSame(as: plain.entry(3)), "its print is the same")
  }

  @Test func `photos are the same by the bytes of their names`() throws {
    let (short, long) = ("\u{e9}", "e\u{301}")
    #expect(short == long, "in a normal form")
    let rows = [short, long].map {
      CatalogRow(name: Array($0.utf8), url: Array("http://x/".utf8), place: .byte(0))
    }
    let catalog = try CatalogFile(Self.file(rows), limits: ListLimits())
    let entries = try [catalog.entry(1), catalog.entry(2)]
    #expect(!entries[0].isSame(as: entries[1]) && entries[0].workHash != entries[1].workHash)
    #expect(entries[0].isSame(as: entries[0]) && entries[0].workHash == entries[0].workHash)
  }

  @Test("a problem is kept, and the photo fails with it")
  func problem() throws {
    let row = CatalogRow(
      name: [], url: [], problem: "its URL is empty (line 9)", place: .line(9))
    let entry = try CatalogFile(Self.file([row]), limits: ListLimits()).entry(1)
    #expect(entry.problem == "its URL is empty (line 9)")
    #expect(
      entry.failure
        == Failure(
          .final, code: "list.entry", reason: "its URL is empty (line 9)",
          advice: "Correct the list and drop it again"))
  }

  @Test("a problem that is too long is cut between characters")
  func longProblem() throws {
    let long = String(repeating: "é", count: 5000)
    let row = CatalogRow(name: [0x61], url: [], problem: "x" + long, place: .line(9))
    let entry = try CatalogFile(Self.file([row]), limits: ListLimits()).entry(1)
    #expect(entry.problem == "x" + long.prefix(511))
  }

  @Test("names and URLs may be as long as the limits of the writer and the reader")
  func longest() throws {
    let limits = ListLimits(keyBytes: 100, valueBytes: 200)
    let row = CatalogRow(
      name: [UInt8](repeating: 0x61, count: 100), url: [UInt8](repeating: 0x62, count: 200),
      place: .line(1))
    let file = try Self.file([CatalogRow](repeating: row, count: 20))
    #expect(try CatalogFile(file, limits: limits).entry(20).url.utf8.count == 200)
    for narrow in [ListLimits(keyBytes: 99), ListLimits(valueBytes: 199)] {
      let catalog = try CatalogFile(file, limits: narrow)
      #expect(throws: Failure.self) { try catalog.entry(1) }
    }
    #expect(throws: Failure.self) { try CatalogFile(file, limits: ListLimits(photos: 19)) }
  }

  @Test("the worked example in the description of the format is written exactly")
  func example() throws {
    let row = CatalogRow(
      name: Array("Barn".utf8), url: Array("http://x/b".utf8), place: .line(5))
    let file = try Self.file([row], ListOptions(title: "Two"))
    let head = Array("drcatlg".utf8) + [1]
    let entry = [21, 1, 4] + Array("Barn".utf8) + [2, 10] + Array("http://x/b".utf8) + [4, 1, 5]
    let options = [1, 3] + Array("Two".utf8)
    let index: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0] + Self.crc(entry)
    let footer: [UInt8] =
      [30, 0, 0, 0, 0, 0, 0, 0, 35, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    #expect(
      file.bytes == head + entry + options + index + footer
        + Self.crc(options + index + footer) + Array("drcatend".utf8))
  }

  @Test("a catalog from before photos had their own options is read, without options")
  func old() throws {
    let row = CatalogRow(name: [0x61], url: [0x62], place: .line(5))
    let file = try Self.file([row])
    #expect(file.bytes[8..<18] == [9, 1, 1, 0x61, 2, 1, 0x62, 4, 1, 5], "as it was written then")
    #expect(try CatalogFile(file, limits: ListLimits()).entry(1).options == PhotoOptions())
  }

  @Test(
    "a photo's own options are kept",
    arguments: [
      PhotoOptions(), PhotoOptionTests.all, PhotoOptions(checksum: PhotoOptionTests.digest),
      PhotoOptions(filter: .sepia(thousandths: 0)), PhotoOptions(quality: .source),
      PhotoOptions(quality: .level(100)), PhotoOptions(metadata: .keep),
    ])
  func ownOptions(options: PhotoOptions) throws {
    let rows = (1...40).map { number in
      CatalogRow(
        name: [0x61], url: [0x62], options: number % 3 == 0 ? options : PhotoOptions(),
        place: .line(UInt64(number)))
    }
    let catalog = try CatalogFile(Self.file(rows), limits: ListLimits())
    for number in UInt32(1)...40 {
      let entry = try catalog.entry(number)
      #expect(entry.options == (number % 3 == 0 ? options : PhotoOptions()))
      #expect(entry.place == .line(UInt64(number)))
    }
  }

  /// Options of a photo as a hostile worker could write them, and whether they are read.
  static let forged: [(String, UInt8, [UInt8], Bool)] = [
    ("a checksum", 128, [UInt8](repeating: 7, count: 32), true),
    ("half a checksum", 128, [UInt8](repeating: 7, count: 16), false),
    ("a checksum and more", 128, [UInt8](repeating: 7, count: 33), false),
    ("no checksum", 128, [], false),
    ("a filter", 129, Array("sepia(0.5)".utf8), true),
    ("a filter that there is not", 129, Array("blur(3)".utf8), false),
    ("a filter that is no text", 129, [0xFF, 0xFE], false),
    ("a filter as long as may be", 129, Array("sepia(0.5)".utf8) + spaces(54), true),
    ("a filter that is longer", 129, Array("sepia(0.5)".utf8) + spaces(55), false),
    ("a filter of 60 KiB", 129, Array("sepia(0.5)".utf8) + spaces(60 << 10), false),
    ("no filter", 129, [], false),
    ("a quality", 130, Array("1".utf8), true),
    ("a quality of nothing", 130, Array("0".utf8), false),
    ("a quality above all", 130, Array("101".utf8), false),
    ("a quality of many digits", 130, [UInt8](repeating: 0x39, count: 64), false),
    ("a quality in another spelling", 130, Array("+7".utf8), false),
    ("a rule", 131, Array("copyright".utf8), true),
    ("a rule that there is not", 131, Array("all".utf8), false),
    ("a rule with an end that nobody sees", 131, Array("keep\0".utf8), false),
    ("what must be understood and is not", 132, [1], false),
    ("what need not be understood", 127, [1], true),
  ]

  private static func spaces(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

  @Test("an option that the catalog writer never writes is damage", arguments: forged)
  func isForged(what: String, tag: UInt8, value: [UInt8], isRead: Bool) throws {
    let catalog = try CatalogFile(
      MemoryFile(ForgedCatalog.one(field: tag, value)), limits: ListLimits())
    if isRead {
      #expect(try catalog.entry(1).name == "a")
    } else {
      let failure = #expect(throws: Failure.self) { try catalog.entry(1) }
      #expect(failure?.code == "catalog.damaged")
    }
  }

  @Test("a field that claims too many bytes is damage", arguments: [UInt8(128), 129, 130, 131])
  func overlong(tag: UInt8) throws {
    for size: [UInt8] in [[0x7F], [0xFF, 0x7F], [UInt8](repeating: 0xFF, count: 9), [0x80]] {
      let file = MemoryFile(ForgedCatalog.one(fields: [tag] + size + [0x6B]))
      #expect(throws: Failure.self) { try CatalogFile(file, limits: ListLimits()).entry(1) }
    }
  }

  private static func crc(_ bytes: [UInt8]) -> [UInt8] {
    let crc = CRC32C.checksum(bytes)
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: crc >> UInt32($0)) }
  }

  @Test("fields of a later version are skipped, unless they must be understood")
  func growth() throws {
    let name: [UInt8] = [1, 1, 0x61]
    let url: [UInt8] = [2, 1, 0x62]
    for (tag, isRead) in [
      (UInt8(9), true), (127, true), (128, false), (132, false), (255, false),
    ] {
      let fields = name + [tag, 2, 7, 7] + url
      let entry = [UInt8(fields.count)] + fields
      var bytes = Array("drcatlg".utf8) + [1] + entry
      let options = UInt8(bytes.count)
      bytes += [8, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0]
      for offset in [options, options] { bytes += [offset, 0, 0, 0, 0, 0, 0, 0] }
      bytes += [1, 0, 0, 0] + [0, 0, 0, 0] + Array("drcatend".utf8)
      let file = MemoryFile(ForgedCatalog.sealed(bytes))
      let catalog = try CatalogFile(file, limits: ListLimits())
      #expect(((try? catalog.entry(1)) != nil) == isRead, "\(tag)")
    }
  }
}
