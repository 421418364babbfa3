// SPDX-License-Identifier: Apache-2.0
// A key or a string of a list in UTF-8. Only the part within its limit is kept.

internal import Vocabulary

package struct ListText: Equatable, Sendable {
  /// The beginning, as far as it is kept.
  package let bytes: [UInt8]
  /// The full length in bytes; of a cut UTF-16 string a lower bound.
  package let length: UInt64

  package init(_ bytes: [UInt8], length: UInt64? = nil) {
    self.bytes = bytes
    self.length = length ?? UInt64(bytes.count)
  }

  package init(_ text: String) { self.init(Array(text.utf8)) }

  /// The kept part, as text.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// It begins like a URL. Only a file's may have a single slash.
  var hasScheme: Bool {
    let text = trimmed.bytes
    let scheme = text.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
    let isFile = scheme.lazy.map(Self.lowered).elementsEqual("file".utf8)
    let mark = isFile ? ":/" : "://"
    return !scheme.isEmpty && text[scheme.endIndex...].starts(with: mark.utf8)
  }

  package var isWhole: Bool { length == UInt64(bytes.count) }

  /// The beginning, cut between characters to at most `limit` bytes.
  package func cut(to limit: Int) -> [UInt8] {
    let end = min(limit, bytes.count)
    if isWhole, end == bytes.count { return bytes }
    return Array(bytes[..<Self.boundary(bytes, end)])
  }

  /// The end of the last character that is complete at or before `end`.
  private static func boundary(_ bytes: [UInt8], _ end: Int) -> Int {
    var start = end
    while start > 0, end - start < 4 {
      start -= 1
      let lead = bytes[start]
      if lead & 0xC0 == 0x80 { continue }
      let size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      return start + size <= end ? end : start
    }
    return end
  }

  /// Printable, in quotes.
  package var shown: String { "'\(Printable.text(bytes, limit: 80))'" }

  package func isText(_ text: String) -> Bool {
    isWhole && bytes.count == text.utf8.count && bytes.elementsEqual(text.utf8)
  }

  /// A NUL, a newline, an escape: not allowed in names and URLs.
  package var hasControl: Bool {
    // Control characters of Latin-1 are two bytes: C2, then 80 to 9F.
    guard bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return false }
    return zip(bytes, bytes.dropFirst() + [0xFF]).contains { byte, next in
      byte < 0x20 || byte == 0x7F || byte == 0xC2 && next < 0xA0
    }
  }

  /// Without the surrounding white space that editors leave when they break lines.
  package var trimmed: ListText {
    guard isWhole, let first = bytes.first, let last = bytes.last,
      Self.isSpace(first) || Self.isSpace(last)
    else { return self }
    guard let start = bytes.firstIndex(where: { !Self.isSpace($0) }),
      let end = bytes.lastIndex(where: { !Self.isSpace($0) })
    else { return ListText([]) }
    return ListText(Array(bytes[start...end]))
  }

  static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 32 : byte }

  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
