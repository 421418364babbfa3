// SPDX-License-Identifier: Apache-2.0
// A new segment and its snapshot: both are on the disk before the segment takes a record.

import Record
import Support
import Testing
import Vocabulary

@Suite struct GenerationTests {
  private struct NoNewSegment: Error {}

  /// A journal that has just begun its third segment; and that segment's number.
  private func desk(_ disk: SimulatedDisk) throws -> (JournalDesk, UInt64) {
    var desk = try JournalDesk(disk, segmentBytes: 300)
    try desk.record([Samples.accepted(1, photos: 100)])
    for number in 1...100 as ClosedRange<UInt32> {
      try desk.record([.filtered(Samples.photo(1, number), Samples.contents(1))])
      if let segment = desk.journal.segmentNumber, segment >= 3 { return (desk, segment) }
    }
    throw NoNewSegment()
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a segment and its snapshot have their names on the disk before they take records`(
    seed: UInt64
  ) throws {
    let disk = SimulatedDisk()
    let (desk, segment) = try desk(disk)
    disk.crash(seed: seed)
    let names = try desk.names()
    #expect(names.contains("\(JournalFolder.log(segment))"))
    #expect(names.contains("\(JournalFolder.snapshot(segment))"))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a snapshot is whole on the disk before its segment takes records`(seed: UInt64) throws {
    let disk = SimulatedDisk()
    let (desk, segment) = try desk(disk)
    let snapshot = try desk.bytes(of: JournalFolder.snapshot(segment))
    disk.crash(seed: seed)
    #expect(try desk.bytes(of: JournalFolder.snapshot(segment)) == snapshot)
    let again = try JournalDesk(disk)
    #expect(again.ledger == desk.ledger && again.start.recovery.damageCount == 0)
  }
}
