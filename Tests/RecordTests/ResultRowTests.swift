// SPDX-License-Identifier: Apache-2.0
// Rows of results: whole, torn, out of place, and with texts that are too long.

import Record
import Support
import Testing
import Vocabulary

struct ResultRowTests {
  static let photo = Samples.photo(17, 3)
  static let row = ResultRow(
    photo: 3, state: .failed, format: 1, httpStatus: 404, attempts: 2, bytes: 1 << 40,
    width: 6000, height: 4000, sha256: Array(0..<32), queuedMicroseconds: 1,
    downloadMicroseconds: 2, filterMicroseconds: 3, outputMicroseconds: .max,
    code: "http.404", reason: "the server says that there is no such picture")

  @Test func `a row has 256 bytes and comes back whole`() {
    let bytes = Self.row.encoded(for: ListID(17))
    #expect(bytes.count == 256 && ResultRow.size == 256)
    #expect(ResultRow(bytes, for: Self.photo) == Self.row)
    let bare = ResultRow(photo: 3, state: .filtered)
    #expect(ResultRow(bare.encoded(for: ListID(17)), for: Self.photo) == bare)
  }

  @Test func `no flipped bit, no torn row and no row of another place passes`() {
    let bytes = Self.row.encoded(for: ListID(17))
    for bit in 0..<(bytes.count * 8) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(ResultRow(flipped, for: Self.photo) == nil)
    }
    for count in 0..<(bytes.count - 1) {
      let torn = Array(bytes[..<count]) + [UInt8](repeating: 0, count: bytes.count - count)
      #expect(ResultRow(torn, for: Self.photo) == nil)
    }
    #expect(ResultRow(bytes, for: Samples.photo(17, 4)) == nil)
    #expect(ResultRow(bytes, for: Samples.photo(18, 3)) == nil)
  }

  /// `DAMAGE=long` takes 64 KiB of rows.
  @Test func `a flipped bit or a cut of a results file costs one row, and the loss is told`()
    async throws
  {
    let count: UInt32 = JournalDamageTests.isLong ? 258 : 6
    try await computing {
      let disk = SimulatedDisk()
      var effects = DurableEffects(disk.rootFolder, rows: ResultRows(lists: disk.rootFolder))
      for number in 1...count {
        let row = ResultRow(photo: number, state: .filtered, bytes: UInt64(number), code: "none")
        #expect(effects.perform([[.row(ListID(17), row)]]).isEmpty)
      }
      for place in ResultRow.size..<(Int(count - 1) * ResultRow.size) {
        let hit = UInt32(place / ResultRow.size) + 1
        for bit in 0..<8 as Range<UInt8> {
          let found = try Self.outcomes(disk, around: hit) { file in
            let byte = try file.read(at: UInt64(place), upTo: 1)[0]
            try file.write([byte ^ 1 << bit], at: UInt64(place))
          }
          if found != ["good", "told", "good"] {
            return Self.tell("bit \(bit) at \(place)", found)
          }
        }
        let isBorder = place % ResultRow.size == 0
        let found = try Self.outcomes(disk, around: hit) { file in
          try file.truncate(to: UInt64(place))
        }
        // A row that is gone entirely is not counted; a list that is over says that its end is not known.
        if found != ["good", isBorder ? "none" : "told", "none"] {
          return Self.tell("cut at \(place)", found)
        }
      }
    }
  }

  private static func tell(_ damage: String, _ found: [String]) {
    Issue.record("\(damage): \(found)")
  }

  /// The fate of the rows before, at and behind the damaged one.
  private static func outcomes(
    _ disk: SimulatedDisk, around hit: UInt32, _ damage: (any OpenFile) throws -> Void
  ) throws -> [String] {
    let copy = disk.copy()
    let folder = try copy.rootFolder.folder(FileName(number: 17), creating: false)
    try damage(folder.open(FileName(literal: "results"), .write))
    let rows = ResultRows(lists: copy.rootFolder)
    return [hit - 1, hit, hit + 1].map { number in
      do throws(Failure) {
        guard let row = try rows.row(Samples.photo(17, number)) else { return "none" }
        return row.bytes == UInt64(number) && row.photo == number ? "good" : "wrong"
      } catch { return error.code == "results.damaged" ? "told" : error.code }
    }
  }

  @Test func `long texts are cut between characters`() {
    let row = ResultRow(
      photo: 1, state: .failed, code: String(repeating: "c", count: 99),
      reason: "x" + String(repeating: "é", count: 99))
    #expect(row.code.utf8.count == ResultRow.maximumCodeBytes)
    #expect(row.reason == "x" + String(repeating: "é", count: 70))
    #expect(ResultRow(row.encoded(for: ListID(1)), for: Samples.photo(1, 1)) == row)
    let odd = ResultRow(photo: 1, state: .failed, reason: String(repeating: "é", count: 99))
    #expect(odd.reason == String(repeating: "é", count: 70))
    #expect(ResultRow.maximumReasonBytes == 141)
  }

  @Test func `rows are read by photo, and a missing one is nil`() throws {
    let disk = SimulatedDisk()
    let lists = disk.rootFolder
    let rows = ResultRows(lists: lists)
    var effects = DurableEffects(disk.rootFolder, rows: rows)
    #expect(try rows.row(Self.photo) == nil)
    #expect(effects.perform([[.row(ListID(17), Self.row)]]).isEmpty)
    #expect(try rows.row(Self.photo) == Self.row)
    #expect(try rows.row(Samples.photo(17, 1)) == nil)
    #expect(try rows.row(Samples.photo(17, 4)) == nil)
    #expect(try rows.row(Samples.photo(17, 0)) == nil)
    #expect(try rows.row(Samples.photo(18, 3)) == nil)
    disk.crash(seed: 1)
    let after = ResultRows(lists: disk.rootFolder)
    #expect(try after.row(Self.photo) == Self.row)
    let folder = try disk.rootFolder.folder(FileName(number: 17), creating: false)
    try folder.open(FileName(literal: "results"), .write).write([0xFF], at: 2 * 256 + 90)
    let failure = #expect(throws: Failure.self) { try after.row(Self.photo) }
    #expect(failure?.code == "results.damaged")
  }

  @Test(arguments: [SimulatedDisk.Call.openFolder, .open])
  func `a results file that cannot be opened is trouble of this machine, not a missing row`(
    call: SimulatedDisk.Call
  ) throws {
    let disk = SimulatedDisk()
    let rows = ResultRows(lists: disk.rootFolder)
    var effects = DurableEffects(disk.rootFolder, rows: rows)
    #expect(effects.perform([[.row(ListID(17), Self.row)]]).isEmpty)
    disk.fail(SimulatedDisk.Fault(call, code: 5, isPermanent: true))
    let failures = [
      #expect(throws: Failure.self) { try rows.row(Self.photo) },
      #expect(throws: Failure.self) { try rows.reader(ListID(17)) },
    ]
    #expect(failures.allSatisfy { $0?.kind == .machine && $0?.code == "system.5" })
  }

  @Test func `a reader reads all rows, past holes, damage and the end`() throws {
    let disk = SimulatedDisk()
    let rows = ResultRows(lists: disk.rootFolder)
    #expect(try rows.reader(ListID(17)).row(1) == nil)
    var effects = DurableEffects(disk.rootFolder, rows: rows)
    let numbers: [UInt32] = [1, 2, 512, 513, 514, 1500]
    for number in numbers {
      let row = ResultRow(photo: number, state: .filtered, bytes: UInt64(number))
      #expect(effects.perform([[.row(ListID(17), row)]]).isEmpty)
    }
    let folder = try disk.rootFolder.folder(FileName(number: 17), creating: false)
    let file = try folder.open(FileName(literal: "results"), .write)
    try file.write([1], at: 256 + 100)
    let reader = try rows.reader(ListID(17))
    var found: [UInt32] = []
    for number in 1...1600 as ClosedRange<UInt32> where number != 2 {
      if let row = try reader.row(number) {
        #expect(row.photo == number && row.bytes == UInt64(number))
        found.append(number)
      }
    }
    #expect(found == numbers.filter { $0 != 2 })
    #expect(throws: Failure.self) { try reader.row(2) }
    // Reading backwards is slow, but right.
    #expect(try reader.row(1)?.photo == 1 && reader.row(0) == nil)
  }
}
