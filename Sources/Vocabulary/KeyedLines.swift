// SPDX-License-Identifier: Apache-2.0
// The values of `Key=value` lines, found by comparing bytes: a list's file has two dozen lines, and is read whenever the
// list is opened. Of two lines with one key the later one counts. A value.

package struct KeyedLines: Sendable {
  private var lines: [(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

  package init() {}

  /// Leaves out lines without `=`.
  package init(_ text: some StringProtocol) {
    for line in Array(text.utf8).split(separator: 0x0A) { _ = add(line) }
  }

  /// False for a line without `=`.
  package mutating func add(_ line: ArraySlice<UInt8>) -> Bool {
    guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return false }
    lines.append((line[..<sign], line[(sign + 1)...]))
    return true
  }

  package func bytes(_ key: String) -> ArraySlice<UInt8>? {
    lines.last { $0.key.elementsEqual(key.utf8) }?.value
  }

  package subscript(key: String) -> String? {
    bytes(key).map { String(decoding: $0, as: UTF8.self) }
  }
}
