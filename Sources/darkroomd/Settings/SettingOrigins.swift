// SPDX-License-Identifier: Apache-2.0
// The texts of the settings that a file sets, and the lines that they come from. A value; raises nothing.

struct SettingOrigins: Equatable, Sendable {
  struct Place: Equatable, Sendable {
    let file: String
    let line: Int
  }

  struct Origin: Equatable, Sendable {
    /// The value as it was written; the words of all lines if these add up.
    var text: String
    /// At most `mostPlaces`, the first ones; none for a default.
    var places: [Place]
  }

  static let mostPlaces = 100

  private var origins: [String: Origin] = [:]

  subscript(_ entry: SettingEntry) -> Origin {
    origins[entry.name] ?? Origin(text: entry.standard, places: [])
  }

  mutating func note(_ entry: SettingEntry, _ text: String, at place: Place) {
    guard entry.addsUp, !text.isEmpty, let earlier = origins[entry.name], !earlier.text.isEmpty
    else {
      origins[entry.name] = Origin(text: text, places: [place])
      return
    }
    let places = (earlier.places + [place]).prefix(Self.mostPlaces)
    origins[entry.name] = Origin(text: "\(earlier.text) \(text)", places: Array(places))
  }
}

extension SettingEntry {
  /// A key such as `Timeout` exists in two sections.
  fileprivate var name: String { "\(section) \(key)" }
}
