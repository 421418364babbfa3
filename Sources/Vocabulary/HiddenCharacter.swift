// SPDX-License-Identifier: Apache-2.0
// Characters that a reader does not see, or that change the order of the others: with them two names look alike, or
// `gpj.exe` looks like a picture. Emoji and some scripts need two kinds, joiners and variation selectors, which
// are told apart. A value; raises nothing.

package enum HiddenCharacter: Equatable, Sendable {
  /// Controls, marks of direction, separators of lines, characters without width, fillers, tags.
  case mark
  /// ZERO WIDTH JOINER and NON-JOINER: between two characters, as in Persian, in Indic scripts and in emoji.
  case joiner
  /// After the character whose form it selects.
  case selector

  /// Nil for a character that is seen.
  package init?(_ scalar: Unicode.Scalar) {
    // Most are plain.
    if scalar.value >= 0x20, scalar.value < 0x7F { return nil }
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
      0x180B...0x180F, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF,
      0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF,
      0xE01F0...0xE0FFF:
      self = .mark
    case 0x200C...0x200D: self = .joiner
    case 0xFE00...0xFE0F, 0xE0100...0xE01EF: self = .selector
    default: return nil
    }
  }

  /// True where a script or an emoji has it: beside a character beyond ASCII that is seen, a joiner between two.
  package func belongs(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
    switch self {
    case .mark: false
    // The form of the character before may be selected, as for a heart between two faces.
    case .joiner: (Self.isSelector(before) || Self.isSeen(before)) && Self.isSeen(after)
    case .selector: Self.isSeen(before)
    }
  }

  private static func isSeen(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { $0.value >= 0x80 && HiddenCharacter($0) == nil } ?? false
  }

  private static func isSelector(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.flatMap { HiddenCharacter($0) } == .selector
  }
}
