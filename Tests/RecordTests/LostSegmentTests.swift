// SPDX-License-Identifier: Apache-2.0
// Somebody removes, renames, replaces or cuts the segment that the journal writes: the next group goes to a new one,
// with everything that the old one had.

import Record
import Support
import Testing
import Vocabulary

struct LostSegmentTests {
  enum Slip: CaseIterable { case removed, renamed, replaced, cut }

  private func harm(_ slip: Slip, _ desk: JournalDesk) throws {
    let folder = try desk.folder
    let number = try #require(desk.journal.segmentNumber)
    let name = JournalFolder.log(number)
    switch slip {
    case .removed: try folder.remove(name)
    case .renamed:
      try folder.rename(name, to: folder, as: FileName(literal: "old.log.1"), replacing: false)
    case .replaced:
      // As an editor and `sed -i` do.
      let bytes = try desk.bytes(of: name)
      try folder.remove(name)
      try folder.open(name, .create).write(bytes, at: 0)
    case .cut: try folder.open(name, .write).truncate(to: 0)
    }
  }

  @Test(arguments: Slip.allCases)
  func `no record goes to a segment that is not in its place`(slip: Slip) throws {
    let disk = SimulatedDisk()
    var random = SimulatedRandom(seed: 7)
    var desk = try JournalDesk(disk)
    try desk.work(10, &random)
    let none = desk.takeLoss()
    #expect(none == nil)
    let before = try #require(desk.journal.segmentNumber)
    try harm(slip, desk)
    try desk.work(1, &random)
    #expect(desk.journal.segmentNumber == before + 1)
    let told = desk.takeLoss()
    let loss = try #require(told)
    #expect(
      loss.code == "journal.segment" && loss.reason.contains("\(JournalFolder.log(before)) was"))
    try desk.work(5, &random)
    let again = desk.takeLoss()
    #expect(again == nil && desk.journal.segmentNumber == before + 1)
    let last = desk.ledger
    disk.crash(seed: 3)
    let next = try JournalDesk(disk)
    #expect(next.ledger == last && next.start.recovery.missing == 0)
  }

  @Test func `a segment that is replaced while its group is synced does not count`() throws {
    let disk = SimulatedDisk()
    var random = SimulatedRandom(seed: 7)
    var desk = try JournalDesk(disk)
    try desk.work(3, &random)
    let (folder, name) = (
      try desk.folder, JournalFolder.log(try #require(desk.journal.segmentNumber))
    )
    disk.atNextSync { try? folder.remove(name) }
    try desk.work(1, &random)
    let loss = desk.takeLoss()
    #expect(loss != nil)
    let last = desk.ledger
    disk.crash(seed: 3)
    #expect(try JournalDesk(disk).ledger == last)
  }
}
