// SPDX-License-Identifier: Apache-2.0
// What the journal file is told from outside.

package struct JournalSettings: Sendable {
  /// What is reserved is taken from everybody on the disk: no setting takes more than this.
  package static let maximumReservedBytes: UInt64 = 1 << 30

  /// Used when the state folder is new, else the recorded one is: 32 hex digits drawn at random.
  package let stateID: String
  /// The kernel's boot id; its dashes do not matter.
  package let bootID: String
  /// A segment is left for a new one at this size.
  package let segmentBytes: UInt64
  /// Taken from the disk beyond it, so that a full disk leaves room to record that we wait.
  package let spareBytes: UInt64
  /// False only for measurement: then nothing is durable.
  package let isSynced: Bool

  package init(
    stateID: String, bootID: String, segmentBytes: UInt64 = 16 << 20, spareBytes: UInt64 = 1 << 20,
    isSynced: Bool = true
  ) {
    self.stateID = Self.hex(stateID)
    self.bootID = Self.hex(bootID)
    self.segmentBytes = min(segmentBytes, Self.maximumReservedBytes / 2)
    self.spareBytes = min(spareBytes, Self.maximumReservedBytes / 2)
    self.isSynced = isSynced
  }

  private static func hex(_ text: String) -> String {
    let digits = text.utf8.filter { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return digits.isEmpty ? "0" : String(decoding: digits.prefix(32), as: UTF8.self)
  }
}
