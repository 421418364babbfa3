// SPDX-License-Identifier: Apache-2.0
// Starts with segments of which one was abandoned, has lost its head, or holds records twice; and with bad
// bytes that are too many, or for which there is no room.

import Linux
import Record
import Support
import Testing
import Vocabulary

struct SegmentRecoveryTests {
  /// Two generations, the newest with several groups.
  private func worked(_ seed: UInt64) throws -> (desk: JournalDesk, last: UInt64) {
    var random = SimulatedRandom(seed: seed)
    var desk = try JournalDesk(SimulatedDisk(), segmentBytes: 900)
    repeat { try desk.work(1, &random) } while try desk.names().count < 6
    try desk.work(5, &random)
    return (desk, try #require(desk.journal.segmentNumber))
  }

  private func add(_ bytes: [UInt8], to name: FileName, of desk: JournalDesk) throws {
    try desk.replace(name, with: desk.bytes(of: name).filter { $0 != 0 } + bytes)
  }

  private func seed(_ segment: UInt64) -> UInt32 {
    SegmentHeader.seed(stateID: Samples.stateID, segment: segment)
  }

  @Test func `a line that came twice counts once`() throws {
    var desk = try JournalDesk(SimulatedDisk())
    try desk.record([Samples.accepted(1, photos: 2), .died(Samples.photo(1, 1))])
    let died = Checked.line("2 1.000 died 1 1", seed: seed(1))
    let tinted = Checked.line("3 1.000 tinted 1 1", seed: seed(1))
    try add(died + tinted + tinted + died, to: JournalFolder.log(1), of: desk)
    var fates: [JournalLine.Fate] = []
    #expect(try JournalLook.run(desk.folder) { fates.append($0.fate) }.isWhole)
    #expect(fates == [.counted, .counted, .superseded, .ignored, .superseded, .superseded])
    let again = try JournalDesk(desk.disk)
    #expect(again.ledger == desk.ledger && again.journal.sequence == 3)
    #expect(again.start.recovery.superseded == 3 && again.start.recovery.ignored == 1)
  }

  @Test func `a record behind the beginning of the next segment was never acknowledged`() throws {
    let (desk, last) = try worked(21)
    let next = try JournalLook.run(desk.folder).newest.after + 1
    let late = Checked.line("\(next) 1.000 rejected 900 code=late", seed: seed(last - 1))
    try add(late, to: JournalFolder.log(last - 1), of: desk)
    try desk.folder.remove(JournalFolder.snapshot(last))
    let again = try JournalDesk(desk.disk)
    #expect(again.start.recovery.superseded == 1 && again.start.recovery.damageCount == 0)
    #expect(again.ledger == desk.ledger && again.ledger.nextList < ListID(900))
  }

  @Test func `the torn end of an abandoned segment is no damage`() throws {
    let (desk, last) = try worked(22)
    let tail = Array("5d1f0a3c 99 17".utf8)
    try add(tail, to: JournalFolder.log(last - 1), of: desk)
    try desk.folder.remove(JournalFolder.snapshot(last))
    let again = try JournalDesk(desk.disk)
    let recovery = again.start.recovery
    #expect(recovery.tornBytes == UInt64(tail.count) && recovery.damageCount == 0)
    #expect(recovery.missing == 0 && again.ledger == desk.ledger)
  }

  @Test func `a bad end of an older segment is damage if the next one tells of its records`() throws
  {
    let (desk, last) = try worked(23)
    let name = JournalFolder.log(last - 1)
    var bytes = try desk.bytes(of: name).filter { $0 != 0 }
    let start = try #require(bytes.dropLast().lastIndex(of: 0x0A)) + 1
    bytes[start + 3] ^= 1
    try desk.replace(name, with: bytes)
    try desk.folder.remove(JournalFolder.snapshot(last))
    let recovery = try JournalDesk(desk.disk).start.recovery
    let damage = JournalDamage(
      file: "\(name)", offset: UInt64(start), bytes: UInt64(bytes.count - start))
    #expect(recovery.damages == [damage] && recovery.missing == 1 && recovery.tornBytes == 0)
  }

  @Test func `a segment without its head is damage, even if every record is there`() throws {
    let (desk, last) = try worked(24)
    let name = JournalFolder.log(last)
    let records = try desk.bytes(of: name).drop { $0 != 0x0A }.dropFirst()
    try desk.replace(name, with: Array(records))
    try desk.folder.remove(JournalFolder.end(last))
    let again = try JournalDesk(desk.disk)
    let damage = JournalDamage(file: "\(name)", offset: 0, bytes: 0)
    #expect(again.start.recovery.damages == [damage] && again.ledger == desk.ledger)
  }

  @Test func `an empty segment is damage, whether or not its length is known`() throws {
    let (desk, last) = try worked(25)
    let size = try UInt64(desk.bytes(of: JournalFolder.log(last)).prefix { $0 != 0 }.count)
    try desk.replace(JournalFolder.log(last), with: [])
    for bytes in [size, 0] {
      let damage = JournalDamage(file: "\(JournalFolder.log(last))", offset: 0, bytes: bytes)
      #expect(try JournalLook.run(desk.folder).damages == [damage])
      #expect(try JournalDesk(desk.disk.copy()).start.recovery.damages == [damage])
      try desk.folder.removeIfThere(JournalFolder.end(last))
    }
  }

  @Test func `of more than a mebibyte of bad bytes the beginning is kept aside`() throws {
    var desk = try JournalDesk(SimulatedDisk())
    try desk.record([Samples.accepted(1, photos: 3)])
    let name = JournalFolder.log(1)
    let head = try desk.bytes(of: name)
    try desk.record([.died(Samples.photo(1, 2))])
    let record = try desk.bytes(of: name).dropFirst(head.count)
    let bad = (0..<20).flatMap { number in
      [UInt8](repeating: 0x61 + UInt8(number), count: 99_999) + [0x0A]
    }
    try desk.replace(name, with: head + bad + record)
    let again = try JournalDesk(desk.disk)
    #expect(again.ledger == desk.ledger)
    let damage = JournalDamage(
      file: "\(name)", offset: UInt64(head.count), bytes: UInt64(bad.count))
    #expect(again.start.recovery.damages == [damage])
    let aside = try again.bytes(of: FileName(literal: "damaged-0000000000000001"))
    #expect(aside.count > 900_000 && aside.count <= 1 << 20)
    #expect(aside[...] == bad.prefix(aside.count))
  }

  @Test func `a torn tail stays while there is no room for its copy`() throws {
    let (desk, last) = try worked(26)
    let name = JournalFolder.log(last)
    let whole = try desk.bytes(of: name).filter { $0 != 0 }
    let tail = Array("5d1f0a3c 99 17".utf8)
    try desk.replace(name, with: whole + tail)
    desk.disk.setCapacity(0)
    let recovery = try JournalRecovery.run(
      JournalFolder(desk.folder), Samples.settings(), hasLists: true)
    #expect(recovery.ledger == desk.ledger && recovery.tornBytes == UInt64(tail.count))
    #expect(try desk.bytes(of: name) == whole + tail)
    #expect(try !desk.names().contains { $0.contains("torn") })
    desk.disk.setCapacity(nil)
    let again = try JournalDesk(desk.disk)
    #expect(again.ledger == desk.ledger)
    #expect(try again.bytes(of: name) == whole)
    let aside = try #require(FileName("torn-\("\(name)".prefix(16))"))
    #expect(try again.bytes(of: aside) == tail)
  }

  @Test func `the last eight files of bad bytes are kept`() throws {
    let disk = SimulatedDisk()
    var names: [String] = []
    for round in 1...11 {
      let desk = try JournalDesk(disk)
      let number = try #require(desk.journal.segmentNumber)
      try add(Array("torn \(round)".utf8), to: JournalFolder.log(number), of: desk)
      names.append("torn-\("\(JournalFolder.log(number))".prefix(16))")
    }
    let desk = try JournalDesk(disk)
    #expect(try desk.names().filter { $0.hasPrefix("torn-") } == names.suffix(8))
    let last = try #require(FileName(names[10]))
    #expect(try desk.bytes(of: last) == Array("torn 11".utf8))
  }

  @Test func `a file of more than a gibibyte is no snapshot, and is not read`() async throws {
    try await withScratchFolder { folder in
      var start = try RecorderStart.run(folder, Samples.settings(segmentBytes: 4096))
      let first = start.recovery.ledger
      start = try RecorderStart.run(folder, Samples.settings(segmentBytes: 4096))
      let name = JournalFolder.snapshot(2)
      let size: UInt64 = 1 << 30 + 1
      let journal = try folder.folder(FileName(literal: "journal"), creating: false)
      try journal.open(name, .write).truncate(to: size)
      let cut = Cut()
      let steps = CallLog<String>()
      cut.onStep { steps.add($0) }
      let again = try RecorderStart.run(
        CutFolder(folder, cut), Samples.settings(segmentBytes: 4096)
      ).recovery
      #expect(again.damages == [JournalDamage(file: "\(name)", offset: 0, bytes: size)])
      #expect(again.generation == 1 && again.ledger == first)
      #expect(steps.entries.contains("read \(JournalFolder.snapshot(1))"))
      #expect(!steps.entries.contains("read \(name)"))
    }
  }

  @Test func `a journal that is not synced notes no durable length`() throws {
    let disk = SimulatedDisk()
    let settings = JournalSettings(
      stateID: Samples.stateID, bootID: Samples.bootID, isSynced: false)
    var journal = try RecorderStart.run(disk.rootFolder, settings).journal
    let folder = try disk.rootFolder.folder(FileName(literal: "journal"), creating: false)
    try journal.append(Samples.at([Samples.accepted(1, photos: 1)])) { Ledger() }
    #expect(disk.count(.syncFile) == 0)
    #expect(try !folder.names().contains { $0.hasSuffix(".end") })
    let again = try RecorderStart.run(disk.rootFolder, settings).recovery
    #expect(!again.isEndKnown && again.ledger[ListID(1)] != nil)
  }

  @Test func `an id without a hex digit is written as 0`() throws {
    let settings = JournalSettings(stateID: "", bootID: "xyz")
    #expect(settings.stateID == "0" && settings.bootID == "0")
    let disk = SimulatedDisk()
    #expect(try RecorderStart.run(disk.rootFolder, settings).recovery.stateID == "0")
    #expect(try RecorderStart.run(disk.rootFolder, settings).recovery.previousBoot == "0")
  }
}
