// SPDX-License-Identifier: Apache-2.0
// Writes HTML. Markup is a literal of the program; every text from outside goes through `text` or `name`, and every
// file name through `link`. A value; raises nothing.

internal import Vocabulary

struct HTMLWriter {
  private static let longest = 1000
  private(set) var bytes: [UInt8] = []

  mutating func markup(_ markup: StaticString) { bytes += "\(markup)".utf8 }

  /// Made by this module, without a character that HTML reads.
  mutating func append(_ made: some Sequence<UInt8>) { bytes += made }

  mutating func number(_ number: some BinaryInteger) { bytes += "\(number)".utf8 }

  /// Text or the value of an attribute in double quotation marks. Control characters and direction marks are shown as
  /// escapes; the two joiners stay, as Persian and families of emoji need them.
  mutating func text(_ text: String) {
    var piece = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard scalar == "\u{200C}" || scalar == "\u{200D}" else {
        piece.append(scalar)
        continue
      }
      escape(Printable.text(String(piece), limit: Self.longest))
      bytes += String(scalar).utf8
      piece = String.UnicodeScalarView()
    }
    escape(Printable.text(String(piece), limit: Self.longest))
  }

  private mutating func escape(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case 0x22: bytes += "&quot;".utf8
      case 0x26: bytes += "&amp;".utf8
      case 0x27: bytes += "&#39;".utf8
      case 0x3C: bytes += "&lt;".utf8
      case 0x3E: bytes += "&gt;".utf8
      default: bytes.append(byte)
      }
    }
  }

  /// A text of any direction that does not turn its neighbours around.
  mutating func name(_ text: String) {
    markup("<bdi>")
    self.text(text)
    markup("</bdi>")
  }

  /// A file beside the page, as a relative URL: all bytes but letters, digits, `-`, `.`, `_` and `~` are escaped, so
  /// that no name is taken for a scheme, a path or a query.
  mutating func link(_ file: FileName) {
    for byte in file.bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default: bytes.append(percent: byte)
      }
    }
  }
}
