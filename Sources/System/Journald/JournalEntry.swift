// SPDX-License-Identifier: Apache-2.0
// One record in journald's native form: `KEY=value` lines, or length and bytes for a value that contains
// a newline. Promises: a field whose name journald would refuse is left out; the rest of the record stays.

package struct JournalEntry: Equatable, Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func add(_ name: String, _ value: some Collection<UInt8>) {
    guard Self.isName(name) else { return }
    bytes += name.utf8
    if value.contains(0x0A) {
      bytes.append(0x0A)
      let count = UInt64(value.count)
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * UInt64(shift)))) }
    } else {
      bytes.append(0x3D)
    }
    bytes += value
    bytes.append(0x0A)
  }

  package mutating func add(_ name: String, _ value: String) { add(name, Array(value.utf8)) }

  /// Capital letters, digits and `_`, beginning with a letter, at most 64: journald drops other names
  /// silently.
  package static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count <= 64, (0x41...0x5A).contains(first) else {
      return false
    }
    return bytes.allSatisfy {
      (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
    }
  }
}
