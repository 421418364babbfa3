// SPDX-License-Identifier: Apache-2.0
// A full disk, a failing disk, half a write: a change that is not durable is not in the ledger, a
// durable one stays, and work resumes as soon as it can.

import Record
import Support
import Testing
import Vocabulary

struct DiskTroubleTests {
  typealias Call = SimulatedDisk.Call

  static let calls: [Call] = [.open, .write, .truncate, .reserve, .syncFile, .syncFolder, .rename]

  /// The n-th call of a kind fails, alone or with all later ones; then the disk is well again.
  @Test(arguments: calls, [5, 28, 30] as [Int32])
  func `whichever call fails, no recorded change is lost and no other one appears`(
    call: Call, code: Int32
  ) throws {
    for first in 1...40 {
      for isPermanent in [false, true] {
        let fault = SimulatedDisk.Fault(
          call, code: code, first: first, isPermanent: isPermanent, isPartial: first % 2 == 0)
        try drill(fault, seed: UInt64(first))
      }
    }
  }

  private func drill(_ fault: SimulatedDisk.Fault, seed: UInt64) throws {
    let disk = SimulatedDisk()
    var random = SimulatedRandom(seed: seed)
    var desk = try JournalDesk(disk, segmentBytes: 500)
    disk.fail(fault)
    var isOver = false
    for _ in 0..<25 {
      let before = desk.ledger
      do throws(Journal.Trouble) {
        try desk.work(1, &random)
      } catch {
        #expect(desk.ledger == before)
        if case .over = error {
          isOver = true
          break
        }
        guard case .waits(let failure) = error else { continue }
        #expect(failure.kind == .machine && failure.code == "disk.full")
      }
    }
    disk.fail(nil)
    if !isOver { try desk.work(3, &random) }
    let last = desk.ledger
    disk.crash(seed: seed)
    let again = try JournalDesk(disk)
    if isOver {
      // The changes of the failing call may have reached the disk, but no others.
      #expect(again.journal.sequence >= desk.journal.sequence)
      #expect(again.journal.sequence <= desk.journal.sequence + 3)
    } else {
      #expect(again.ledger == last)
      #expect(again.start.recovery.missing == 0)
    }
  }

  @Test func `a full disk leaves room to record pauses, and work resumes`() throws {
    let disk = SimulatedDisk()
    var desk = try JournalDesk(disk, segmentBytes: 4096)
    try desk.record([Samples.accepted(1, photos: 3000)])
    disk.setCapacity(0)
    // The segment is reserved, so changes are recorded even on a disk without a free byte.
    for _ in 0..<10 { try desk.record([.paused(ListID(1)), .resumed(ListID(1))]) }
    var refused: Failure?
    var number: UInt32 = 0
    while refused == nil {
      number += 1
      do throws(Journal.Trouble) {
        try desk.record([.filtered(Samples.photo(1, number), Samples.contents(1))])
      } catch {
        guard case .waits(let failure) = error else { throw error }
        refused = failure
      }
    }
    #expect(refused?.code == "disk.full" && refused?.kind == .machine && number > 50)
    #expect(desk.ledger.state(of: Samples.photo(1, number)) == .known(.new))
    disk.setCapacity(nil)
    try desk.record([.filtered(Samples.photo(1, number), Samples.contents(1))])
    disk.crash(seed: 1)
    #expect(try JournalDesk(disk).ledger == desk.ledger)
  }

  /// Whole lines may be among the bytes that fitted. Behind shorter lines a start would find them.
  @Test func `half a line that the full disk took is cut off before the next one is written`()
    throws
  {
    let disk = SimulatedDisk()
    var desk = try JournalDesk(disk)
    try desk.record([Samples.accepted(1, photos: 6)])
    let before = try written(desk)
    disk.fail(SimulatedDisk.Fault(.write, code: 28, isPartial: true))
    #expect(throws: Journal.Trouble.self) {
      try desk.record(
        (1...6).map { .filtered(Samples.photo(1, $0), Samples.contents(UInt64($0))) })
    }
    #expect(try written(desk) == before)
    try desk.record([.paused(ListID(1))])
    let again = try JournalDesk(disk)
    #expect(again.ledger == desk.ledger)
    #expect(again.start.recovery.damageCount == 0 && again.start.recovery.missing == 0)
  }

  /// The cut, too, must be durable: a power cut may keep the lines of before behind those of after.
  @Test
  func `lines that the full disk took are not found behind later ones, whatever a power cut keeps`()
    throws
  {
    let disk = SimulatedDisk()
    var desk = try JournalDesk(disk)
    try desk.record([Samples.accepted(1, photos: 6)])
    disk.fail(SimulatedDisk.Fault(.write, code: 28, isPartial: true))
    #expect(throws: Journal.Trouble.self) {
      try desk.record(
        (1...6).map { .filtered(Samples.photo(1, $0), Samples.contents(UInt64($0))) })
    }
    disk.watchSyncs()
    try desk.record([.paused(ListID(1))])
    var random = SimulatedRandom(seed: 1)
    var count = 0
    for moment in disk.takeMoments() {
      for cut in moment.cuts(200, &random) {
        let entry = try #require(try JournalDesk(cut.disk()).ledger[ListID(1)])
        #expect(entry.counts.filtered == 0 || entry.state != .paused, "\(cut.rule)")
        count += 1
      }
    }
    #expect(count > 4)
  }

  /// The bytes of the segment without the reserved room.
  private func written(_ desk: JournalDesk) throws -> [UInt8] {
    let bytes = try desk.bytes(of: JournalFolder.log(try #require(desk.journal.segmentNumber)))
    return Array(bytes.prefix((bytes.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  @Test func `a segment whose sync failed is not used again: its lines go to a new one`() throws {
    let disk = SimulatedDisk()
    var desk = try JournalDesk(disk)
    try desk.record([Samples.accepted(1, photos: 3)])
    disk.fail(SimulatedDisk.Fault(.syncFile, code: 5))
    try desk.record([.filtered(Samples.photo(1, 1), Samples.contents(1))])
    #expect(desk.journal.segmentNumber == 2)
    for seed in 0..<20 as Range<UInt64> {
      let recovery = try JournalDesk(disk)
      #expect(recovery.ledger == desk.ledger && recovery.start.recovery.damageCount == 0)
      disk.crash(seed: seed)
    }
  }

  @Test func `if no new segment can be created either, the journal is over`() throws {
    let disk = SimulatedDisk()
    var desk = try JournalDesk(disk)
    disk.fail(SimulatedDisk.Fault(.syncFile, code: 5, isPermanent: true))
    let trouble = #expect(throws: Journal.Trouble.self) {
      try desk.record([Samples.accepted(1, photos: 3)])
    }
    guard case .over(let failure) = trouble else {
      Issue.record("\(String(describing: trouble))")
      return
    }
    #expect(failure.kind == .machine && desk.ledger.lists.isEmpty)
  }

  @Test func `a reservation that does not fit leaves the room free`() throws {
    let disk = SimulatedDisk()
    disk.setCapacity(4000)
    var desk = try JournalDesk(disk, segmentBytes: 8000)
    #expect(try disk.rootFolder.room().free > 3000)
    try desk.record([Samples.accepted(1, photos: 1)])
    #expect(try JournalDesk(disk).ledger == desk.ledger)
  }

  @Test func `no setting reserves more than a gibibyte`() {
    let settings = JournalSettings(stateID: "1", bootID: "1", segmentBytes: .max, spareBytes: .max)
    #expect(
      settings.segmentBytes + settings.spareBytes <= JournalSettings.maximumReservedBytes)
  }

  @Test func `a file system that cannot reserve space works, too`() throws {
    let disk = SimulatedDisk()
    disk.fail(SimulatedDisk.Fault(.reserve, code: 95, isPermanent: true))
    var desk = try JournalDesk(disk, segmentBytes: 300)
    var random = SimulatedRandom(seed: 1)
    try desk.work(30, &random)
    #expect(try JournalDesk(disk).ledger == desk.ledger)
  }
}
