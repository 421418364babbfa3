// SPDX-License-Identifier: Apache-2.0
// The encoding of a text, from its first bytes: a byte order mark, the XML declaration, or UTF-8.

enum ListEncoding: Equatable, Sendable {
  case utf8
  case utf16(isBig: Bool)
  /// Only in XML that declares it: no byte of a text tells it from other encodings.
  case windows1252

  /// The size of the mark at the start; zero without one.
  static func markSize(_ head: [UInt8]) -> Int {
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
    return head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) ? 2 : 0
  }

  init(_ head: [UInt8]) {
    if head.starts(with: [0xFF, 0xFE]) {
      self = .utf16(isBig: false)
    } else if head.starts(with: [0xFE, 0xFF]) {
      self = .utf16(isBig: true)
    } else {
      self = Self.declaresWindows(head) ? .windows1252 : .utf8
    }
  }

  private static let windowsNames = ["windows-1252", "cp1252", "cp-1252", "x-cp1252"]

  private static func declaresWindows(_ head: [UInt8]) -> Bool {
    guard head.starts(with: "<?xml".utf8), let end = head.firstIndex(of: UInt8(ascii: ">")) else {
      return false
    }
    let declaration = ArraySlice(head[..<end].map(ListText.lowered))
    return windowsNames.contains {
      FormatGuess.contains(declaration, "\"\($0)\"")
        || FormatGuess.contains(declaration, "'\($0)'")
    }
  }

  /// The characters of the bytes 80 to 9F; a byte without a character stays a control character.
  static let windowsCharacters: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]
}
