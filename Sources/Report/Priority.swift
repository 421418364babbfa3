// SPDX-License-Identifier: Apache-2.0
// The priority of a message, in syslog's numbers: a lower number is more urgent.

package enum Priority: UInt8, Sendable, CaseIterable, Comparable {
  case critical = 2
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7

  /// The more urgent priority is the smaller.
  package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
}
