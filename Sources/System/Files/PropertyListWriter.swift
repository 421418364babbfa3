// SPDX-License-Identifier: Apache-2.0
// Writes a property list as XML into a file through a buffer of one piece. Escapes text, and replaces
// characters that XML cannot represent with U+FFFD, so that the result can always be read. Raises the file's
// errors.

internal import Digests
package import Vocabulary

/// Belongs to one thread.
package final class PropertyListWriter {
  private static let piece = 128 << 10
  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  private let file: any OpenFile
  private var buffer: [UInt8] = []
  private var size: UInt64 = 0
  private var hash = SHA256()
  private var depth = 0

  package init(_ file: any OpenFile) {
    self.file = file
    buffer.reserveCapacity(Self.piece + 4096)
    add(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">

      """)
  }

  /// Writes the end and returns the sum of the whole file; does not sync.
  package func end() throws(SystemError) -> FileCopy.Sum {
    add("</plist>\n")
    try flush()
    return FileCopy.Sum(size: size, sha256: hash.digest().hex)
  }

  // MARK: Elements

  package func open(_ element: Container) {
    indent()
    add("<\(element.rawValue)>\n")
    depth += 1
  }

  package func close(_ element: Container) throws(SystemError) {
    depth -= 1
    indent()
    add("</\(element.rawValue)>\n")
    if buffer.count >= Self.piece { try flush() }
  }

  package enum Container: String { case dict, array }

  package func key(_ name: StaticString) {
    indent()
    add("<key>\(name)</key>\n")
  }

  package func string(_ key: StaticString, _ text: String) {
    self.key(key)
    indent()
    add("<string>")
    escape(text)
    add("</string>\n")
  }

  package func integer(_ key: StaticString, _ number: some UnsignedInteger) {
    value(key, "integer", "\(number)")
  }

  /// Milliseconds since 1970, to the second.
  package func date(_ key: StaticString, _ milliseconds: UInt64) {
    value(key, "date", DateText.utc(milliseconds: milliseconds))
  }

  /// Microseconds as seconds; writes nothing for zero.
  package func seconds(_ key: StaticString, _ microseconds: UInt32) {
    guard microseconds > 0 else { return }
    let digits = String(1_000_000 + microseconds % 1_000_000).dropFirst()
    value(key, "real", "\(microseconds / 1_000_000).\(digits)")
  }

  private func value(_ key: StaticString, _ type: StaticString, _ text: String) {
    self.key(key)
    indent()
    add("<\(type)>\(text)</\(type)>\n")
  }

  // MARK: Bytes

  private func add(_ text: String) { buffer.append(contentsOf: text.utf8) }

  private func indent() {
    for _ in 0..<depth { buffer.append(0x09) }
  }

  private func escape(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): add("&lt;")
      case UInt8(ascii: ">"): add("&gt;")
      case UInt8(ascii: "&"): add("&amp;")
      // A reader would turn it into a newline.
      case 0x0D: add("&#13;")
      case 0x00..<0x20 where byte != 0x09 && byte != 0x0A: buffer += Self.replacement
      case 0xBE, 0xBF:
        buffer.append(byte)
        if buffer.suffix(3).starts(with: [0xEF, 0xBF]) {
          buffer.removeLast(3)
          buffer += Self.replacement
        }
      default: buffer.append(byte)
      }
    }
  }

  private func flush() throws(SystemError) {
    try file.write(buffer, at: size)
    hash.add(buffer)
    size += UInt64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}
