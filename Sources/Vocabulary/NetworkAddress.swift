// SPDX-License-Identifier: Apache-2.0
// An IP address as bytes, and its single written form. Reads the standard notations alone: other forms
// that resolvers understand (2130706433, 0x7f.1) are judged after they are resolved.

package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// Four or sixteen, in network order.
  package let bytes: [UInt8]

  package init?(bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  package init?(_ text: some StringProtocol) {
    let text = Array(text.utf8)
    guard text.count <= 45 else { return nil }
    let isVersion6 = text.contains(UInt8(ascii: ":"))
    guard let bytes = isVersion6 ? Self.version6(text[...]) : Self.version4(text[...]) else {
      return nil
    }
    self.bytes = bytes
  }

  /// IPv6 follows RFC 5952, except that an embedded IPv4 address is written in hex.
  package var description: String {
    guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
    let groups = stride(from: 0, to: 16, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    let hex = groups.map { String($0, radix: 16) }
    guard let gap = Self.longestGap(groups) else { return hex.joined(separator: ":") }
    return hex[..<gap.lowerBound].joined(separator: ":") + "::"
      + hex[gap.upperBound...].joined(separator: ":")
  }

  private static func longestGap(_ groups: [UInt16]) -> Range<Int>? {
    var best: Range<Int>?
    var start = 0
    for index in 0...groups.count {
      if index < groups.count, groups[index] == 0 { continue }
      if index - start > max(1, best?.count ?? 0) { best = start..<index }
      start = index + 1
    }
    return best
  }

  private static func version4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        part.count == 1 || part.first != 0x30,
        let byte = UInt8(String(decoding: part, as: UTF8.self))
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func version6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let colon = UInt8(ascii: ":")
    let gap = zip(text.indices, text.indices.dropFirst()).first {
      text[$0] == colon && text[$1] == colon
    }
    guard let gap else {
      guard let bytes = groups(text), bytes.count == 16 else { return nil }
      return bytes
    }
    guard let before = groups(text[..<gap.0]), let after = groups(text[(gap.1 + 1)...]),
      before.count + after.count <= 14
    else { return nil }
    return before + [UInt8](repeating: 0, count: 16 - before.count - after.count) + after
  }

  /// Groups of hex digits between colons; the last may be an IPv4 address.
  private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    if text.isEmpty { return [] }
    var bytes: [UInt8] = []
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
        guard let inside = version4(part) else { return nil }
        bytes += inside
        continue
      }
      guard (1...4).contains(part.count), part.first != UInt8(ascii: "+"),
        let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
      else { return nil }
      bytes += [UInt8(group >> 8), UInt8(group & 255)]
    }
    return bytes
  }
}

/// Addresses that share their first bits, written `10.0.0.0/8`; a bare address is a range of one.
package struct NetworkRange: Hashable, Sendable, CustomStringConvertible {
  package let address: NetworkAddress
  package let bits: Int

  package init(parsing text: some StringProtocol) throws(TextProblem) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, let address = NetworkAddress(first) else {
      throw Self.wrong(text)
    }
    let width = address.bytes.count * 8
    let bits = parts.count == 2 ? Self.number(parts[1]) : width
    guard let bits, bits <= width else { throw Self.wrong(text) }
    self.init(address, bits)
  }

  private static func wrong(_ text: some StringProtocol) -> TextProblem {
    TextProblem(
      "'\(Printable.text(String(text), limit: 60))' is not a network; "
        + "write for example 192.168.0.0/16 or fd00::/8")
  }

  init(_ address: NetworkAddress, _ bits: Int) {
    let masked = address.bytes.enumerated().map { index, byte in
      byte & Self.mask(bits - index * 8)
    }
    self.address = NetworkAddress(bytes: masked) ?? address
    self.bits = bits
  }

  package func contains(_ other: NetworkAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
      (pair.0 ^ pair.1) & Self.mask(bits - index * 8) == 0
    }
  }

  package var description: String { "\(address)/\(bits)" }

  private static func mask(_ bits: Int) -> UInt8 {
    bits >= 8 ? 0xFF : bits <= 0 ? 0 : ~(0xFF >> UInt8(bits))
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    return Int(text)
  }
}
