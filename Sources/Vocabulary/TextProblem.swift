// SPDX-License-Identifier: Apache-2.0
// Why a text that a person has written is not valid, worded for its author: an option of a list, a setting, a command line.

package struct TextProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }

  package static func unknownOption(_ option: String, among known: [String]) -> TextProblem {
    TextProblem(
      "unknown option '\(Printable.text(option))'\(Suggestion.words(for: option, among: known))")
  }
}
