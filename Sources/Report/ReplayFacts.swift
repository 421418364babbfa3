// SPDX-License-Identifier: Apache-2.0
// What a start found in the journal file.

package struct ReplayFacts: Equatable, Sendable {
  package var records: UInt64
  package var openLists: UInt64
  /// Those that are over among them.
  package var knownLists: UInt64
  /// An unfinished record at the end is the trace of a crash and loses nothing that was promised.
  package var bytesCut: UInt64
  /// Records that are damaged or missing in the middle.
  package var recordsLost: UInt64
  /// The first damaged place; empty where nothing is damaged.
  package var file: String
  package var offset: UInt64

  package init(
    records: UInt64, openLists: UInt64, knownLists: UInt64, bytesCut: UInt64 = 0,
    recordsLost: UInt64 = 0,
    file: String = "", offset: UInt64 = 0
  ) {
    self.records = records
    self.openLists = openLists
    self.knownLists = knownLists
    self.bytesCut = bytesCut
    self.recordsLost = recordsLost
    self.file = file
    self.offset = offset
  }
}
