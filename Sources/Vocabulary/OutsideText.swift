// SPDX-License-Identifier: Apache-2.0
// Text that others wrote: names of lists and photos, words of messages, keys, headers, columns of a database. Compares,
// hashes and orders bytes. Swift's strings are brought into a normal form for that, in a time that is quadratic in runs of
// combining marks: 60 kB take minutes. Pure.

package struct OutsideText: Hashable, Comparable, Sendable {
  /// As long as the name of a file.
  package static let longest = 255

  /// For showing, and for what reads it byte by byte.
  package let text: String

  /// Nil if it is longer than `most` bytes.
  package init?(_ text: String, most: Int = Self.longest) {
    guard text.utf8.count <= most else { return nil }
    self.text = text
  }

  /// Nil if it is longer than `most` bytes, or is not UTF-8.
  package init?(_ bytes: [UInt8], most: Int = Self.longest) {
    guard bytes.count <= most else { return nil }
    // Validation is slow, and most text needs none.
    if bytes.allSatisfy({ $0 < 0x80 }) {
      text = String(decoding: bytes, as: UTF8.self)
      return
    }
    guard let valid = String(validating: bytes, as: UTF8.self) else { return nil }
    text = valid
  }

  /// Text of this program, or text whose length was checked where it came in.
  package init(checked text: String) { self.text = text }

  package static func == (one: OutsideText, other: OutsideText) -> Bool {
    isSame(one.text, other.text)
  }

  package static func < (one: OutsideText, other: OutsideText) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    let bytes = text.utf8.span
    hasher.combine(bytes.count)
    var word: UInt64 = 0
    for place in bytes.indices {
      word = word << 8 | UInt64(bytes[place])
      if place & 7 == 7 { hasher.combine(word) }
    }
    hasher.combine(word)
  }

  /// True if both have the same bytes.
  package static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
  }

  /// In lower case; other spellings of the same letters stay different.
  package var lowered: OutsideText { OutsideText(checked: text.lowercased()) }

  /// Takes time in proportion to the sum of both lengths (Knuth, Morris and Pratt).
  package func contains(_ part: OutsideText) -> Bool {
    let (bytes, wanted) = (text.utf8.span, part.text.utf8.span)
    guard wanted.count > 0 else { return true }
    guard bytes.count >= wanted.count else { return false }
    /// For each number of bytes that agree: how many agree if the first byte does not count.
    var fewer = [0]
    var length = 0
    for place in 1..<max(1, wanted.count) {
      while length > 0, wanted[place] != wanted[length] { length = fewer[length - 1] }
      if wanted[place] == wanted[length] { length += 1 }
      fewer.append(length)
    }
    length = 0
    for place in bytes.indices {
      while length > 0, bytes[place] != wanted[length] { length = fewer[length - 1] }
      if bytes[place] == wanted[length] { length += 1 }
      if length == wanted.count { return true }
    }
    return false
  }
}

extension OutsideText: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.text = text }
}
