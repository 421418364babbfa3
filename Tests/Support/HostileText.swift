// SPDX-License-Identifier: Apache-2.0
// Texts that cost more than others in some library: marks that Unicode sorts and composes, characters that become many,
// joined emoji, digits, brackets.

package struct HostileText: Sendable, CustomStringConvertible {
  package let description: String
  private let piece: String

  package static let all = [
    HostileText("plain", "a"), HostileText("marks of two classes", "\u{301}\u{323}"),
    HostileText("marks after letters", "a\u{323}\u{301}\u{327}"),
    HostileText("a ligature of eighteen letters", "\u{FDFA}"),
    HostileText("a note of three parts", "\u{1D160}"),
    HostileText("joined people", "\u{1F468}\u{200D}\u{1F469}\u{200D}"),
    HostileText("digits", "9"), HostileText("stars", "*a"), HostileText("brackets", "["),
    HostileText("escapes", "\\u0301\\u0323"), HostileText("spaces", " "),
    HostileText("capital letters with a dot", "\u{130}"),
  ]

  private init(_ description: String, _ piece: String) {
    (self.description, self.piece) = (description, piece)
  }

  /// As many whole pieces as fit into `bytes`, behind a letter.
  package func text(_ bytes: Int) -> String {
    "a" + String(repeating: piece, count: max(0, bytes - 1) / piece.utf8.count)
  }

  package func bytes(_ bytes: Int) -> [UInt8] { Array(text(bytes).utf8) }
}
