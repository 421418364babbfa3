// SPDX-License-Identifier: Apache-2.0
// Bytes from outside, made safe to show in a log, a message or a terminal. Not generic, since other modules would
// run generic code unspecialised.

package enum Printable {
  /// Valid UTF-8 stays; control characters, invisible ones and invalid UTF-8 become escapes
  /// (`\n`, `\t`, `\xNN`, `\u{…}`), a backslash becomes two. At most `limit` characters, then `…`.
  package static func text(_ bytes: ArraySlice<UInt8>, limit: Int = 400) -> String {
    // A character has at most four bytes.
    text(of: Array(bytes.prefix(4 * (limit + 1))), limit: limit)
  }

  package static func text(_ bytes: [UInt8], limit: Int = 400) -> String {
    text(bytes[...], limit: limit)
  }

  private static func text(
    of bytes: [UInt8], limit: Int, escapesBackslash: Bool = true
  ) -> String {
    if bytes.count <= limit, bytes.allSatisfy(isPlain) {
      return String(decoding: bytes, as: UTF8.self)
    }
    var out: [UInt8] = []
    out.reserveCapacity(2 * bytes.count)
    var count = 0
    var place = 0
    while place < bytes.count {
      if count == limit {
        out += "…".utf8
        break
      }
      count += 1
      let byte = bytes[place]
      guard isPlain(byte) || !escapesBackslash && byte == 0x5C else {
        place += addScalar(bytes[place...], to: &out)
        continue
      }
      out.append(byte)
      place += 1
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Adds the first character, or the first bytes that are none; returns the number of their bytes.
  private static func addScalar(_ bytes: ArraySlice<UInt8>, to out: inout [UInt8]) -> Int {
    var parser = UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    switch parser.parseScalar(from: &rest) {
    case .valid(let encoded):
      if let escape = escape(UTF8.decode(encoded)) { out += escape.utf8 } else { out += encoded }
      return encoded.count
    case .error(let length):
      for byte in bytes.prefix(length) { out += escape(byte).utf8 }
      return length
    case .emptyInput: return bytes.count
    }
  }

  package static func text(_ string: String, limit: Int = 400) -> String {
    // A span is faster to search than a string's view.
    let bytes = string.utf8.span
    let isSafe = bytes.count <= limit && bytes.indices.allSatisfy { isPlain(bytes[$0]) }
    return isSafe ? string : text(of: Array(string.utf8.prefix(4 * (limit + 1))), limit: limit)
  }

  /// The same for a sentence whose names were escaped when it was made: a backslash stays one.
  package static func sentence(_ bytes: [UInt8], limit: Int = 400) -> String {
    text(of: Array(bytes.prefix(4 * (limit + 1))), limit: limit, escapesBackslash: false)
  }

  package static func sentence(_ string: String, limit: Int = 400) -> String {
    text(of: Array(string.utf8.prefix(4 * (limit + 1))), limit: limit, escapesBackslash: false)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != 0x5C }

  private static func escape(_ byte: UInt8) -> String { "\\x" + String(hex: byte) }

  /// Nil for a character that is shown as it is.
  private static func escape(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x5C: "\\\\"
    case 0x0A: "\\n"
    case 0x09: "\\t"
    case 0..<0x20, 0x7F: escape(UInt8(scalar.value))
    default:
      switch HiddenCharacter(scalar) {
      case .mark, .joiner: "\\u{\(String(scalar.value, radix: 16))}"
      case .selector, nil: nil
      }
    }
  }
}
