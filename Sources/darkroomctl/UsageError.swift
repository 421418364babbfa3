// SPDX-License-Identifier: Apache-2.0
// Why a command line is not valid, in one line that says how to correct it.

internal import Vocabulary

package enum UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  case noCommand
  case unknownCommand(String, near: String?)
  case unknownOption(String, near: String?)
  case missingValue(option: String)
  case unwantedValue(option: String)
  case misplaced(option: String, command: String)
  case missingWord(command: String, what: String)
  case unwantedWord(command: String, word: String)
  case badValue(option: String, value: String, why: String)
  case twoPlaces

  package var description: String {
    switch self {
    case .noCommand: "no command given; 'darkroomctl help' shows the commands"
    case .unknownCommand(let name, let near):
      "there is no command \(Self.quoted(name))\(Self.hint(near))"
    case .unknownOption(let name, let near):
      "there is no option \(Self.quoted(name))\(Self.hint(near))"
    case .missingValue(let option): "'\(option)' needs a value"
    case .unwantedValue(let option): "'\(option)' takes no value"
    case .misplaced(let option, let command):
      "'\(option)' is not an option of '\(command)'; see 'darkroomctl help \(command)'"
    case .missingWord(let command, let what):
      "'\(command)' needs \(what); see 'darkroomctl help \(command)'"
    case .unwantedWord(let command, let word):
      "'\(command)' does not take \(Self.quoted(word)); see 'darkroomctl help \(command)'"
    case .badValue(let option, let value, let why):
      "\(Self.quoted(value)) is not valid for '\(option)': \(why)"
    case .twoPlaces: "'--root' and '--socket' exclude each other; use only one of them"
    }
  }

  private static func quoted(_ text: String) -> String { "'\(Printable.text(text, limit: 60))'" }

  private static func hint(_ near: String?) -> String {
    near.map { " (did you mean '\($0)'?)" } ?? "; 'darkroomctl help' shows them all"
  }
}
