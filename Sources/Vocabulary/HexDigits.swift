// SPDX-License-Identifier: Apache-2.0
// Bytes and numbers as hex digits in ASCII, written without a String: every record has some.

package enum HexDigits {
  /// The digit of a value below 16.
  package static func lower(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
  package static func upper(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  /// The value of a digit of either case; nil for any other byte.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// The bytes that `%` and two digits encode; nil if a `%` encodes nothing.
  package static func percentDecoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    percentDecoded(in: Array(text))
  }

  /// Decodes in place. Not generic, since other modules would run it unspecialised.
  private static func percentDecoded(in text: consuming [UInt8]) -> [UInt8]? {
    var bytes = text
    var (from, to) = (0, 0)
    while from < bytes.count {
      if bytes[from] == 0x25 {
        guard from + 2 < bytes.count, let high = value(bytes[from + 1]),
          let low = value(bytes[from + 2])
        else { return nil }
        bytes[to] = high << 4 | low
        from += 3
      } else {
        bytes[to] = bytes[from]
        from += 1
      }
      to += 1
    }
    bytes.removeSubrange(to...)
    return bytes
  }

  /// Names as text in ASCII: all but letters, digits and . _ ~ - are written as %XX.
  package static func percentEncoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: text.append(byte)
      default: text.append(percent: byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The lowest `digits` digits of the number, lower case.
  package mutating func append(hex number: UInt64, digits: Int) {
    for place in (0..<digits).reversed() {
      append(HexDigits.lower(UInt8(truncatingIfNeeded: number >> (4 * place)) & 15))
    }
  }

  /// `%` and two upper-case digits.
  package mutating func append(percent byte: UInt8) {
    append(0x25)
    append(HexDigits.upper(byte >> 4))
    append(HexDigits.upper(byte & 15))
  }
}

extension String {
  /// Two lower-case digits per byte.
  package init(hex bytes: [UInt8]) {
    var digits: [UInt8] = []
    for byte in bytes { digits.append(hex: UInt64(byte), digits: 2) }
    self = String(decoding: digits, as: UTF8.self)
  }

  /// All digits of the number's type, lower case: 2 of a UInt8, 16 of a UInt64.
  package init(hex number: some FixedWidthInteger & UnsignedInteger) {
    var digits: [UInt8] = []
    digits.append(hex: UInt64(number), digits: number.bitWidth / 4)
    self = String(decoding: digits, as: UTF8.self)
  }
}
