// SPDX-License-Identifier: Apache-2.0
// One setting in the reply to `Settings`: its value in force and the lines of the files that set it.

package struct SettingPlace: MessageValue {
  package var file: String
  package var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    file = try fields.string("file")
    line = try fields.count("line")
  }

  package var object: JSONObject {
    JSONObject(["file": .string(file), "line": .int(Int64(line))])
  }
}

package struct SettingSummary: MessageValue {
  package var section: String
  package var key: String
  /// As it is written in the file, or as the default would be.
  package var value: String
  /// Empty for a default. Several if their values add up.
  package var places: [SettingPlace]
  /// The value that the next start brings, if it is another; with its places.
  package var next: String?
  package var nextPlaces: [SettingPlace]

  package init(
    section: String, key: String, value: String, places: [SettingPlace] = [],
    next: String? = nil, nextPlaces: [SettingPlace] = []
  ) {
    (self.section, self.key, self.value, self.places) = (section, key, value, places)
    (self.next, self.nextPlaces) = (next, nextPlaces)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    section = try fields.string("section")
    key = try fields.string("key")
    value = try fields.string("value")
    places = try fields.values("places")
    next = fields.isMissing("next") ? nil : try fields.string("next")
    nextPlaces = try fields.values("nextPlaces")
  }

  package var object: JSONObject {
    var object = JSONObject([
      "section": .string(section), "key": .string(key), "value": .string(value),
      "places": .values(places), "nextPlaces": .values(nextPlaces),
    ])
    if let next { object["next"] = .string(next) }
    return object
  }
}
