// SPDX-License-Identifier: Apache-2.0
// The result of a recovery: the state, and all damage and gaps in the journal file.

internal import Vocabulary

/// Bytes in the middle of a file that are not records.
package struct JournalDamage: Equatable, Sendable, CustomStringConvertible {
  package let file: String
  package let offset: UInt64
  package let bytes: UInt64

  package init(file: String, offset: UInt64, bytes: UInt64) {
    self.file = file
    self.offset = offset
    self.bytes = bytes
  }

  package var description: String { "\(file): \(bytes) bytes at \(offset)" }
}

package struct Recovery: Sendable {
  /// At most this many damaged places are listed; more are only counted.
  static let damagesKept = 100

  package internal(set) var ledger = Ledger()
  package internal(set) var stateID: String
  /// The last sequence number that the base contains.
  package internal(set) var after: UInt64 = 0
  /// The last sequence number found.
  package internal(set) var sequence: UInt64 = 0
  /// The state folder had no journal file and no lists.
  package internal(set) var isNew = false
  /// For a look: neither a snapshot nor the first segment is left. A start with lists would be refused.
  package internal(set) var isLost = false
  /// The boot in which the newest segment was begun; nil when its header is not readable.
  package internal(set) var previousBoot: String?
  /// The segment whose snapshot was used; 1 when all segments were read.
  package internal(set) var generation: UInt64 = 1
  package internal(set) var lastNumber: UInt64 = 0

  /// Folders of lists that are over and that come after the last list that this journal file ever had.
  package internal(set) var unrecorded: UInt64 = 0
  package internal(set) var records: UInt64 = 0
  /// Whole records of unknown kinds that this version may skip.
  package internal(set) var ignored: UInt64 = 0
  /// Gaps in the sequence numbers: records that are missing.
  package internal(set) var missing: UInt64 = 0
  /// Whole records that a later segment replaced, or that came twice.
  package internal(set) var superseded: UInt64 = 0
  package internal(set) var damages: [JournalDamage] = []
  package internal(set) var damageCount = 0
  /// The length of the last segment was known. Otherwise damage at its end counts as torn.
  package internal(set) var isEndKnown = false
  /// Bytes of an append that a crash interrupted; never acknowledged.
  package internal(set) var tornBytes: UInt64 = 0

  init(stateID: String) { self.stateID = stateID }

  mutating func note(_ damage: JournalDamage) {
    damageCount += 1
    if damages.count < Self.damagesKept { damages.append(damage) }
  }
}
