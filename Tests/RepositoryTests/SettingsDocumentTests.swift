// SPDX-License-Identifier: Apache-2.0
// Every setting stands in the code, in the sample file and in the man page, with the same default.

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

  @Test func `the sample file holds every setting with its default, and no other`() {
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

  @Test func `the defaults that are written down are the defaults there are`() throws {
    var settings = Settings()
    for entry in SettingEntry.all { try entry.apply(&settings, entry.standard) }
    #expect(settings == Settings())
  }
}
