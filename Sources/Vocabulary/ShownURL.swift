// SPDX-License-Identifier: Apache-2.0
// What may be shown of a URL that is none, or is refused: users, passwords, queries and fragments can be
// secrets there as well.

package enum ShownURL {
  /// Without what stands before an `@` in front of the path, and without what follows `?` or `#`.
  package static func text(_ url: String) -> String {
    let bytes = Array(url.utf8)
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
    let shown = bytes[..<end]
    let isSlash = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
    var start = shown.startIndex
    if let colon = shown.firstIndex(of: UInt8(ascii: ":")), colon + 1 < shown.endIndex,
      isSlash(shown[colon + 1])
    {
      start = colon + 1
    }
    while start < shown.endIndex, isSlash(shown[start]) { start += 1 }
    let path = shown[start...].firstIndex(where: isSlash) ?? shown.endIndex
    guard let sign = shown[start..<path].lastIndex(of: UInt8(ascii: "@")) else {
      // A password may hold a slash; then the last @ of all is the safe place to begin.
      guard let any = shown.lastIndex(of: UInt8(ascii: "@")) else {
        return String(decoding: shown, as: UTF8.self)
      }
      return String(decoding: shown[..<start] + shown[(any + 1)...], as: UTF8.self)
    }
    return String(decoding: shown[..<start] + shown[(sign + 1)...], as: UTF8.self)
  }
}
