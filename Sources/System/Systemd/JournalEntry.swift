// SPDX-License-Identifier: Apache-2.0
// One record for journald: its fields, each as `NAME=value`. libsystemd encodes values with newlines.

package struct JournalEntry: Equatable, Sendable {
  /// All fields, one behind the other.
  private(set) var bytes: [UInt8] = []
  /// The place behind each field.
  private(set) var ends: [Int] = []

  package init() {}

  package mutating func add(_ name: String, _ value: String) {
    bytes += name.utf8
    bytes.append(UInt8(ascii: "="))
    bytes += value.utf8
    ends.append(bytes.count)
  }
}
