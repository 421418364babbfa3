// SPDX-License-Identifier: Apache-2.0
// One setting in the reply to `Settings`: its value in force and the lines of the files that set it.

package struct SettingPlace: MessageValue {
  package var file = ""
  package var line = 0

  package init(file: String, line: Int) { (self.file, self.line) = (file, line) }

  package init() {}
  package static let fields: [Field] = [Field("file", \.file), Field("line", \.line)]
}

package struct SettingSummary: MessageValue {
  package var section = ""
  package var key = ""
  /// As it is written in the file, or as the default would be.
  package var value = ""
  /// Empty for a default. Several if their values add up.
  package var places: [SettingPlace] = []
  /// The value that the next start brings, if it is another; with its places.
  package var next: String?
  package var nextPlaces: [SettingPlace] = []

  package init(
    section: String, key: String, value: String, places: [SettingPlace] = [],
    next: String? = nil, nextPlaces: [SettingPlace] = []
  ) {
    (self.section, self.key, self.value, self.places) = (section, key, value, places)
    (self.next, self.nextPlaces) = (next, nextPlaces)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("section", \.section), Field("key", \.key), Field("value", \.value),
    Field("places", \.places), Field("next", \.next), Field("nextPlaces", \.nextPlaces),
  ]
}
