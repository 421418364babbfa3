// SPDX-License-Identifier: Apache-2.0
// Hostile names of photos and lists: every print lies in its list's folder, under its own safe name.

import Foundation
import Support
import Testing

@Suite struct NameTests {
  private static let photos = [
    "../escape", "../../../../tmp/escape", "/etc/cron.d/job", ".", "..", "...", ".hidden", "-rf",
    "a/b/c", "percent%2Fslash", "\u{202E}gpj.exe",
    "Barn", "barn", "BARN", "Barn.jpg", "Barn~12", "Barn~13", "\u{E9}t\u{E9}", "e\u{301}te\u{301}",
    "\u{C9}T\u{C9}", " ", "  leading", "trailing ", "$(reboot)", "`id`", "a;b&c|d", "*", "?",
    "CON", "\\", "\"'", "🐎🐎", String(repeating: "long", count: 500),
    String(repeating: "long", count: 500) + "er", String(repeating: "ü", count: 300), "%", "~1",
  ]

  @Test func `every photo has its own print, safely named, in the list's folder alone`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(Self.photos.count)
      let photos = Array(zip(Self.photos, urls))
      try await bench.drop(PhotoListText.binary(photos), as: "names.plist")
      let before = bench.names("..")
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "names", daemon).code == 0)
      let prints = bench.names("prints/names")
      #expect(prints.count == Self.photos.count, "\(prints)")
      let folded = prints.map { $0.precomposedStringWithCanonicalMapping.lowercased() }
      #expect(Set(folded).count == prints.count, "\(folded)")
      for name in prints {
        #expect(!name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F }, "\(name)")
        #expect(!name.hasPrefix(".") && !name.hasPrefix("-") && name.hasSuffix(".jpg"), "\(name)")
        #expect(name.utf8.count <= 255)
      }
      #expect(bench.names("prints") == ["names"])
      #expect(bench.names("..") == before)
      // Each print is that of its photo.
      let shown = try await bench.show("names").photos
      #expect(shown.map(\.number) == Array(1...Self.photos.count))
      for photo in shown where !photo.print.contains("\\") {
        #expect(prints.contains { $0.utf8.elementsEqual(photo.print.utf8) }, "\(photo.print)")
      }
      let contents = Set(prints.map { bench.bytes("prints/names/\($0)") })
      #expect(contents.count == prints.count, "the pictures differ, so the prints do")
      #expect(!daemon.errors.contains("\u{1B}"), "no name reaches the terminal raw")
      #expect(!daemon.errors.contains("two\nlines"))
    }
  }

  @Test func `a name with control characters fails its photo and does not reach the terminal`()
    async throws
  {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let names = ["two\nlines", "tab\there", "esc\u{1B}[31m", "Good"]
      try await bench.drop(PhotoListText.binary(names.map { ($0, url) }), as: "names.plist")
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "names", daemon).code == 1)
      #expect(bench.names("prints/names") == ["Good.jpg"])
      let failed = try await bench.show("names").photos.filter { $0.state == "failed" }
      #expect(failed.count == 3)
      #expect(failed.allSatisfy { $0.reason.contains("its name contains a control character") })
      let shown = try await bench.tool("show", "names")
      for text in [daemon.errors, shown.output] {
        #expect(!text.contains("\u{1B}") && !text.contains("two\nlines"))
      }
    }
  }

  @Test(
    arguments: [
      ("..plist.plist", "%2E.plist"), ("-rf.plist", "%2Drf"), ("two\nlines.plist", "two%0Alines"),
      ("100%.plist", "100%25"), ("\u{1B}[2J.plist", "%1B[2J"), ("Küche 日本.plist", "Küche 日本"),
      (" .plist", " "), ("a.plist.plist", "a.plist"), ("$(id).plist", "$(id)"),
    ])
  func `the name of a list chooses no path`(file: String, folder: String) async throws {
    try await DaemonBench.use { bench in
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: file)
      // A file whose name begins with a dot is left alone.
      let isHidden = file.hasPrefix(".")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints") == (isHidden ? [] : [folder]))
      #expect(bench.copies == (isHidden ? [] : [file]))
      #expect(bench.names("inbox").contains(file) == isHidden)
    }
  }

  @Test func `a list with the longest name that the kernel allows is developed`() async throws {
    try await DaemonBench.use { bench in
      let file = String(repeating: "l", count: 249) + ".plist"
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: file)
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints") == [String(repeating: "l", count: 200)])
      #expect(bench.copies.count == 1)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "only root can act for two users"))
  func `a list named like the numbered folder of another list gets its own folder`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let daemon = try await bench.start()
      try await bench.drop([("Same", urls[0] + "?gate=g")], as: "summer.plist")
      try await daemon.says("Accepted list 'summer'")
      try await bench.drop([("Same", urls[1] + "?gate=g")], as: "summer~3.plist")
      try await daemon.says("Accepted list 'summer~3'")
      try await bench.dropForeign([("Same", urls[2] + "?gate=g")], as: "summer.plist")
      try await daemon.says("Accepted list 'summer'", times: 2)
      await bench.origin.release("g")
      try await daemon.says("Finished list", times: 3)
      #expect(bench.names("prints").count == 3, "\(bench.names("prints"))")
    }
  }

  @Test
  func `a name with control characters is shown escaped once, and found unescaped`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "new\nline.plist")
      try await daemon.says("Finished list 'new\\nline'")
      for command in ["list", "inbox"] {
        let shown = try await bench.tool(command).output
        #expect(shown.contains("new\\nline") && !shown.contains("new\\\\nline"), "\(shown)")
      }
      #expect(try await bench.lists().map(\.name) == ["new\nline"])
      #expect(try await bench.show("new\nline").state == "finished")
    }
  }
}
