// SPDX-License-Identifier: Apache-2.0
// The journal file as a start found it.

package struct ReplayFacts: Equatable, Sendable {
  package var records: UInt64
  package var openLists: UInt64
  /// Includes finished and cancelled lists.
  package var knownLists: UInt64
  /// Bytes of an unfinished record at the end. A crash leaves one; it was never acknowledged.
  package var bytesCut: UInt64
  /// Records damaged or missing before the end.
  package var recordsLost: UInt64
  /// The first damaged file; empty without damage, and if whole files are missing.
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
