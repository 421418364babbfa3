// SPDX-License-Identifier: Apache-2.0
// The settings of the journal file.

package struct JournalSettings: Sendable {
  /// The most that settings can reserve: reserved room is lost to all other users of the disk.
  package static let maximumReservedBytes: UInt64 = 1 << 30

  /// The id for a new state folder: 32 random hex digits. An existing folder keeps its recorded id.
  package let stateID: String
  /// The kernel's boot id; its dashes are ignored.
  package let bootID: String
  /// The size at which a new segment is begun.
  package let segmentBytes: UInt64
  /// Room reserved beyond `segmentBytes`, so that records still fit while the disk is full.
  package let spareBytes: UInt64
  /// False only for measurements: nothing is durable then.
  package let isSynced: Bool
  /// The lists whose results files stay open.
  package let openResults: Int

  package init(
    stateID: String, bootID: String, segmentBytes: UInt64 = 16 << 20, spareBytes: UInt64 = 1 << 20,
    isSynced: Bool = true, openResults: Int = 16
  ) {
    self.stateID = Self.hex(stateID)
    self.bootID = Self.hex(bootID)
    self.segmentBytes = min(segmentBytes, Self.maximumReservedBytes / 2)
    self.spareBytes = min(spareBytes, Self.maximumReservedBytes / 2)
    self.isSynced = isSynced
    self.openResults = openResults
  }

  private static func hex(_ text: String) -> String {
    let digits = text.utf8.filter { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return digits.isEmpty ? "0" : String(decoding: digits.prefix(32), as: UTF8.self)
  }
}
