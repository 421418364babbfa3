// SPDX-License-Identifier: Apache-2.0
// The header that names the part of the whole in an answer, read strictly: `bytes 500-999/1000`,
// `bytes 500-999/*`, and `bytes */1000` if the requested part does not exist.

package struct ContentRange: Equatable {
  /// Includes both ends; nil if the requested part does not exist.
  package let part: ClosedRange<UInt64>?
  /// Nil if the origin does not state it.
  package let total: UInt64?

  package init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    let total = Self.number(sides[1])
    guard total != nil || sides[1] == "*" else { return nil }
    self.total = total
    if sides[0] == "*" {
      guard total != nil else { return nil }
      part = nil
      return
    }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, total.map({ last < $0 }) ?? true
    else { return nil }
    part = first...last
  }

  private static func number(_ text: some StringProtocol) -> UInt64? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    return UInt64(text)
  }
}
