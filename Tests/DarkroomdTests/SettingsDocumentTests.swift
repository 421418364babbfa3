// SPDX-License-Identifier: Apache-2.0
// Every setting is in the code, in the sample file and in the manual page, with the same default.

import Support
import Testing

@testable import darkroomd

@Suite struct SettingsDocumentTests {
  /// `[Section] Key=default` of each line that sets a key, commented out or not.
  private func sample() -> [String] {
    var section = ""
    var found: [String] = []
    for line in Repository.text("etc/darkroomd.conf").split(separator: "\n") {
      let line = line.hasPrefix("#") ? line.dropFirst() : line[...]
      if line.hasPrefix("[") {
        section = String(line)
      } else if let equals = line.firstIndex(of: "="), !line[..<equals].contains(" ") {
        found.append("\(section) \(line)")
      }
    }
    return found
  }

  @Test func `the sample file holds every setting with its default, and no others`() {
    let known = SettingEntry.all.map { "[\($0.section)] \($0.key)=\($0.standard)" }
    #expect(sample().sorted() == known.sorted())
  }

  @Test func `the man page describes every setting with its default`() {
    let page = Repository.text("man/darkroomd.conf.5")
    for entry in SettingEntry.all {
      #expect(page.contains("\(entry.key)="), "\(entry.key) is not in darkroomd.conf(5)")
      #expect(
        entry.standard.isEmpty || page.contains(entry.standard),
        "the default \(entry.standard) of \(entry.key) is not in darkroomd.conf(5)")
    }
  }

  @Test func `the man page names the settings that wait for the next start, and no others`()
    throws
  {
    let page = Repository.text("man/darkroomd.conf.5")
    let start = try #require(page.firstRange(of: "which take effect at the next start"))
    let end = try #require(page[start.upperBound...].firstRange(of: ".PP"))
    let named = page[start.upperBound..<end.lowerBound].matches(of: /\.BR? (\w+)=/).map {
      String($0.1)
    }
    #expect(named == SettingEntry.all.filter(\.waits).map(\.key))
  }

  @Test func `the documented defaults are the built-in defaults`() throws {
    var settings = Settings()
    for entry in SettingEntry.all { try entry.apply(&settings, entry.standard) }
    #expect(settings == Settings())
  }
}
