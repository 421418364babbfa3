// SPDX-License-Identifier: Apache-2.0
// Why a command line is not valid, in one line that says how to correct it.

internal import Vocabulary

package enum UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  case noCommand(option: String)
  case unknownCommand(String, near: String?)
  case unknownOption(String, command: String?, near: String?)
  case missingValue(option: String)
  case unwantedValue(option: String)
  case misplaced(option: String, command: String)
  case missingWord(command: String, what: String)
  case unwantedWord(command: String, word: String)
  case mixedWords(command: String, word: String)
  case badValue(option: String, value: String, why: String)
  case twoPlaces
  case twoForms

  package var description: String {
    switch self {
    case .noCommand(let option):
      "'\(option)' needs a command; 'darkroomctl help' shows the commands"
    case .unknownCommand(let name, let near):
      "there is no command \(Self.quoted(name))\(Self.hint(near, command: nil))"
    case .unknownOption(let name, let command, let near):
      command.map { "'\($0)' has no option \(Self.quoted(name))\(Self.hint(near, command: $0))" }
        ?? "there is no option \(Self.quoted(name))\(Self.hint(near, command: nil))"
    case .missingValue(let option): "'\(option)' needs a value"
    case .unwantedValue(let option): "'\(option)' takes no value"
    case .misplaced(let option, let command):
      "'\(option)' is not an option of '\(command)'; see 'darkroomctl help \(command)'"
    case .missingWord(let command, let what):
      "'\(command)' needs \(what); see 'darkroomctl help \(command)'"
    case .unwantedWord(let command, let word):
      "'\(command)' does not take \(Self.quoted(word)); see 'darkroomctl help \(command)'"
    case .mixedWords(let command, let word):
      "'\(command)' does not take \(Self.quoted(word)) beside the others: it takes one list, one folder, pictures, "
        + "or URLs; see 'darkroomctl help \(command)'"
    case .badValue(let option, let value, let why):
      "\(Self.quoted(value)) is not valid for '\(option)': \(why)"
    case .twoPlaces: "'--root' and '--socket' exclude each other; use only one of them"
    case .twoForms: "'--json' and '--plain' exclude each other; use only one of them"
    }
  }

  /// A word that is none of those known.
  static func unknownValue(
    _ value: String, of option: String, _ use: String, _ known: [String]
  ) -> UsageError {
    let near = Suggestion.words(for: value, among: known)
    return .badValue(
      option: option, value: value, why: "\(use) \(known.joined(separator: ", "))\(near)")
  }

  private static func quoted(_ text: String) -> String { "'\(Printable.text(text, limit: 60))'" }

  private static func hint(_ near: String?, command: String?) -> String {
    let meant = near.map { " (did you mean '\($0)'?)" } ?? ""
    if let command { return "\(meant); see 'darkroomctl help \(command)'" }
    return near == nil ? "; 'darkroomctl help' shows them all" : meant
  }
}
