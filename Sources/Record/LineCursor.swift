// SPDX-License-Identifier: Apache-2.0
// Reads one line of the journal file strictly: one space between words, numbers without leading zeros and with
// at most 63 bits, lower-case hex. Anything else reads as nil.

struct LineCursor {
  /// A larger number is not one of ours. The sum of two does not overflow.
  static let largest = UInt64(Int64.max)

  let bytes: [UInt8]
  private(set) var at: Int
  let end: Int

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    at = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { at == end }

  mutating func take(_ byte: UInt8) -> Bool {
    guard at < end, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  mutating func take(_ text: String) -> Bool {
    for byte in text.utf8 { guard take(byte) else { return false } }
    return true
  }

  /// Takes a number.
  mutating func number() -> UInt64? {
    let start = at
    while at < end, bytes[at] &- 0x30 < 10 { at += 1 }
    return number(start..<at)
  }

  /// Takes the bytes before the next space or the end.
  mutating func word() -> Range<Int> {
    let start = at
    while at < end, bytes[at] != 0x20 { at += 1 }
    return start..<at
  }

  /// Takes `seconds.millis`; returns milliseconds.
  mutating func milliseconds() -> UInt64? {
    guard let seconds = number(), take(0x2E), end - at >= 3 else { return nil }
    var rest: UInt64 = 0
    for _ in 0..<3 {
      let digit = bytes[at] &- 0x30
      guard digit < 10 else { return nil }
      rest = rest * 10 + UInt64(digit)
      at += 1
    }
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return nil }
    let (sum, carries) = whole.addingReportingOverflow(rest)
    return carries || sum > Self.largest ? nil : sum
  }

  /// The value of the field ` name=value` behind the cursor. Fields may have any order; others are skipped.
  func field(_ name: String) -> Range<Int>? {
    var place = at
    while place < end, bytes[place] == 0x20 {
      var next = place + 1
      var matches = true
      for byte in name.utf8 {
        guard next < end, bytes[next] == byte else {
          matches = false
          break
        }
        next += 1
      }
      matches = matches && next < end && bytes[next] == 0x3D
      let start = next + 1
      while next < end, bytes[next] != 0x20 { next += 1 }
      if matches { return start..<next }
      place = next
    }
    return nil
  }

  func number(field name: String) -> UInt64? { field(name).flatMap(number) }

  func small(field name: String) -> UInt32? { number(field: name).flatMap(UInt32.init(exactly:)) }

  /// Nil unless the value is a word that `add(word:)` would write unchanged.
  func text(field name: String) -> String? {
    guard let range = field(name), LineText.isWord(bytes[range]) else { return nil }
    return text(range)
  }

  func hex(field name: String) -> UInt64? { field(name).flatMap { hex($0, digits: 16) } }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func number(_ range: Range<Int>) -> UInt64? {
    guard !range.isEmpty, range.count == 1 || bytes[range.lowerBound] != 0x30 else { return nil }
    var value: UInt64 = 0
    for place in range {
      let digit = bytes[place] &- 0x30
      guard digit < 10 else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carries else { return nil }
      value = sum
    }
    return value > Self.largest ? nil : value
  }

  func hex(_ range: Range<Int>, digits: Int) -> UInt64? {
    guard range.count == digits else { return nil }
    var value: UInt64 = 0
    for place in range {
      let byte = bytes[place]
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt64(byte - 0x30)
      case 0x61...0x66: value = value << 4 | UInt64(byte - 0x57)
      default: return nil
      }
    }
    return value
  }
}
