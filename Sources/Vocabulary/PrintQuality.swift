// SPDX-License-Identifier: Apache-2.0
// How finely a JPEG print is quantised: as coarsely as its original was, or by a level of its own.
// Raises `PrintQualityError`, worded for whoever wrote it.

package enum PrintQuality: Hashable, Sendable, CustomStringConvertible {
  /// The original's own tables: a print is neither larger nor worse than need be.
  case source
  /// As libjpeg counts it.
  case level(Int)

  package static let levels = 1...100

  package var description: String {
    switch self {
    case .source: "source"
    case .level(let level): "\(level)"
    }
  }

  /// Nil where the original decides.
  package var level: Int? {
    switch self {
    case .source: nil
    case .level(let level): level
    }
  }

  /// Reads `source`, or a level as plain digits: there is one spelling for each.
  package init(parsing text: String) throws(PrintQualityError) {
    if text == "source" {
      self = .source
      return
    }
    guard let level = Int(text), Self.levels.contains(level), "\(level)" == text else {
      throw PrintQualityError()
    }
    self = .level(level)
  }
}

package struct PrintQualityError: Error, Equatable, Sendable, CustomStringConvertible {
  package var description: String { "the quality is a whole number from 1 to 100, or source" }
}
