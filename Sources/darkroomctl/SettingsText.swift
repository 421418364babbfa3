// SPDX-License-Identifier: Apache-2.0
// The output of `config`: the settings in force, by section, and where each value comes from.

internal import Steer
internal import Vocabulary

enum SettingsText {
  static func text(_ settings: [SettingSummary], _ screen: ToolScreen) -> String {
    guard screen.isTerminal else { return settings.map { plain($0) }.joined() }
    var (lines, section) = ([String](), "")
    for setting in settings {
      if setting.section != section {
        lines.append("[\(Printable.text(setting.section))]")
        section = setting.section
      }
      lines.append(line(setting.key + "=", setting.value, setting.places, screen))
      if let next = setting.next {
        lines.append(line("  at the next start: ", next, setting.nextPlaces, screen))
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func line(
    _ head: String, _ value: String, _ places: [SettingPlace], _ screen: ToolScreen
  ) -> String {
    let origin = places.isEmpty ? "default" : words(places)
    return Prose.folded(
      "  \(Printable.text(head))\(Printable.text(value))  (\(origin))", screen, indent: 6)
  }

  private static func words(_ places: [SettingPlace]) -> String {
    places.map { "\(Printable.text($0.file)):\($0.line)" }.joined(separator: " ")
  }

  /// Columns: section, key, value, places. A value that waits for the next start follows on a line `next`.
  private static func plain(_ setting: SettingSummary) -> String {
    func line(_ head: [String], _ value: String, _ places: [SettingPlace]) -> String {
      TextTable.plain(
        head + [
          Printable.text(setting.section), Printable.text(setting.key), Printable.text(value),
          places.isEmpty ? "default" : words(places),
        ])
    }
    return line([], setting.value, setting.places)
      + (setting.next.map { line(["next"], $0, setting.nextPlaces) } ?? "")
  }
}
