// SPDX-License-Identifier: Apache-2.0
// How finely a JPEG print is quantised: as its original was, or at a given level.
// Raises `TextProblem`, worded for the author of the setting.

package enum PrintQuality: Hashable, Sendable, CustomStringConvertible {
  /// The original's tables: the print is neither larger nor worse than necessary.
  case source
  /// On libjpeg's scale.
  case level(Int)

  package static let levels = 1...100

  package var description: String {
    switch self {
    case .source: "source"
    case .level(let level): "\(level)"
    }
  }

  /// Nil for `source`.
  package var level: Int? {
    switch self {
    case .source: nil
    case .level(let level): level
    }
  }

  /// Reads `source`, or a level in plain digits: each value has one spelling.
  package init(parsing text: String) throws(TextProblem) {
    if text == "source" {
      self = .source
      return
    }
    guard let level = Int(text), Self.levels.contains(level), "\(level)" == text else {
      throw TextProblem("the quality is a whole number from 1 to 100, or source")
    }
    self = .level(level)
  }
}
