// SPDX-License-Identifier: Apache-2.0
// Guesses the format of a file from its first bytes: a format that a list may have, or another known format,
// which the refusal names.

enum FormatGuess: Equatable, Sendable {
  case xml
  case binary
  case json
  /// A text of URLs.
  case lines
  /// CSV, whose first line names a column of URLs.
  case table(separator: UInt8)
  /// Too little content to tell.
  case unfinished(String)
  /// Completes a sentence: `it is a PDF document`.
  case other(String, advice: String = ListRefusal.formatAdvice)

  static let headSize = 1024

  private static let magics: [(bytes: [UInt8], words: String, advice: String)] = [
    ([0x1F, 0x8B], "it is compressed with gzip", "Unpack it"),
    ([0x42, 0x5A, 0x68], "it is compressed with bzip2", "Unpack it"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "it is compressed with xz", "Unpack it"),
    ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed with zstd", "Unpack it"),
    ([0x50, 0x4B, 0x03, 0x04], "it is a ZIP archive", "Unpack it"),
    ([0xFF, 0xD8], "it is a JPEG picture", "Give it a name that ends in .jpg"),
    ([0x89, 0x50, 0x4E, 0x47], "it is a PNG picture", "Give it a name that ends in .png"),
    ([0x25, 0x50, 0x44, 0x46], "it is a PDF document", ListRefusal.formatAdvice),
  ]

  /// UTF-32 first: its mark begins with the mark of UTF-16.
  private static let encodings: [(bytes: [UInt8], words: String)] = [
    ([0xFF, 0xFE, 0, 0], "it is text in UTF-32"), ([0, 0, 0xFE, 0xFF], "it is text in UTF-32"),
    ([0x3C, 0, 0, 0], "it is text in UTF-32"), ([0, 0, 0, 0x3C], "it is text in UTF-32"),
    ([0x3C, 0], "it is text in UTF-16 without a byte order mark"),
    ([0, 0x3C], "it is text in UTF-16 without a byte order mark"),
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
      return .other(magic.words, advice: magic.advice)
    }
    if let encoding = encodings.first(where: { head.starts(with: $0.bytes) }) {
      return .other(encoding.words, advice: "Save it as UTF-8")
    }
    if head.allSatisfy({ $0 == 0 }) { return .unfinished("it begins with NUL bytes only") }
    var decoder = ListDecoder(ListEncoding(head))
    let text = decoder.decode(Array(head[ListEncoding.markSize(head)...]))
    guard let first = text.firstIndex(where: { !ListText.isSpace($0) }) else {
      return decoder.isBroken
        ? .other("it begins with bytes that are not text")
        : .unfinished("it contains only white space")
    }
    return self.text(text[first...])
  }

  private static func text(_ text: ArraySlice<UInt8>) -> FormatGuess {
    switch text.first {
    case UInt8(ascii: "<"):
      let lowered = text.prefix(14).map(ListText.lowered)
      if lowered.starts(with: "<html".utf8) || lowered.starts(with: "<!doctype html".utf8) {
        return .other("it is an HTML page")
      }
      return .xml
    case UInt8(ascii: "["): return .json
    case UInt8(ascii: "{"):
      if text.starts(with: "{\\rtf".utf8) {
        return .other("it is RTF", advice: "Save it as plain text")
      }
      return isOldStyle(text) ? .other(oldStyle) : .json
    case UInt8(ascii: "#"): return .lines
    default: return line(text.prefix { $0 != 0x0A })
    }
  }

  /// The first line that is not empty.
  private static func line(_ line: ArraySlice<UInt8>) -> FormatGuess {
    let isQuoted = line.first == UInt8(ascii: "\"")
    // In a table of quoted cells a semicolon separates columns.
    if isQuoted && isOldStyle(line, signs: [UInt8(ascii: "=")]) || line.first == UInt8(ascii: "(")
      || line.starts(with: "/*".utf8) || line.starts(with: "//".utf8)
    {
      return .other(oldStyle)
    }
    if contains(line, "://") { return .lines }
    for separator in TableListReader.separators {
      let names = line.split(separator: separator, omittingEmptySubsequences: false)
      if names.contains(where: TableListReader.isURLColumn) {
        return .table(separator: separator)
      }
    }
    return .other("its first line is neither a URL nor the names of columns with a column 'url'")
  }

  static func contains(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: text.utf8) }
  }

  private static let oldStyle = "it is an old-style property list"

  /// Tells `{ a = b; }` from `{ "a": "b" }` by the first sign outside quotes.
  private static func isOldStyle(
    _ bytes: ArraySlice<UInt8>, signs: [UInt8] = [UInt8(ascii: "="), UInt8(ascii: ";")]
  ) -> Bool {
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if signs.contains(byte) { return true }
      if byte == UInt8(ascii: ":") { return false }
    }
    return false
  }

  private static func shown(_ version: String) -> String {
    version.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLetter) } ? version : "?"
  }
}
