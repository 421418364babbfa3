// SPDX-License-Identifier: Apache-2.0
// Parses the option values that lists and photos have in common. Raises `TextProblem`, whose words follow a
// place or "its".

internal import Vocabulary

enum OptionValue {
  /// The limit in bytes; a longer value may have been cut.
  static let longest: UInt64 = 200

  static func filter(_ text: ListText) throws(TextProblem) -> FilterFunction {
    let value = try word(text, of: .filter)
    do throws(TextProblem) { return try FilterFunction(parsing: value) } catch {
      throw TextProblem("'Filter' is \(text.shown): \(error)")
    }
  }

  static func quality(_ text: ListText) throws(TextProblem) -> PrintQuality {
    let value = try word(text, of: .quality)
    do throws(TextProblem) { return try PrintQuality(parsing: value) } catch {
      throw TextProblem("'Quality' is \(text.shown): \(error)")
    }
  }

  static func metadata(_ text: ListText) throws(TextProblem) -> MetadataRule {
    let value = try word(text, of: .metadata)
    if let rule = MetadataRule(name: value) { return rule }
    let near = Suggestion.words(for: value, among: MetadataRule.allCases.map(\.name))
    throw TextProblem(
      "'Metadata' is \(text.shown)\(near)", choices: MetadataRule.names)
  }

  static func serviceClass(_ text: ListText) throws(TextProblem) -> ServiceClass {
    let value = try word(text, of: .serviceClass)
    if let known = ServiceClass(name: value) { return known }
    let names = ServiceClass.allCases.map(\.name)
    throw TextProblem(
      "'QualityOfService' is \(text.shown), which is not a class"
        + Suggestion.words(for: value, among: names),
      choices: "one of \(names.joined(separator: ", "))")
  }

  static func notify(_ text: ListText) throws(TextProblem) -> PhotoURL {
    do throws(Failure) { return try ListOptions.notify(text.string) } catch {
      throw TextProblem("'Notify': \(error.reason)")
    }
  }

  static func flag(_ text: ListText, of key: OptionKey) throws(TextProblem) -> Bool {
    switch try word(text, of: key).lowercased() {
    case "yes", "true": return true
    case "no", "false": return false
    default: throw TextProblem("'\(key.rawValue)' is \(text.shown)", choices: "yes or no")
    }
  }

  private static func word(
    _ text: ListText, of key: OptionKey
  ) throws(TextProblem) -> String {
    guard text.length <= longest else {
      throw TextProblem(
        "'\(key.rawValue)' is \(text.length) bytes long; the limit is \(longest)")
    }
    return text.string
  }
}
