// SPDX-License-Identifier: Apache-2.0
// Bytes from outside, made safe to show in a log, a message or a terminal.

package enum Printable {
  /// Valid UTF-8 stays; control characters, invisible direction marks and invalid UTF-8 become escapes
  /// (`\n`, `\t`, `\xNN`, `\u{…}`), a backslash becomes two. At most `limit` characters, then `…`.
  package static func text(_ bytes: some Sequence<UInt8>, limit: Int = 400) -> String {
    // A character has at most four bytes.
    let bytes = Array(bytes.prefix(4 * (limit + 1)))
    if bytes.count <= limit, bytes.allSatisfy(isPlain) {
      return String(decoding: bytes, as: UTF8.self)
    }
    var out = ""
    var count = 0
    var place = 0
    var parser = UTF8.ForwardParser()
    var input = bytes.makeIterator()
    while true {
      let result = parser.parseScalar(from: &input)
      if case .emptyInput = result { return out }
      if count >= limit { return out + "…" }
      switch result {
      case .valid(let encoded):
        out += shown(UTF8.decode(encoded))
        place += encoded.count
      case .error(let length):
        for byte in bytes[place..<place + length] { out += "\\x" + String(hex: byte) }
        place += length
      case .emptyInput: break
      }
      count += 1
    }
  }

  package static func text(_ string: String, limit: Int = 400) -> String {
    // A span is faster to search than a string's view.
    let bytes = string.utf8.span
    let isSafe = bytes.count <= limit && bytes.indices.allSatisfy { isPlain(bytes[$0]) }
    return isSafe ? string : text(string.utf8, limit: limit)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != 0x5C }

  private static func shown(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x5C: return "\\\\"
    case 0x0A: return "\\n"
    case 0x09: return "\\t"
    case 0..<0x20, 0x7F: return "\\x" + String(hex: UInt8(scalar.value))
    case 0x80..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF:
      return "\\u{\(String(scalar.value, radix: 16))}"
    default: return String(Character(scalar))
    }
  }
}
