// SPDX-License-Identifier: Apache-2.0
// A journal on a simulated disk, without threads, and the changes recorded in it, for tests that
// compare.

import Record
import Support
import Vocabulary

struct JournalDesk {
  let disk: SimulatedDisk
  private(set) var start: RecorderStart
  private(set) var journal: Journal
  private(set) var ledger: Ledger
  private(set) var recorded: [Transition] = []

  init(_ disk: SimulatedDisk, segmentBytes: UInt64 = 1 << 20) throws(Failure) {
    self.disk = disk
    start = try RecorderStart.run(disk.rootFolder, Samples.settings(segmentBytes: segmentBytes))
    journal = start.journal
    ledger = start.recovery.ledger
  }

  mutating func record(_ changes: [Change]) throws(Journal.Trouble) {
    let transitions = Samples.at(changes)
    let before = ledger
    try journal.append(transitions) { before }
    for transition in transitions { ledger.apply(transition) }
    recorded += transitions
  }

  /// Records this number of groups, each of one to three random changes.
  mutating func work(_ count: Int, _ random: inout SimulatedRandom) throws(Journal.Trouble) {
    for _ in 0..<count {
      var after = ledger
      var changes: [Change] = []
      for _ in 0...random.number(below: 3) {
        changes.append(Samples.change(after, &random))
        for transition in Samples.at(changes.suffix(1)) { after.apply(transition) }
      }
      try record(changes)
    }
  }

  mutating func takeLoss() -> Failure? { journal.takeLoss() }

  var folder: any Folder {
    get throws { try disk.rootFolder.folder(FileName(literal: "journal"), creating: false) }
  }

  func bytes(of name: FileName) throws -> [UInt8] {
    let file = try folder.open(name, .read)
    return try file.read(at: 0, upTo: Int(file.status().size))
  }

  /// Replaces the bytes of a file, durably.
  func replace(_ name: FileName, with bytes: [UInt8]) throws {
    let file = try folder.open(name, .ensure)
    try file.truncate(to: 0)
    try file.write(bytes, at: 0)
    try file.sync()
    try folder.sync()
  }

  func names() throws -> [String] { try folder.names().map(\.description).sorted() }
}
