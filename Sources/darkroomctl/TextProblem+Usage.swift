// SPDX-License-Identifier: Apache-2.0
// Why a command line is not valid, in one line that says how to correct it.

internal import Vocabulary

extension TextProblem {
  static func noCommand(option: String) -> TextProblem {
    TextProblem("'\(option)' needs a command; 'darkroomctl help' shows the commands")
  }

  static func unknownCommand(_ name: String, near: String?) -> TextProblem {
    TextProblem("there is no command \(quoted(name))\(hint(near, command: nil))")
  }

  static func unknownOption(_ name: String, command: String?, near: String?) -> TextProblem {
    let owner = command.map { "'\($0)' has" } ?? "there is"
    return TextProblem("\(owner) no option \(quoted(name))\(hint(near, command: command))")
  }

  static func missingValue(option: String) -> TextProblem {
    TextProblem("'\(option)' needs a value")
  }

  static func unwantedValue(option: String) -> TextProblem {
    TextProblem("'\(option)' takes no value")
  }

  static func misplaced(option: String, command: String) -> TextProblem {
    TextProblem("'\(option)' is not an option of '\(command)'; \(help(command))")
  }

  static func missingWord(command: String, what: String) -> TextProblem {
    TextProblem("'\(command)' needs \(what); \(help(command))")
  }

  static func unwantedWord(command: String, word: String) -> TextProblem {
    TextProblem("'\(command)' does not take \(quoted(word)); \(help(command))")
  }

  static func mixedWords(command: String, word: String) -> TextProblem {
    TextProblem(
      "'\(command)' does not take \(quoted(word)) beside the others: it takes one list, one folder, pictures, "
        + "or URLs; \(help(command))")
  }

  static func badValue(option: String, value: String, why: String) -> TextProblem {
    TextProblem("\(quoted(value)) is not valid for '\(option)': \(why)")
  }

  static let twoPlaces = TextProblem(
    "'--root' and '--socket' exclude each other; use only one of them")
  static let twoForms = TextProblem(
    "'--json' and '--plain' exclude each other; use only one of them")

  /// A word that is not one of the known ones.
  static func unknownValue(
    _ value: String, of option: String, _ use: String, _ known: [String]
  ) -> TextProblem {
    let near = Suggestion.words(for: value, among: known)
    return .badValue(
      option: option, value: value, why: "\(use) \(known.joined(separator: ", "))\(near)")
  }

  private static func quoted(_ text: String) -> String { "'\(Printable.text(text, limit: 60))'" }

  private static func help(_ command: String) -> String { "see 'darkroomctl help \(command)'" }

  private static func hint(_ near: String?, command: String?) -> String {
    let meant = near.map { " (did you mean '\($0)'?)" } ?? ""
    if let command { return "\(meant); \(help(command))" }
    return near == nil ? "; 'darkroomctl help' shows them all" : meant
  }
}
