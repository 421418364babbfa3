// SPDX-License-Identifier: Apache-2.0
// The keys that are allowed beside `Photos`, by their names in a list.

enum OptionKey: String, CaseIterable, Sendable {
  case title = "Title"
  case serviceClass = "QualityOfService"
  case filter = "Filter"
  case quality = "Quality"
  case metadata = "Metadata"
  case output = "Output"
  case notify = "Notify"
  case isPrivate = "Private"
  case contactSheet = "ContactSheet"

  /// The key of the photos themselves.
  static let photos = "Photos"

  init?(_ text: ListText, _ spelling: KeySpelling) {
    guard let key = Self.allCases.first(where: { spelling.matches(text, $0.rawValue) }) else {
      return nil
    }
    self = key
  }

  /// Its value is yes or no.
  var isFlag: Bool { self == .isPrivate || self == .contactSheet }

  /// All keys at the top of a list with `Photos`.
  static let known = allCases.map(\.rawValue) + [photos]
}
