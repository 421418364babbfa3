// SPDX-License-Identifier: Apache-2.0
// What a start found in the journal file: the state, and everything that was not as it should be.

internal import Vocabulary

/// Bytes in the middle of a file that are no record.
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
  /// So many places of damage are told one by one; beyond, they are only counted.
  static let damagesKept = 100

  package internal(set) var ledger = Ledger()
  package internal(set) var stateID: String
  /// The last sequence number found.
  package internal(set) var sequence: UInt64 = 0
  /// There was no journal file, and nothing that had needed one.
  package internal(set) var isNew = false
  /// The boot in which the newest segment was begun; nil where none is readable.
  package internal(set) var previousBoot: String?
  /// The segment whose snapshot was taken; 1 where all was read from the beginning.
  package internal(set) var generation: UInt64 = 1
  package internal(set) var lastNumber: UInt64 = 0

  package internal(set) var records: UInt64 = 0
  /// Whole records of kinds that a later version added and this one may pass over.
  package internal(set) var ignored: UInt64 = 0
  /// Records that must have been there, by the numbers.
  package internal(set) var missing: UInt64 = 0
  /// Whole records that a later segment has replaced, or that came twice.
  package internal(set) var superseded: UInt64 = 0
  package internal(set) var damages: [JournalDamage] = []
  package internal(set) var damageCount = 0
  /// Bytes of an append that a crash cut short; never acknowledged.
  package internal(set) var tornBytes: UInt64 = 0

  init(stateID: String) { self.stateID = stateID }

  mutating func note(_ damage: JournalDamage) {
    damageCount += 1
    if damages.count < Self.damagesKept { damages.append(damage) }
  }

  /// For people; empty where all was well.
  package var notices: [String] {
    var notices: [String] = []
    for damage in damages {
      notices.append(
        "The journal file is damaged, \(damage); the rest was read. Kept aside, look there.")
    }
    if damageCount > damages.count {
      notices.append("\(damageCount - damages.count) more places are damaged.")
    }
    if missing > 0 {
      notices.append(
        "\(missing) records of the journal file are missing; at most those steps are done again.")
    }
    return notices
  }
}
