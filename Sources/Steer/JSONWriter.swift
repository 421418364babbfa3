// SPDX-License-Identifier: Apache-2.0
// Writes a JSON value as one line of text. Control characters are escaped, so the text never contains a NUL
// or a newline.

internal import Vocabulary

package enum JSONWriter {
  /// If there are more than `limit`, they are cut off somewhere behind it.
  package static func bytes(_ value: JSONValue, upTo limit: Int = .max) -> [UInt8] {
    var out: [UInt8] = []
    write(value, into: &out, limit)
    return out
  }

  package static func text(_ value: JSONValue) -> String {
    String(decoding: bytes(value), as: UTF8.self)
  }

  private static func write(_ value: JSONValue, into out: inout [UInt8], _ limit: Int) {
    switch value {
    case .null: out.append(contentsOf: "null".utf8)
    case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
    case .int(let value): out.append(contentsOf: String(value).utf8)
    // JSON has no infinity and no NaN.
    case .double(let value): out.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): write(value, into: &out)
    case .array(let elements):
      out.append(UInt8(ascii: "["))
      for (place, element) in elements.enumerated() where out.count <= limit {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        write(element, into: &out, limit)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let object):
      out.append(UInt8(ascii: "{"))
      for (place, member) in object.members.enumerated() where out.count <= limit {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        write(member.name, into: &out)
        out.append(UInt8(ascii: ":"))
        write(member.value, into: &out, limit)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, into out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    // A span is faster to search than a string's view.
    let bytes = text.utf8.span
    let isText = bytes.indices.allSatisfy { isPlain(bytes[$0]) }
    if isText { out.append(contentsOf: text.utf8) } else { escape(text, into: &out) }
    out.append(UInt8(ascii: "\""))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func escape(_ text: String, into out: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(contentsOf: [0x5C, byte])
      case 0x0A: out.append(contentsOf: "\\n".utf8)
      case 0x09: out.append(contentsOf: "\\t".utf8)
      case 0x0D: out.append(contentsOf: "\\r".utf8)
      case 0..<0x20, 0x7F:
        out.append(contentsOf: "\\u".utf8)
        out.append(hex: UInt64(byte), digits: 4)
      default: out.append(byte)
      }
    }
  }
}
