// SPDX-License-Identifier: Apache-2.0
// The documents are short, their links lead somewhere, and their commands, pages and programs exist.

import Foundation
import Support
import Testing

@Suite struct DocumentTests {
  private static let readme = Repository.text("README.md")

  @Test(arguments: [("README.md", 150), ("CONTRIBUTING.md", 200)])
  func `a document is read in one sitting`(path: String, most: Int) {
    let lines = Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count > 40 && lines.count <= most + 1, "\(path) has \(lines.count - 1) lines")
  }

  @Test func `every walk of CONTRIBUTING is at the head of its file`() {
    let text = Repository.text("CONTRIBUTING.md")
    let rows = text.matches(of: #/(?m)^\|[^|]*\| `([A-Za-z\/-]+\.swift)` \|$/#).map {
      String($0.1)
    }
    #expect(rows.count == 7)
    for path in rows {
      let lines = Repository.text("Sources/\(path)").split(separator: "\n")
      let head = lines.prefix { $0.hasPrefix("//") }
      #expect(head.contains { $0.hasPrefix("// The walk: ") }, "\(path)")
    }
  }

  @Test(arguments: [
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "Benchmarks/README.md", "Tests/README.md",
  ])
  func `every link of a document leads to a file`(path: String) throws {
    let text = Repository.text(path)
    let folder = Repository.root.appending(path: path).deletingLastPathComponent()
    for link in text.matches(of: #/\]\(([^)]+)\)/#).map({ String($0.1) })
    where !link.hasPrefix("https://") {
      let place = folder.appending(path: link).path(percentEncoded: false)
      #expect(FileManager.default.fileExists(atPath: place), "\(path) links \(link)")
    }
  }

  @Test func `the README names only commands that the manual page has`() throws {
    let page = Repository.text("man/darkroomctl.1")
    let named = Self.readme.matches(of: #/(?m)(?:^|`)darkroomctl ([a-z]+)/#).map { String($0.1) }
    #expect(Set(named).count > 8)
    for command in named { #expect(page.contains(".It Cm \(command)"), "\(command)") }
  }

  @Test func `the README leads to every page, and every page to the first one`() throws {
    let folder = Repository.root.appending(path: "man").path(percentEncoded: false)
    for page in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let name = page.prefix { $0 != "." } + (page.hasPrefix("darkroomd.conf") ? ".conf" : "")
      let section = page.suffix(1)
      #expect(Self.readme.contains("\(name)(\(section))"), "\(page)")
      guard page != "darkroom.7" else { continue }
      let text = Repository.text("man/\(page)")
      #expect(
        text.contains("\n.BR darkroom (7),\n") || text.contains("\n.Xr darkroom 7 ,\n"), "\(page)")
    }
  }

  @Test func `a page for users fits on a few screens`() {
    let lines = Repository.text("man/darkroom.7").split(separator: "\n")
    #expect(lines.count > 100 && lines.count < 200, "\(lines.count)")
  }

  @Test(arguments: [("Benchmarks/README.md", "Benchmarks"), ("Tests/README.md", "Tests/Torture")])
  func `the commands of figures are programs of this repository`(path: String, folder: String) {
    let text = Repository.text(path)
    let programs = text.matches(of: #/`[^`|]*?((?:Benchmarks|Tests)/[A-Za-z/]+\.py)/#)
    #expect(!programs.isEmpty)
    for program in programs.map({ String($0.1) }) {
      #expect(program.hasPrefix(folder) && !Repository.text(program).isEmpty, "\(program)")
    }
    let campaigns = text.matches(of: #/CAMPAIGNS="?([a-z ]+)/#).flatMap {
      $0.1.split(separator: " ")
    }
    for campaign in campaigns {
      #expect(!Repository.text("Tests/Torture/\(campaign).py").isEmpty, "\(campaign)")
    }
  }
}
