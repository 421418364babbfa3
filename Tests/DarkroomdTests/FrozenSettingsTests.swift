// SPDX-License-Identifier: Apache-2.0
// The settings that freeze when a list is accepted, as its `about` keeps them; and the values of
// Quality= and Metadata=.

import Cluster
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct FrozenSettingsTests {
  private func frozen(_ quality: PrintQuality, _ metadata: MetadataRule) -> FrozenSettings {
    FrozenSettings(
      prints: FileName(literal: "holiday"), filter: .sepia(thousandths: 333), quality: quality,
      metadata: metadata, title: "Été\n2")
  }

  @Test(arguments: [PrintQuality.source, .level(1), .level(100)], MetadataRule.allCases)
  func `frozen settings are read back as they were`(_ quality: PrintQuality, _ rule: MetadataRule)
    throws
  {
    let read = try FrozenSettings(text: frozen(quality, rule).text)
    #expect(read.quality == quality && read.metadata == rule)
    #expect(read.filter == .sepia(thousandths: 333) && read.title == "Été 2")
    #expect(read.prints == FileName(literal: "holiday"))
  }

  @Test(arguments: [nil, "0123456789abcdef"])
  func `the line of a list is read back as it was`(line: String?) throws {
    var terms = frozen(.source, .keep)
    terms.line = line
    let read = try FrozenSettings(text: terms.text)
    #expect(read.line == line && (read.mark(of: ListID(1)) == nil) == (line == nil))
  }

  @Test func `each kind of list is read back as it was`() throws {
    let (name, photos) = (FileName(literal: "0a"), try #require(NumberRanges(text: "2-4,7")))
    let mark = try #require(ShareMark(text: "9/1/1/1"))
    let kinds: [FrozenSettings.Kind] = [
      .own(), .own(photos), .entry(name), .entry(name, LedgerList(7)),
      .share(mark, photos, of: name),
    ]
    for kind in kinds {
      var terms = frozen(.source, .keep)
      terms.kind = kind
      #expect(try FrozenSettings(text: terms.text).kind == kind)
    }
  }

  @Test(arguments: [
    "Quality=0", "Quality=best", "Metadata=some", "Share=9/1/1/1", "Origin=0a\nPart=1-2",
    "Origin=0a\nShare=9/1/1/1", "Part=1-2\nShare=9/1/1/1",
  ])
  func `frozen settings that cannot be read are refused`(_ line: String) {
    #expect(throws: Failure.self) {
      try FrozenSettings(text: "Prints=a\nFilter=sepia(0.8)\n\(line)\n")
    }
  }

  @Test(arguments: ["0", "101", "1.5", "Source", "+7", "007", ""])
  func `a wrong quality is refused with the values there are`(_ text: String) throws {
    let entry = try #require(SettingEntry.all.first { $0.key == "Quality" })
    var settings = Settings()
    #expect(
      throws: TextProblem(
        "the quality is a whole number from 1 to 100, or source, not '\(text)'")
    ) { try entry.apply(&settings, text) }
  }

  @Test func `a wrong metadata rule is refused with the rules there are`() throws {
    let entry = try #require(SettingEntry.all.first { $0.key == "Metadata" })
    var settings = Settings()
    #expect(throws: TextProblem("expected keep, strip or copyright, not 'none'")) {
      try entry.apply(&settings, "none")
    }
  }

  @Test func `a reload names both settings, and neither waits for a restart`() {
    var new = Settings()
    (new.filter.quality, new.filter.metadata) = (.level(80), .strip)
    let changes = SettingChanges(from: Settings(), to: new)
    #expect(changes.all == ["Quality", "Metadata"] && changes.waiting == [])
  }
}
