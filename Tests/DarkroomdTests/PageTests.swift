// SPDX-License-Identifier: Apache-2.0
// The manual pages, the help texts and the code agree.

import Foundation
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PageTests {
  private static let pages = [
    "darkroom-backup.7", "darkroom-cluster.7", "darkroom-journal-fields.7", "darkroom-web.8",
    "darkroom.7", "darkroomctl.1", "darkroomd.8", "darkroomd.conf.5", "photo-list.5",
  ]

  /// The text without the escapes of man, and with single spaces.
  private func plain(_ text: String) -> String {
    text.replacingOccurrences(of: "\\", with: "").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  private func options(in text: String) -> Set<String> {
    let words = plain(text).split { !$0.isLetter && $0 != "-" }
    return Set(words.filter { $0.hasPrefix("--") }.map(String.init))
  }

  @Test func `the version is the same everywhere`() throws {
    let source = Repository.text("Sources/Vocabulary/Release.swift")
    let version = String(try #require(source.firstMatch(of: #/version = "(.*)"/#)).1)
    #expect(Repository.text("debian/changelog").hasPrefix("darkroom (\(version)) "))
    #expect(Repository.text("CHANGELOG.md").contains("\n## \(version)\n"))
    for page in Self.pages where Repository.text("man/\(page)").contains("\n.TH ") {
      #expect(Repository.text("man/\(page)").contains("\"darkroom \(version)\""), "\(page)")
    }
  }

  @Test func `every page has the same date`() throws {
    let folder = Repository.root.appendingPathComponent("man").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == Self.pages)
    for page in Self.pages {
      let text = Repository.text("man/\(page)")
      #expect(
        text.contains("\n.Dd November 23, 2026\n")
          || text.contains(" 2026-11-23 \"darkroom "),
        "\(page)")
    }
  }

  @Test func `darkroomd's page and its help have the same options`() throws {
    let page = Repository.text("man/darkroomd.8")
    let start = try #require(page.range(of: "\n.SH OPTIONS")?.upperBound)
    let end = try #require(page.range(of: "\n.SH SIGNALS")?.lowerBound)
    let known = options(in: CommandLineOptions.usage)
    #expect(options(in: String(page[start..<end])) == known)
    #expect(known.count == 11)
    let synopsis = page[..<(try #require(page.range(of: "\n.SH DESCRIPTION")?.lowerBound))]
    let part = options(in: PartOrder.usage)
    #expect(part.count == 8)
    #expect(options(in: String(synopsis)) == known.union(part))
    let own = try #require(page.range(of: "\n.SH \"RUNNING A PART OF A LIST\"")?.upperBound)
    let next = try #require(page.range(of: "\n.SH \"DISK TROUBLE")?.lowerBound)
    #expect(part.subtracting(known).isSubset(of: options(in: String(page[own..<next]))))
  }

  @Test(arguments: [
    "when no file waits in the inbox and every list is finished, cancelled or paused", "SIGINT",
    "exit status tells how it went",
  ])
  func `darkroomd's page and its help use the same words`(words: String) {
    #expect(plain(Repository.text("man/darkroomd.8")).contains(words))
    #expect(plain(CommandLineOptions.usage).contains(words))
  }

  @Test(arguments: ["250ms", "5s", "10min", "1h 30min", "1d"])
  func `a time as the pages write it is read, and suggested for a wrong one`(time: String) throws {
    _ = try SettingForm.duration(from: .zero, to: .seconds(86400)).read(time)
    let problem = #expect(throws: TextProblem.self) {
      try SettingForm.duration(from: .zero, to: .seconds(86400)).read("soon")
    }
    #expect(problem?.description.contains(time) == true)
    let page = plain(Repository.text("man/darkroomd.conf.5"))
    #expect(
      page.contains(".BR \(time) ,") || page.contains(".B \(time)")
        || page.contains(".BR \(time) ;"))
    #expect(Repository.text("etc/darkroomd.conf").contains(time))
  }

  @Test func `the page and the README have the same commands to install`() throws {
    let page = plain(Repository.text("man/darkroomd.8"))
    let readme = Repository.text("README.md").split(separator: "\n").map(String.init)
    let start = try #require(readme.firstIndex(of: "sudo systemd-sysusers darkroom.conf"))
    let member = "sudo usermod --append --groups darkroom USER"
    let steps = readme[start...].prefix { $0.hasPrefix("sudo ") } + [member]
    #expect(steps.count == 6 && readme.contains(member))
    #expect(page.contains(steps.joined(separator: " ")))
  }

  @Test func `the pages mention an ending in capitals`() {
    #expect(
      plain(Repository.text("man/photo-list.5")).contains(".Ql .plist , in upper or lower case"))
    #expect(plain(Repository.text("man/darkroomd.8")).contains(".plist , in upper or lower case"))
    for page in ["photo-list.5", "darkroomd.8"] {
      let text = Repository.text("man/\(page)")
      for ending in [".txt", ".csv", ".json", ".plist"] { #expect(text.contains(ending)) }
    }
  }

  @Test func `a limit is shown as the pages write it`() {
    let problem = #expect(throws: TextProblem.self) {
      try SettingForm.duration(from: .seconds(1), to: .seconds(86400)).read("2d")
    }
    #expect(problem?.description == "expected a time from 1s to 1d, not '2d'")
  }
}
