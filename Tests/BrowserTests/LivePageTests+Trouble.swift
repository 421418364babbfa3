// SPDX-License-Identifier: Apache-2.0
// The live page when something is missing: its server, the daemon, a thumbnail, the list itself; and what it says about
// photos without prints.

import Foundation
import Support
import Testing
import Vocabulary

extension LivePageTests {
  private static let note = "document.querySelector('#left').textContent"

  /// A list of small photos that is finished, and its daemon.
  private func finished(
    _ bench: DaemonBench, _ names: [String], settings: String = ""
  ) async throws -> RunningProgram {
    try bench.settings(DaemonBench.settings + settings)
    let url = try bench.serveSamples(1)[0]
    let daemon = try await bench.start()
    try await bench.drop(names.map { ($0, url) }, as: "summer.plist")
    try await daemon.says("Finished list 'summer'")
    return daemon
  }

  @Test func `a page whose server is gone says so, at work and finished`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      try await onPage(bench, "=== 5") { browser, site in
        await site.program.cut()
        try await waits(browser, for: "\(Self.note).includes('darkroomctl open')")
      }
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
      try await onPage(bench, "=== 11") { browser, next in
        await next.program.cut()
        _ = try browser.value(of: "document.dispatchEvent(new Event('visibilitychange'))")
        try await waits(browser, for: "\(Self.note).includes('darkroomctl open')")
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `prints that could not be loaded appear when the daemon is there again`() async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await finished(bench, (1...120).map { "Photo \($0)" })
      try await onPage(bench, "> 5", 900, 600) { browser, _ in
        try await bench.stop(daemon)
        try press(browser, "End")
        try await waits(browser, for: "\(Self.note).includes('does not answer')")
        let next = try await bench.start()
        let isThere =
          "document.querySelector('a[data-number=\"120\"]')?.classList.contains('there')"
        try await waits(browser, for: "\(isThere) === true")
        try await waits(browser, for: "!\(Self.note).includes('does not answer')")
        try await bench.stop(next)
      }
    }
  }

  @Test func `without thumbnails the prints themselves are shown`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await finished(bench, ["A", "B"], settings: "[Output]\nThumbnails=no\n")
      try await onPage(bench, "=== 2") { browser, _ in
        let complaints = try browser.complaints()
        #expect(complaints.allSatisfy { $0.contains("404") })
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `a list that is removed while it is looked at invents no names and asks no more`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await finished(bench, (1...400).map { "Sea \($0)" })
      try await onPage(bench, "> 5", 900, 600) { browser, _ in
        let end = try await bench.tool("remove", "summer")
        #expect(end.code == 0, "\(end)")
        try press(browser, "End")
        try await waits(browser, for: "\(Self.note).includes('not there any more')")
        let calls = Self.calls("photos?")
        let before = try #require(try browser.value(of: calls) as? Int)
        for _ in 0..<20 {
          try press(browser, "Home")
          try press(browser, "End")
        }
        #expect(try browser.value(of: calls) as? Int == before)
        let names =
          "[...document.querySelectorAll('li:not([hidden]) span')].map(e => e.textContent)"
        let shown = try #require(try browser.value(of: names) as? [String])
        #expect(shown.allSatisfy { $0.isEmpty || $0.hasPrefix("Sea ") }, "\(shown)")
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `a name of digits is found by its key, and whoever comes back finds the place`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await finished(bench, (0..<300).map { "\(20_260_000 + $0)" })
      try await onPage(bench, "> 5", 900, 600) { browser, _ in
        let ask = "document.querySelector('#ask')"
        func search(_ key: String, _ word: String) throws {
          try press(browser, key)
          _ = try browser.value(of: "(\(ask).value = '\(word)', 1)")
          try press(browser, "Enter")
        }
        let current = "document.querySelector('li:not([hidden]) a[tabindex=\"0\"]')?.ariaLabel"
        try search("/", "20260123")
        try await waits(browser, for: "\(current)?.startsWith('124, 20260123')")
        try search("g", "200")
        try await waits(browser, for: "\(current)?.startsWith('200, ')")
        try search("g", "20260123")
        try await waits(browser, for: "\(Self.note) === 'There are 300 photos'")
        try await waits(browser, for: "history.state?.[0] === 200")
        try browser.command("refresh")
        try await waits(browser, for: "\(current)?.startsWith('200, ')")
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `nothing waits in a list that is cancelled, and every tile has a role`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      try await onPage(bench, "=== 5") { browser, _ in
        _ = try await bench.tool("cancel", "summer")
        let tile = "document.querySelector('a[data-number=\"9\"]')"
        try await waits(browser, for: "\(tile).innerText.includes('not done')")
        #expect(
          try browser.value(of: "document.querySelector('nav').innerText.includes('Not done 6')")
            as? Bool == true)
        let roles =
          "[...document.querySelectorAll('li:not([hidden]) a')].map(a => a.role ?? a.href)"
        let found = try #require(try browser.value(of: roles) as? [String])
        #expect(found.allSatisfy { $0 == "img" || $0.contains("/prints/") }, "\(found)")
      }
      await bench.origin.release("g")
      try await bench.stop(daemon)
    }
  }
}
