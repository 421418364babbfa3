// SPDX-License-Identifier: Apache-2.0
// Starts with journal files that are whole, torn, damaged, missing or of another version.

import Record
import Support
import Testing
import Vocabulary

struct RecoveryTests {
  private func worked(
    _ seed: UInt64, count: Int = 12, segmentBytes: UInt64 = 1 << 20
  ) throws -> JournalDesk {
    var random = SimulatedRandom(seed: seed)
    var desk = try JournalDesk(SimulatedDisk(), segmentBytes: segmentBytes)
    try desk.work(count, &random)
    return desk
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a restart finds exactly the same state`(seed: UInt64) throws {
    let desk = try worked(seed, count: 60, segmentBytes: seed % 2 == 0 ? 1 << 20 : 700)
    let again = try JournalDesk(desk.disk)
    #expect(again.ledger == desk.ledger)
    #expect(again.journal.sequence == desk.journal.sequence)
    let recovery = again.start.recovery
    #expect(recovery.missing == 0 && recovery.damageCount == 0 && recovery.tornBytes == 0)
    #expect(recovery.damageCount == 0 && recovery.missing == 0 && !recovery.isNew)
    #expect(recovery.previousBoot == Samples.bootID.filter { $0 != "-" })
  }

  @Test func `a new state folder is new, once`() throws {
    let disk = SimulatedDisk()
    #expect(try JournalDesk(disk).start.recovery.isNew)
    let again = try JournalDesk(disk).start.recovery
    #expect(!again.isNew && again.stateID == Samples.stateID)
  }

  @Test func `a recorded state id stays, whatever the settings say`() throws {
    let disk = SimulatedDisk()
    _ = try JournalDesk(disk)
    let settings = JournalSettings(stateID: "ff", bootID: "1")
    #expect(try RecorderStart.run(disk.rootFolder, settings).recovery.stateID == Samples.stateID)
  }

  @Test func `two generations are kept and older ones removed`() throws {
    let desk = try worked(5, count: 200, segmentBytes: 600)
    let last = try #require(desk.journal.segmentNumber)
    #expect(last > 5)
    let expected = [last - 1, last].flatMap {
      [
        JournalFolder.end($0).description, JournalFolder.log($0).description,
        JournalFolder.snapshot($0).description,
      ]
    }
    #expect(try desk.names() == expected)
    // With a damaged newest snapshot, the one before it and both segments give the same state.
    let name = JournalFolder.snapshot(last)
    var bytes = try desk.bytes(of: name)
    bytes[bytes.count / 2] ^= 4
    try desk.replace(name, with: bytes)
    let again = try JournalDesk(desk.disk)
    #expect(again.ledger == desk.ledger)
    #expect(again.start.recovery.generation == last - 1)
    #expect(again.start.recovery.damageCount == 1)
    // The files that recovery needed are kept while the next generation is the only whole one.
    #expect(try desk.names().contains(JournalFolder.snapshot(last - 1).description))
  }

  @Test func `if both snapshots are lost, the first segment gives the whole state`() throws {
    let desk = try worked(9)
    _ = try JournalDesk(desk.disk)
    for number: UInt64 in [1, 2] { try desk.folder.remove(JournalFolder.snapshot(number)) }
    let again = try JournalDesk(desk.disk)
    #expect(again.ledger == desk.ledger && again.start.recovery.stateID == Samples.stateID)
  }

  @Test func `lists whose journal file is gone are not forgotten silently`() throws {
    let desk = try worked(9)
    let lists = try desk.disk.rootFolder.folder(FileName(literal: "lists"), creating: true)
    _ = try lists.folder(FileName(number: 40), creating: true)
    #expect(try JournalDesk(desk.disk).ledger.nextList == ListID(41))
    for name in try desk.folder.names() { try desk.folder.remove(name) }
    let failure = #expect(throws: Failure.self) { try JournalDesk(desk.disk) }
    #expect(failure?.code == "journal.gone" && failure?.kind == .final)
    try lists.removeFolder(FileName(number: 40))
    #expect(try JournalDesk(desk.disk).start.recovery.isNew)
  }

  @Test func `kinds of a later version are ignored or refused, by their first letter`() throws {
    for (kind, isRefused) in [("tinted", false), ("Tinted", true)] {
      var desk = try JournalDesk(SimulatedDisk())
      try desk.record([Samples.accepted(1, photos: 2)])
      let name = JournalFolder.log(1)
      let seed = SegmentHeader.seed(stateID: Samples.stateID, segment: 1)
      let added = Checked.line("2 1.000 \(kind) 1 2", seed: seed)
      try desk.replace(name, with: desk.bytes(of: name) + added)
      if isRefused {
        let failure = #expect(throws: Failure.self) { try JournalDesk(desk.disk) }
        #expect(failure?.code == "journal.newer")
        #expect(failure?.reason.contains("'Tinted'") == true)
        #expect(try desk.bytes(of: name).suffix(added.count) == added[...])
      } else {
        let again = try JournalDesk(desk.disk)
        #expect(again.start.recovery.ignored == 1 && again.journal.sequence == 2)
        #expect(again.ledger == desk.ledger && again.start.recovery.missing == 0)
      }
    }
  }

  @Test func `a segment or snapshot of a later format refuses the start`() throws {
    for isSnapshot in [false, true] {
      let desk = try worked(2)
      let name = isSnapshot ? JournalFolder.snapshot(1) : JournalFolder.log(1)
      let text = String(decoding: try desk.bytes(of: name), as: UTF8.self)
      let changed =
        isSnapshot
        ? Checked.ending("#darkroom-snapshot 2 segment=1\nend".utf8)
        : Checked.ending("#darkroom-journal 2 segment=1".utf8) + Array(text.utf8)
      try desk.replace(name, with: changed)
      let failure = #expect(throws: Failure.self) { try JournalDesk(desk.disk) }
      #expect(failure?.code == "journal.newer")
      #expect(failure?.advice.isEmpty == false)
    }
  }

  @Test func `damage in the middle costs its records, is located and kept aside`()
    throws
  {
    var desk = try JournalDesk(SimulatedDisk())
    try desk.record([Samples.accepted(1, photos: 3)])
    let name = JournalFolder.log(1)
    let start = try desk.bytes(of: name).count
    try desk.record([.filtered(Samples.photo(1, 1), Samples.contents(1))])
    let end = try desk.bytes(of: name).count
    try desk.record([.filtered(Samples.photo(1, 2), Samples.contents(1))])
    var bytes = try desk.bytes(of: name)
    bytes[start + 20] ^= 1
    try desk.replace(name, with: bytes)
    let again = try JournalDesk(desk.disk)
    let recovery = again.start.recovery
    #expect(
      recovery.damages == [
        JournalDamage(
          file: name.description, offset: UInt64(start), bytes: UInt64(end - start))
      ])
    #expect(recovery.missing == 1 && recovery.records == 2 && recovery.damageCount == 1)
    #expect(again.ledger.state(of: Samples.photo(1, 1)) == .known(.new))
    #expect(again.ledger.state(of: Samples.photo(1, 2)) == .known(.filtered))
    let aside = try desk.bytes(of: FileName(literal: "damaged-0000000000000001"))
    #expect(aside == Array(bytes[start..<end]))
  }

  @Test func `a torn tail is cut off and kept aside, and no record counts as missing`() throws {
    let desk = try worked(3)
    let name = JournalFolder.log(1)
    let whole = try desk.bytes(of: name)
    for tail in ["5d1f0a3c 99 17", "\u{0}\u{0}\u{0}\u{0}", "5d1f0a3c 99 1.000 paused 1\n"] {
      let disk = SimulatedDisk()
      let copy = try JournalDesk(disk)
      for snapshot: UInt64 in [1] { try copy.folder.remove(JournalFolder.snapshot(snapshot)) }
      try copy.replace(name, with: whole + Array(tail.utf8))
      let again = try JournalDesk(disk)
      #expect(again.ledger == desk.ledger)
      let recovery = again.start.recovery
      #expect(recovery.tornBytes == UInt64(tail.utf8.count))
      #expect(recovery.missing == 0 && recovery.damageCount == 0)
      #expect(try again.bytes(of: name) == whole)
      let aside = try again.bytes(of: FileName(literal: "torn-0000000000000001"))
      #expect(aside == Array(tail.utf8))
    }
  }

  @Test func `a crash between the names of a snapshot and of its segment is no damage`() throws {
    let desk = try worked(5)
    // A start begins the second generation.
    _ = try JournalDesk(desk.disk)
    for name in [JournalFolder.log(2), JournalFolder.end(2)] { try desk.folder.remove(name) }
    #expect(try JournalLook.run(desk.folder).isWhole)
    let again = try JournalDesk(desk.disk)
    #expect(again.start.recovery.damageCount == 0 && again.start.recovery.missing == 0)
    #expect(again.ledger == desk.ledger)
  }

  @Test func `lists that are over and later than the journal file are counted once`() throws {
    let disk = SimulatedDisk()
    var desk = try JournalDesk(disk)
    try desk.record([Samples.accepted(1, photos: 1)])
    let lists = try disk.rootFolder.folder(FileName(literal: "lists"), creating: true)
    func add(_ number: UInt64, isReturned: Bool) throws {
      let folder = try lists.folder(FileName(number: number), creating: true)
      if isReturned { _ = try folder.open(ListFolder.returned, .create) }
    }
    // Removed from the record; a crash before the record; two from after the copy of the journal.
    try add(1, isReturned: true)
    try add(2, isReturned: false)
    try add(3, isReturned: true)
    try add(4, isReturned: true)
    #expect(try JournalDesk(disk).start.recovery.unrecorded == 2)
    #expect(try JournalDesk(disk).start.recovery.unrecorded == 0)
  }
}
