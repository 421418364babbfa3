// SPDX-License-Identifier: Apache-2.0
// The part of a refused or malformed URL that may be shown: user name, password, query and fragment may be
// secrets even there.

package enum ShownURL {
  /// Removes credentials, and everything from the first `?` or `#` on.
  package static func text(_ url: String) -> String {
    let bytes = Array(url.utf8)
    let end = bytes.firstIndex { isTail($0) } ?? bytes.count
    let shown = Array(bytes[..<end])
    let (start, sign) = credentials(shown)
    // A password may contain a slash; then only the text after the last @ is safe to show.
    guard let sign = sign ?? shown.lastIndex(of: UInt8(ascii: "@")) else {
      return String(decoding: shown, as: UTF8.self)
    }
    return String(decoding: shown[..<start] + shown[(sign + 1)...], as: UTF8.self)
  }

  /// Removes everything before an `@` in front of the path, in malformed URLs too.
  package static func withoutCredentials(_ url: String) -> String {
    let bytes = Array(url.utf8)
    let (start, sign) = credentials(bytes)
    guard let sign else { return url }
    return String(decoding: bytes[..<start] + bytes[(sign + 1)...], as: UTF8.self)
  }

  /// The place where credentials would begin, and the `@` that ends them, if there is one.
  private static func credentials(_ bytes: [UInt8]) -> (start: Int, sign: Int?) {
    var start = bytes.startIndex
    if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[..<colon].allSatisfy({ $0 < 0x80 && !isSlash($0) && $0 != UInt8(ascii: "@") }),
      // In `user:password@host` the colon is followed by no slash and ends no scheme.
      let first = bytes[(colon + 1)...].first, isSlash(first)
    {
      start = colon + 1
    }
    while start < bytes.endIndex, isSlash(bytes[start]) { start += 1 }
    let end = bytes[start...].firstIndex { isSlash($0) || isTail($0) } ?? bytes.endIndex
    return (start, bytes[start..<end].lastIndex(of: UInt8(ascii: "@")))
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  private static func isTail(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
