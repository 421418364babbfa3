// SPDX-License-Identifier: Apache-2.0
// Why a text that a person has written is not valid, worded for its author: an option of a list, a setting, a command line.

package struct TextProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  /// Completes "it must be …"; empty if the description says enough.
  package let choices: String

  package init(_ description: String, choices: String = "") {
    (self.description, self.choices) = (description, choices)
  }

  package static func unknownOption(_ option: String, among known: [String]) -> TextProblem {
    TextProblem(
      "unknown option '\(Printable.text(option))'\(Suggestion.words(for: option, among: known))")
  }
}
