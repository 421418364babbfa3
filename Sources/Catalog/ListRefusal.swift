// SPDX-License-Identifier: Apache-2.0
// The failures that refuse a whole list, with their stable codes: list.format, list.syntax, list.truncated,
// list.form, list.duplicate, list.option, list.empty, list.limit.

internal import Markup
internal import Vocabulary

enum ListRefusal {
  static let formAdvice =
    "A list is a dictionary of photo names and URLs, or an array of photos, or has either under 'Photos'"
  static let formatAdvice =
    "Save it as a property list, as JSON, as CSV or as a text with one URL a line"

  /// The file is not a list: `it is a PDF document`.
  static func format(_ words: String, advice: String = formatAdvice) -> Failure {
    Failure(.final, code: "list.format", reason: words, advice: advice)
  }

  static func encoding(_ place: ListPlace, _ encoding: ListEncoding?) -> Failure {
    let name = encoding == .utf8 ? "UTF-8" : "UTF-16"
    return syntax(place, "the text is not valid \(name)", advice: "Save the file as UTF-8")
  }

  /// JSON with a character that does not belong there.
  static func json(_ place: ListPlace, _ found: Character, _ wanted: String) -> Failure {
    let advice =
      switch (found, wanted) {
      case ("\"", let other) where other.hasPrefix("','"): "Put a comma between the entries"
      case ("}", "a name"), ("]", "a value"): "Remove the comma before it"
      case ("'", _), ("\u{201C}", _), ("\u{201D}", _), ("\u{2018}", _), ("\u{2019}", _):
        "Names and values stand in straight double quotation marks"
      case ("/", _), ("#", _): "JSON has no comments"
      default: ""
      }
    return syntax(
      place, "it is not valid JSON: '\(Printable.text("\(found)"))' where \(wanted) belongs",
      advice: advice)
  }

  static func syntax(_ place: ListPlace, _ words: String, advice: String = "") -> Failure {
    Failure(.final, code: "list.syntax", reason: "\(place): \(words)", advice: advice)
  }

  static func malformed(_ error: MarkupFault, advice: String) -> Failure {
    Failure(
      .final, code: "list.syntax",
      reason: "line \(error.line), column \(error.column): \(error.words)", advice: advice)
  }

  static func trailing(_ place: ListPlace, isList: Bool) -> Failure {
    isList
      ? syntax(place, "a second list follows the end", advice: "Drop each list as its own file")
      : syntax(place, "something follows the end of the list", advice: "Remove everything after it")
  }

  static func afterJSON(_ place: ListPlace) -> Failure {
    syntax(
      place, "something follows the end of the list",
      advice: "A list in JSON is one value; put all photos into one array")
  }

  /// A writer may still complete the file.
  static func truncated(_ words: String) -> Failure {
    Failure(
      .final, code: "list.truncated", reason: words,
      advice: "The file may be incomplete; write it again")
  }

  static func top(_ event: ListEvent, _ place: ListPlace) -> Failure {
    Failure(
      .final, code: "list.form",
      reason: "\(place): the list is \(event.words), not a dictionary or an array",
      advice: formAdvice)
  }

  static func duplicate(_ key: ListText, _ first: ListPlace, _ second: ListPlace) -> Failure {
    Failure(
      .final, code: "list.duplicate",
      reason: "\(key.shown) occurs twice, at \(first) and \(second)",
      advice: "Give each photo its own name")
  }

  static func twoColumns(_ words: String, _ first: ListPlace, _ second: ListPlace) -> Failure {
    Failure(
      .final, code: "list.duplicate",
      reason: "two columns are the \(words), at \(first) and \(second)",
      advice: "Remove one of them")
  }

  /// Two Unicode spellings of one name: they look alike and cannot have two prints.
  static func twins(_ key: ListText, _ first: ListPlace, _ second: ListPlace) -> Failure {
    Failure(
      .final, code: "list.duplicate",
      reason:
        "\(key.shown) occurs twice, at \(first) and \(second), in different Unicode spellings",
      advice: "Give each photo its own name")
  }

  static func option(_ place: ListPlace, _ words: String, advice: String = "") -> Failure {
    Failure(.final, code: "list.option", reason: "\(place): \(words)", advice: advice)
  }

  static func unknownOption(_ key: ListText, _ place: ListPlace) -> Failure {
    let near = Suggestion.words(for: key.string, among: OptionKey.known)
    return option(
      place, "\(key.shown) is not an option of a list\(near)",
      advice: "Beside 'Photos' a list may have \(optionNames)")
  }

  /// In a list of names and URLs.
  static func misplaced(_ key: ListText, _ place: ListPlace) -> Failure {
    option(
      place, "\(key.shown) is the name of an option, and its value is not the URL of a photo",
      advice: "Put the names and URLs into a dictionary 'Photos', and the option beside 'Photos'")
  }

  private static var optionNames: String {
    let names = OptionKey.allCases.map { "'\($0.rawValue)'" }
    return names.dropLast().joined(separator: ", ") + " and " + names.suffix(1).joined()
  }

  static func optionKind(_ key: OptionKey, _ event: ListEvent, _ place: ListPlace) -> Failure {
    let wanted =
      if key == .quality {
        "a whole number from 1 to 100, or source"
      } else if key.isFlag {
        "yes or no"
      } else {
        "a string"
      }
    return option(place, "'\(key.rawValue)' is \(event.words); it must be \(wanted)")
  }

  static func output(_ place: ListPlace, _ text: ListText) -> Failure {
    let near = Suggestion.words(for: text.string, among: ["same"])
    return option(
      place, "'Output' is \(text.shown); prints have the format of their originals\(near)",
      advice: "Leave it out, or write same")
  }

  static func empty(advice: String = formAdvice) -> Failure {
    Failure(.final, code: emptyCode, reason: "it names no photos", advice: advice)
  }

  private static let emptyCode = "list.empty"

  /// The error of a text or table: one without photos has another advice than a structure.
  static func ofLines(_ failure: Failure, advice: String) -> Failure {
    failure.code == emptyCode ? empty(advice: advice) : failure
  }

  static func tooLarge(_ size: UInt64, limit: UInt64) -> Failure {
    Failure(
      .final, code: "list.limit", reason: "it is \(size) bytes long; the limit is \(limit)",
      advice: "Split it, or raise MaximumListSize= in the section [Inbox]")
  }

  static func tooMany(_ place: ListPlace, limit: UInt32) -> Failure {
    Failure(
      .final, code: "list.limit", reason: "\(place): it names more than \(limit) photos",
      advice: "Split it")
  }

  static func tooDeep(_ place: ListPlace) -> Failure {
    Failure(
      .final, code: "list.limit",
      reason: "\(place): it is nested more than \(ListForm.deepest) levels deep", advice: formAdvice
    )
  }
}
