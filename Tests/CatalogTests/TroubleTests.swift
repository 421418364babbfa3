// SPDX-License-Identifier: Apache-2.0
// Lists and catalogs on a disk that fails, and in files that another process cuts or overwrites meanwhile.

import Support
import Testing
import Vocabulary

@testable import Catalog
@testable import Markup

@Suite("Trouble with the files")
struct TroubleTests {
  typealias Fault = SimulatedDisk.Fault

  private static func file(_ bytes: [UInt8], on disk: SimulatedDisk) throws -> any OpenFile {
    let file = try disk.rootFolder.open(FileName(literal: "file"), .create)
    try file.write(bytes, at: 0)
    return file
  }

  // MARK: Catalogs

  @Test(
    "a catalog on a failing disk is trouble of this machine, and not damage",
    arguments: [SimulatedDisk.Call.status, .read])
  func failingCatalog(call: SimulatedDisk.Call) throws {
    let disk = SimulatedDisk()
    let file = try Self.file(
      CatalogFileTests.file((1...40).map(CatalogFileTests.row)).bytes, on: disk)
    var failed = 0
    for first in 1...20 {
      disk.fail(Fault(call, code: 5, first: first))
      do throws(Failure) {
        let catalog = try CatalogFile(file, limits: ListLimits())
        let entry = try catalog.entry(40)
        #expect(entry.name == "photo 40")
      } catch {
        #expect(error.kind == .machine && error.code == "system.5")
        failed += 1
      }
    }
    #expect(failed == (call == .status ? 1 : 6), "head, footer, options, checksum, row, block")
  }

  @Test("a catalog that is cut while it is read is damaged, wherever the cut falls")
  func shrinkingCatalog() throws {
    let whole = try CatalogFileTests.file(
      (1...40).map(CatalogFileTests.row), ListOptions(title: "Summer")
    ).bytes
    for reads in 0...5 {
      for size in 0..<whole.count {
        let file = ShrinkingFile(whole, to: size, afterReads: reads)
        do throws(Failure) {
          let catalog = try CatalogFile(file, limits: ListLimits())
          // The cut falls behind what the rest needs.
          let entry = try catalog.entry(1)
          #expect(entry.name == "photo 1" && reads >= 2, "the footer was whole")
        } catch { #expect(error.code == "catalog.damaged") }
      }
    }
  }

  @Test("a title that is too long is damage of the catalog")
  func longTitle() throws {
    for (count, isRead) in [(1000, true), (1001, false)] {
      let options = ListOptions(title: String(repeating: "x", count: count))
      let file = try CatalogFileTests.file([CatalogFileTests.row(1)], options)
      let catalog = try? CatalogFile(file, limits: ListLimits())
      #expect(catalog?.options == (isRead ? options : nil))
    }
  }

  @Test("a block has no entry behind its last one, and none beyond sixteen")
  func blocks() throws {
    var entry: [UInt8] = []
    CatalogFileTests.row(7).encode(into: &entry)
    let limits = ListLimits()
    let two = try #require(CatalogBlock(entry + entry))
    #expect(two.count == 2 && two.entry(1, limits)?.name == "photo 7")
    #expect(two.entry(2, limits) == nil && two.entry(.max, limits) == nil)
    let sixteen = [[UInt8]](repeating: entry, count: 16).flatMap { $0 }
    #expect(CatalogBlock(sixteen)?.count == 16 && CatalogBlock(sixteen + entry) == nil)
    // A size that is cut off, and one that is larger than the rest.
    for tail in [[0x80], [UInt8](repeating: 0xFF, count: 9), [2, 1]] as [[UInt8]] {
      #expect(CatalogBlock(entry + tail) == nil)
    }
  }

  @Test("the writer gives back every photo that it has taken")
  func readBack() throws {
    var writer = try CatalogWriter(MemoryFile(), limits: ListLimits())
    for number in 1...40 { try writer.add(CatalogFileTests.row(number)) }
    for number in [1, 16, 17, 32, 33, 40] as [UInt32] {
      #expect(try writer.entry(number).name == "photo \(number)")
    }
  }

  @Test("a photo that cannot be read back is trouble of this machine, not a new name")
  func lostReadBack() throws {
    let body = "<dict><key>a</key><string>u</string><key>a</key><string>v</string></dict>"
    for size in 0...8 {
      let failure = #expect(throws: Failure.self) {
        try ListReader.read(
          list: MemoryFile(ReadList.document(body)),
          catalog: CutCatalog(to: size), limits: ListLimits())
      }
      #expect(failure?.kind == .machine && failure?.code == "system.5")
    }
  }

  @Test(
    "a disk that fails under the catalog ends the reading of the list",
    arguments: [SimulatedDisk.Call.status, .truncate, .write, .read])
  func failingWriter(call: SimulatedDisk.Call) throws {
    let disk = SimulatedDisk()
    let file = try Self.file([1], on: disk)
    disk.fail(Fault(call, code: 28, isPermanent: true))
    let body = "<dict><key>a</key><string>u</string><key>a</key><string>v</string></dict>"
    let failure = #expect(throws: Failure.self) {
      try ListReader.read(
        list: MemoryFile(ReadList.document(body)), catalog: file, limits: ListLimits())
    }
    #expect(failure?.kind == .machine && failure?.code == "disk.full")
  }

  // MARK: Lists

  static let lists: [(String, [UInt8])] = [
    ("XML", Array(ReadList.document("<dict><key>a</key><string>u</string></dict>").utf8)),
    ("binary", BinaryTests.spread),
  ]

  @Test(
    "a list on a failing disk is trouble of this machine, and no fault of the list",
    arguments: lists)
  func failingList(form: String, bytes: [UInt8]) throws {
    let disk = SimulatedDisk()
    let file = try Self.file(bytes, on: disk)
    for (call, first) in [(SimulatedDisk.Call.status, 1), (.read, 1), (.read, 2), (.read, 3)] {
      disk.fail(Fault(call, code: 5, first: first))
      let failure = #expect(throws: Failure.self) {
        try ListReader.read(list: file, catalog: MemoryFile(), limits: ListLimits())
      }
      #expect(failure?.kind == .machine && failure?.code == "system.5", "\(call) \(first)")
    }
  }

  @Test("a parser without memory is trouble of this machine, and no fault of the list")
  func memory() {
    let error = MarkupFault(
      kind: .memory, line: 3, column: 1, offset: 40, words: MarkupFault.noMemory)
    #expect(
      ListReader.failure(error, around: ([], []), isDone: false)
        == Failure(.machine, code: "list.memory", reason: "no memory is left to read it"))
  }
}

/// A catalog that loses all bytes behind `size` whenever it is written.
private final class CutCatalog: OpenFile {
  private let file = MemoryFile()
  private let size: Int

  init(to size: Int) { self.size = size }

  var descriptor: Int32 { -1 }
  func status() throws(SystemError) -> FileStatus { try file.status() }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    Array(try file.read(at: offset, upTo: count).prefix(max(0, size - Int(offset))))
  }
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    try file.write(bytes, at: offset)
  }
  func truncate(to size: UInt64) throws(SystemError) { try file.truncate(to: size) }
  func reserve(_ size: UInt64) throws(SystemError) {}
  func sync() throws(SystemError) {}
}
