// SPDX-License-Identifier: Apache-2.0
// Guesses the format of a file from its first bytes: XML, binary, or another known format, which the refusal
// names.

enum FormatGuess: Equatable, Sendable {
  /// `start` is the offset after a byte order mark.
  case xml(start: UInt64)
  case binary
  /// Too little content to tell.
  case unfinished(String)
  /// Completes a sentence: `it is JSON`.
  case other(String)

  static let headSize = 1024

  private static let magics: [(bytes: [UInt8], words: String)] = [
    ([0x1F, 0x8B], "it is compressed with gzip"),
    ([0x42, 0x5A, 0x68], "it is compressed with bzip2"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "it is compressed with xz"),
    ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed with zstd"),
    ([0x50, 0x4B, 0x03, 0x04], "it is a ZIP archive"),
    ([0xFF, 0xD8, 0xFF], "it is a JPEG picture"),
    ([0x89, 0x50, 0x4E, 0x47], "it is a PNG picture"),
    ([0x25, 0x50, 0x44, 0x46], "it is a PDF document"),
    ([0xFF, 0xFE], "it is text in UTF-16"), ([0xFE, 0xFF], "it is text in UTF-16"),
    ([0x3C, 0x00], "it is text in UTF-16"), ([0x00, 0x3C], "it is text in UTF-16"),
    ([0x00, 0x00, 0xFE, 0xFF], "it is text in UTF-32"),
    ([0x00, 0x00, 0x00, 0x3C], "it is text in UTF-32"),
  ]

  init(_ head: [UInt8]) {
    self = Self.guess(head)
  }

  /// True if these bytes look like the start of an XML list.
  static func beginsList(_ bytes: [UInt8]) -> Bool {
    ["<?xml", "<plist", "<!DOCTYPE"].contains { bytes.starts(with: $0.utf8) }
  }

  private static func guess(_ head: [UInt8]) -> FormatGuess {
    if head.isEmpty { return .unfinished("it is empty") }
    let binary = Array("bplist00".utf8)
    if head.starts(with: binary) { return .binary }
    if binary.starts(with: head) { return .unfinished("it ends after \(head.count) bytes") }
    if head.starts(with: "bplist".utf8) {
      let version = String(decoding: head.dropFirst(6).prefix(2), as: UTF8.self)
      return .other("it is a binary property list of another version (\(shown(version)))")
    }
    if let magic = magics.first(where: { head.starts(with: $0.bytes) }) {
      return .other(magic.words)
    }
    if head.allSatisfy({ $0 == 0 }) { return .unfinished("it begins with NUL bytes only") }
    let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard let first = head[start...].firstIndex(where: { !ListText.isSpace($0) }) else {
      return .unfinished("it contains only white space")
    }
    return text(head, start: start, first: first)
  }

  private static func text(_ head: [UInt8], start: Int, first: Int) -> FormatGuess {
    let rest = head[first...]
    switch head[first] {
    case UInt8(ascii: "<"):
      let lowered = rest.prefix(14).map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 32 : $0 }
      if lowered.starts(with: "<html".utf8) || lowered.starts(with: "<!doctype html".utf8) {
        return .other("it is an HTML page")
      }
      return .xml(start: UInt64(start))
    case UInt8(ascii: "["): return .other("it is JSON")
    case UInt8(ascii: "{"): return .other(isOldStyle(rest) ? oldStyle : "it is JSON")
    case UInt8(ascii: "("), UInt8(ascii: "/"), UInt8(ascii: "\""): return .other(oldStyle)
    default: return .other("it is neither XML nor a binary property list")
    }
  }

  private static let oldStyle = "it is an old-style property list"

  /// Tells `{ a = b; }` from `{ "a": "b" }` by the first sign outside quotes.
  private static func isOldStyle(_ bytes: ArraySlice<UInt8>) -> Bool {
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: "=") || byte == UInt8(ascii: ";") { return true }
      if byte == UInt8(ascii: ":") { return false }
    }
    return false
  }

  private static func shown(_ version: String) -> String {
    version.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLetter) } ? version : "?"
  }
}
