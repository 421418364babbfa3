// SPDX-License-Identifier: Apache-2.0
// A look at the journal file: it sees what a start would see, finds every damage, and changes nothing.

import Record
import Support
import Testing
import Vocabulary

struct JournalLookTests {
  /// Two generations, the newest with several groups.
  private func worked(_ seed: UInt64) throws -> JournalDesk {
    var random = SimulatedRandom(seed: seed)
    var desk = try JournalDesk(SimulatedDisk(), segmentBytes: 900)
    repeat { try desk.work(1, &random) } while try desk.names().count < 4
    try desk.work(5, &random)
    return desk
  }

  private func contents(_ desk: JournalDesk) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try desk.folder.names() { contents["\(name)"] = try desk.bytes(of: name) }
    return contents
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a look sees the state that a start finds, and changes nothing`(seed: UInt64) throws {
    let desk = try worked(seed)
    let before = try contents(desk)
    var lines: [JournalLook.Line] = []
    let look = try JournalLook.run(desk.folder) { lines.append($0) }
    #expect(look.isWhole && look.tornBytes == 0)
    #expect(look.newest.ledger == desk.ledger && look.newest.sequence == desk.journal.sequence)
    #expect(lines.allSatisfy { $0.fate == .counted })
    let sequences = lines.compactMap { UInt64($0.text.prefix { $0 != " " }) }
    #expect(sequences == (sequences[0]..<(sequences[0] + UInt64(lines.count))).map { $0 })
    #expect(
      sequences.last == desk.journal.sequence
        && look.kinds.values.reduce(0, +) == UInt64(lines.count))
    #expect(try contents(desk) == before)
  }

  @Test func `an acknowledged record at the end is damage, an append under way is not`() throws {
    let desk = try worked(2)
    let number = try #require(desk.journal.segmentNumber)
    let whole = try desk.bytes(of: JournalFolder.log(number))
    try desk.replace(JournalFolder.log(number), with: whole + Array("12345678 99 1763".utf8))
    let torn = try JournalLook.run(desk.folder)
    #expect(torn.isWhole && torn.tornBytes == 16)

    var flipped = whole
    flipped[whole.count - 3] ^= 1
    try desk.replace(JournalFolder.log(number), with: flipped)
    let damaged = try JournalLook.run(desk.folder)
    #expect(damaged.damages.map(\.file) == ["\(JournalFolder.log(number))"])
    #expect(damaged.damages.map { $0.offset + $0.bytes } == [UInt64(whole.count)])
    #expect(damaged.tornBytes == 0 && damaged.missing == 1)
    // A start tells it, too.
    #expect(try JournalDesk(desk.disk).start.recovery.damages == damaged.damages)
  }

  @Test func `an old length is true, and none makes the end uncertain`() throws {
    let desk = try worked(6)
    let number = try #require(desk.journal.segmentNumber)
    let before = try desk.bytes(of: JournalFolder.end(number))
    var after = desk
    var random = SimulatedRandom(seed: 7)
    try after.work(3, &random)
    #expect(try after.bytes(of: JournalFolder.end(number)) != before)
    var bytes = try after.bytes(of: JournalFolder.log(number))
    bytes[bytes.count - 3] ^= 1
    try after.replace(JournalFolder.log(number), with: bytes)
    for length in [before, []] {
      try after.replace(JournalFolder.end(number), with: length)
      let look = try JournalLook.run(after.folder)
      #expect(look.isWhole && look.tornBytes > 0)
    }
  }

  @Test func `lost records are counted, also between two generations`() throws {
    let desk = try worked(1)
    let log = JournalFolder.log(try #require(desk.journal.segmentNumber) - 1)
    let bytes = try desk.bytes(of: log)
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    // Without its last two records, which their successor proves.
    let rest = lines.dropLast(3).joined(separator: [0x0A]) + [0x0A]
    try desk.replace(log, with: Array(rest))
    // The length of the older segment proves them, too.
    for _ in 1...2 {
      let look = try JournalLook.run(desk.folder)
      #expect(look.missing == 2 && !look.isWhole && look.newest.ledger == desk.ledger)
      try desk.folder.removeIfThere(
        JournalFolder.end(try #require(desk.journal.segmentNumber) - 1))
    }
  }

  @Test func `a record that is missing at the end of the last segment is counted`() throws {
    let desk = try worked(1)
    let log = JournalFolder.log(try #require(desk.journal.segmentNumber))
    let bytes = try desk.bytes(of: log)
    let end = try #require(bytes.dropLast().lastIndex(of: 0x0A))
    try desk.replace(log, with: Array(bytes[...end]))
    let look = try JournalLook.run(desk.folder)
    #expect(look.missing == 1 && !look.isWhole)
    #expect(look.newest.sequence == desk.journal.sequence)
    #expect(try JournalDesk(desk.disk).start.recovery.missing == 1)
  }

  @Test(arguments: [UInt64.max, UInt64.max / 2 + 1])
  func `a number that no journal reaches is damage, and the next start goes on`(after: UInt64)
    throws
  {
    let desk = try worked(9)
    let number = try #require(desk.journal.segmentNumber)
    for number in [number - 1, number] {
      let header = SegmentHeader(
        segment: number, stateID: desk.start.recovery.stateID, bootID: "boot", after: after)
      let log = JournalFolder.log(number)
      let rest = try desk.bytes(of: log).drop { $0 != 0x0A }.dropFirst()
      try desk.replace(log, with: header.line + rest)
    }
    let look = try JournalLook.run(desk.folder)
    #expect(!look.isWhole && look.missing < after)
    var next = try JournalDesk(desk.disk)
    var random = SimulatedRandom(seed: 10)
    try next.work(1, &random)
  }

  @Test func `after the last sequence number nothing is recorded any more`() throws {
    let desk = try worked(9)
    let number = try #require(desk.journal.segmentNumber)
    let header = SegmentHeader(
      segment: number, stateID: desk.start.recovery.stateID, bootID: "boot",
      after: UInt64(Int64.max))
    let log = JournalFolder.log(number)
    let rest = try desk.bytes(of: log).drop { $0 != 0x0A }.dropFirst()
    try desk.replace(log, with: header.line + rest)
    var next = try JournalDesk(desk.disk)
    var random = SimulatedRandom(seed: 10)
    let trouble = #expect(throws: Journal.Trouble.self) { try next.work(1, &random) }
    guard case .over = trouble else {
      Issue.record("\(String(describing: trouble))")
      return
    }
  }

  @Test func `without a number for the next segment the start fails, and nothing is lost`() throws {
    let desk = try worked(12)
    let name = FileName(literal: "0999999999999999.log")
    try desk.replace(name, with: [0x0A])
    let failure = #expect(throws: Failure.self) { try JournalDesk(desk.disk) }
    #expect(failure?.kind == .machine && failure?.reason.contains("1000000000000000") == true)
    try desk.folder.remove(name)
    #expect(try JournalDesk(desk.disk).ledger == desk.ledger)
  }

  @Test func `a folder with a number that no list can have reserves none`() {
    var ledger = Ledger()
    ledger.reserve(upTo: ListID(UInt64(Int64.max)))
    #expect(ledger.nextList == ListID(1))
    ledger.reserve(upTo: ListID(17))
    #expect(ledger.nextList == ListID(18))
  }

  @Test(
    arguments: ["9999999999999999.log", "9.log", "notes.log", "00000000000000x1.snap", "end.end"])
  func `a name that no journal gives is left alone`(name: String) throws {
    let desk = try worked(11)
    let number = try #require(desk.journal.segmentNumber)
    let name = try #require(FileName(name))
    try desk.replace(name, with: [0x0A])
    #expect(try JournalLook.run(desk.folder).isWhole)
    #expect(try JournalDesk(desk.disk).journal.segmentNumber == number + 1)
    #expect(try desk.bytes(of: name) == [0x0A])
  }

  /// As when the daemon, meanwhile, begins a generation and removes an old one.
  @Test(arguments: [SimulatedDisk.Call.open, .status])
  func `a file that disappears before the first line makes the look begin again`(
    call: SimulatedDisk.Call
  ) throws {
    let desk = try worked(12)
    var lines: [JournalLook.Line] = []
    _ = try JournalLook.run(desk.folder) { lines.append($0) }
    for first in 1...2 {
      desk.disk.fail(SimulatedDisk.Fault(call, code: 2, first: first))
      var again: [JournalLook.Line] = []
      let look = try JournalLook.run(desk.folder) { again.append($0) }
      #expect(look.isWhole && look.newest.ledger == desk.ledger)
      #expect(again == lines)
    }
  }

  @Test func `a look that finds a file missing again and again ends after five tries`() throws {
    let desk = try worked(12)
    for (code, tries) in [(2 as Int32, 5), (5, 1)] {
      desk.disk.fail(SimulatedDisk.Fault(.status, code: code, isPermanent: true))
      let before = desk.disk.count(.list)
      let failure = #expect(throws: Failure.self) { try JournalLook.run(desk.folder) }
      #expect(failure?.code == "system.\(code)" && desk.disk.count(.list) - before == tries)
    }
  }

  @Test func `a lost segment is damage, with or without its snapshot`() throws {
    let desk = try worked(8)
    let number = try #require(desk.journal.segmentNumber)
    try desk.folder.remove(JournalFolder.log(number))
    for _ in 1...2 {
      let look = try JournalLook.run(desk.folder)
      #expect(look.damages.map(\.file) == ["\(JournalFolder.log(number))"] && look.missing > 0)
      #expect(look.newest.sequence == desk.journal.sequence)
      try desk.folder.removeIfThere(JournalFolder.snapshot(number))
    }
    // Its number is not used again.
    #expect(try JournalDesk(desk.disk).journal.segmentNumber == number + 1)
  }

  @Test func `a segment is checked without its snapshot, and the damaged snapshot has its size`()
    throws
  {
    let desk = try worked(4)
    let number = try #require(desk.journal.segmentNumber)
    let name = JournalFolder.snapshot(number - 1)
    let bytes = try desk.bytes(of: name)
    try desk.replace(name, with: bytes.map { $0 ^ 1 })
    var older: [JournalLook.Line] = []
    let look = try JournalLook.run(desk.folder) { line in
      if line.file == "\(JournalFolder.log(number - 1))" { older.append(line) }
    }
    let damage = JournalDamage(file: "\(name)", offset: 0, bytes: UInt64(bytes.count))
    #expect(look.damages == [damage] && look.missing == 0 && !look.newest.isLost)
    #expect(!older.isEmpty && older.allSatisfy { $0.fate == .counted })
    #expect(look.newest.ledger == desk.ledger)
  }

  @Test func `without a snapshot and the first segment all is told that is left`() throws {
    let desk = try worked(5)
    let number = try #require(desk.journal.segmentNumber)
    let names = [JournalFolder.snapshot(number - 1), JournalFolder.snapshot(number)]
    for name in names { try desk.replace(name, with: [0x0A]) }
    if number == 2 { try desk.folder.remove(JournalFolder.log(1)) }
    let lists = try desk.disk.rootFolder.folder(FileName(literal: "lists"), creating: true)
    _ = try lists.folder(FileName(number: 1), creating: true)
    #expect(throws: Failure.self) { try JournalDesk(desk.disk.copy()) }
    var lines: [JournalLook.Line] = []
    let look = try JournalLook.run(desk.folder) { lines.append($0) }
    #expect(look.newest.isLost && !look.isWhole)
    #expect(Set(look.damages.map(\.file)) == Set(names.map { "\($0)" }))
    #expect(
      lines.allSatisfy { $0.fate == .counted } && look.newest.sequence == desk.journal.sequence)
    // All records before the first line that is left.
    let first = try #require(lines.first.flatMap { UInt64($0.text.prefix { $0 != " " }) })
    #expect(look.missing == first - 1)
  }

  @Test func `of files without any readable head only the damage is told`() throws {
    let desk = try worked(13)
    let names = try desk.folder.names().filter { !$0.hasSuffix(".end") }
    for name in names { try desk.replace(name, with: Array("nothing of ours\n".utf8)) }
    var fates: Set<JournalLine.Fate> = []
    let look = try JournalLook.run(desk.folder) { fates.insert($0.fate) }
    #expect(look.newest.isLost && !look.isWhole && look.newest.ledger.lists.isEmpty)
    #expect(Set(look.damages.map(\.file)) == Set(names.map { "\($0)" }))
    #expect(fates.isEmpty)
  }

  @Test func `lines are passed on while the files are read`() throws {
    let desk = try worked(7)
    var readings: [Int] = []
    _ = try JournalLook.run(desk.folder) { _ in readings.append(desk.disk.count(.read)) }
    let (first, last) = (try #require(readings.first), try #require(readings.last))
    #expect(first < last && desk.disk.count(.read) > last)
  }

  @Test func `a folder without a journal file is an error`() throws {
    let disk = SimulatedDisk()
    let failure = #expect(throws: Failure.self) { try JournalLook.run(disk.rootFolder) }
    #expect(failure?.code == "journal.none")
  }
}
