// SPDX-License-Identifier: Apache-2.0
// Builds ASCII text for the journal file. A word never contains a space, line end or control character,
// whatever the caller passes.

internal import Vocabulary

struct LineText {
  private static let longestWord = 64

  private(set) var bytes: [UInt8] = []
  /// The last time added, and its text: consecutive lines mostly have the same millisecond.
  private var time: UInt64 = 0
  private var timeText: [UInt8] = Array("0.000".utf8)

  var count: Int { bytes.count }

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func add(_ text: [UInt8]) { bytes.append(contentsOf: text) }

  mutating func add(byte: UInt8) { bytes.append(byte) }

  mutating func add(_ number: UInt64) { bytes.append(decimal: number) }

  mutating func add(hex number: UInt64, digits: Int) { bytes.append(hex: number, digits: digits) }

  /// Adds a code or name as one word. Any byte but a letter, digit, `.`, `_` or `-` becomes `_`.
  mutating func add(word: String) {
    let safe = word.utf8.prefix(Self.longestWord)
    if safe.isEmpty { return add("unknown") }
    for byte in safe { bytes.append(Self.isPlain(byte) ? byte : 0x5F) }
  }

  /// Adds whole seconds, a point and three digits.
  mutating func add(milliseconds: UInt64) {
    if milliseconds == time { return add(timeText) }
    let start = bytes.count
    defer {
      time = milliseconds
      timeText = Array(bytes[start...])
    }
    add(milliseconds / 1000)
    bytes.append(0x2E)
    bytes.append(decimal: milliseconds % 1000, digits: 3)
  }

  mutating func field(_ name: String, _ number: some UnsignedInteger) {
    begin(name)
    add(UInt64(number))
  }

  mutating func field(_ name: String, word: String) {
    begin(name)
    add(word: word)
  }

  mutating func field(_ name: String, hex: UInt64) {
    begin(name)
    add(hex: hex, digits: 16)
  }

  private mutating func begin(_ field: String) {
    bytes.append(0x20)
    add(field)
    bytes.append(0x3D)
  }

  /// Writes a checksum over its eight reserved bytes.
  mutating func fill(_ checksum: UInt32, at place: Int) {
    for digit in 0..<8 {
      bytes[place + digit] = HexDigits.lower(
        UInt8(truncatingIfNeeded: checksum >> (28 - 4 * digit)) & 15)
    }
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// True if `add(word:)` would write the bytes unchanged.
  static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.count <= longestWord && bytes.allSatisfy(isPlain)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E, 0x5F, 0x2D: true
    default: false
    }
  }
}
