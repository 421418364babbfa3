// SPDX-License-Identifier: Apache-2.0
// The name of a photo that its list does not name: the last part of the path of its URL, or the host. Photos may
// have equal names; their prints are numbered.

internal import Vocabulary

enum URLName {
  private static let slash = UInt8(ascii: "/")

  static func name(of url: ListText, _ limits: ListLimits) -> ListText {
    // The kept part of a long URL may end within a character.
    let bytes = url.cut(to: url.bytes.count)
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    var path = bytes[..<(end ?? bytes.count)]
    if let scheme = path.firstIndex(of: UInt8(ascii: ":")),
      path[(scheme + 1)...].starts(with: [slash, slash])
    {
      path = path[(scheme + 3)...]
    }
    while path.last == slash { path.removeLast() }
    let start = path.lastIndex(of: slash)
    // Without a path it is the host, which a password may precede.
    let part =
      start.map { path[($0 + 1)...] }
      ?? path.lastIndex(of: UInt8(ascii: "@")).map { path[($0 + 1)...] } ?? path
    let name = decoded(part) ?? ListText(Array(part))
    return ListText(name.cut(to: min(200, Int(limits.keyBytes))))
  }

  /// Nil unless its percent-encoding is valid, and encodes a text without control characters.
  private static func decoded(_ part: ArraySlice<UInt8>) -> ListText? {
    guard let bytes = HexDigits.percentDecoded(part),
      String(validating: bytes, as: UTF8.self) != nil
    else { return nil }
    let name = ListText(bytes)
    return name.hasControl ? nil : name
  }
}
