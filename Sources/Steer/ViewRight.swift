// SPDX-License-Identifier: Apache-2.0
// The right of one user to look at one list, until a time, as a text that only the daemon can make: its facts and
// their HMAC-SHA256 (RFC 2104). So the daemon keeps no list of viewers, and a restart ends no view; another
// key ends them all. Values; the caller passes the time.

internal import Digests
internal import Vocabulary

package struct ViewRight: Equatable, Sendable {
  package let list: UInt64
  package let user: UInt32
  /// Seconds since 1970.
  package let until: UInt64

  package init(list: UInt64, user: UInt32, until: UInt64) {
    (self.list, self.user, self.until) = (list, user, until)
  }

  fileprivate var facts: String { "\(list).\(user).\(until)" }
}

package struct ViewKey: Sendable {
  package static let size = 32
  /// The longest text of a right: three numbers, a digest, and dots.
  package static let longest = 20 + 10 + 20 + 64 + 3
  private static let block = 64

  private let inner: [UInt8]
  private let outer: [UInt8]

  /// Nil unless there are 32 bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    let padded = bytes + [UInt8](repeating: 0, count: Self.block - bytes.count)
    inner = padded.map { $0 ^ 0x36 }
    outer = padded.map { $0 ^ 0x5C }
  }

  package func text(of right: ViewRight) -> String {
    "\(right.facts).\(String(hex: code(right.facts)))"
  }

  /// The right, if the text was made with this key and its time is not over.
  package func right(in text: String, now: UInt64) -> ViewRight? {
    guard text.utf8.count <= Self.longest else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let list = UInt64(parts[0]), let user = UInt32(parts[1]),
      let until = UInt64(parts[2]), let given = SHA256Digest(hex: Array(parts[3].utf8))
    else { return nil }
    let right = ViewRight(list: list, user: user, until: until)
    // The code covers the canonical text: another spelling of the numbers is another text.
    guard right.facts == parts[0...2].joined(separator: "."), now < until else { return nil }
    return Self.areSame(given.bytes, code(right.facts)) ? right : nil
  }

  private func code(_ facts: String) -> [UInt8] {
    SHA256.digest(of: outer + SHA256.digest(of: inner + Array(facts.utf8)).bytes).bytes
  }

  /// Takes the same time wherever the bytes differ, so that no caller finds a code byte by byte.
  private static func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
