// SPDX-License-Identifier: Apache-2.0
// The texts of the settings that a file sets, and the lines that they come from. A value; raises nothing.

import Vocabulary

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

  /// The last line of a setting whose key exists in one section alone.
  func place(of key: String) -> Place? {
    SettingEntry.all.first { $0.key == key }.flatMap { self[$0].places.last }
  }

  /// An error about a file or folder that a setting names, with the line of the setting.
  func located(_ error: Failure, of key: String) -> Failure {
    guard let entry = SettingEntry.all.first(where: { $0.key == key }),
      let place = place(of: key), error.reason.hasPrefix(self[entry].text)
    else { return error }
    return ConfigurationFile.wrong(
      place.file, line: place.line, "\(key)= cannot be used: \(error.reason)",
      isMachineTrouble: error.kind == .machine)
  }
}

extension SettingEntry {
  /// A key such as `Timeout` exists in two sections.
  fileprivate var name: String { "\(section) \(key)" }
}
