// SPDX-License-Identifier: Apache-2.0
// The live page as a person has looked at it: at work and finished, failed photos, light and dark, on a phone, and with
// the overview of a longer list. In the suite of the live page: two browsers at once would take all threads on which
// the daemons of these tests answer.

import Foundation
import Steer
import Support
import Testing
import Vocabulary

extension LivePageTests {
  private static let isDrawn =
    "[...document.images].every(i => !i.hasAttribute('src') || i.parentNode.classList.contains('there'))"

  private func see(
    _ facts: (SheetSample) throws -> GiantDaemon.Facts,
    _ looks: (WebBrowser) async throws -> Void
  ) async throws {
    // Its folder is there as long as it is.
    let sample = try SheetSample()
    defer { withExtendedLifetime(sample) {} }
    try await DaemonBench.use { bench in
      let folder = try FreshFolder.forSockets()
      let server = try GiantDaemon.serve(try facts(sample), at: "\(folder.path)/control")
      let site = try await WebSite.start(bench, socket: "\(folder.path)/control")
      try await WebBrowser.use { browser in
        try browser.size(1200, 860)
        try browser.prefer("light")
        try browser.open("\(site.base)/open/\(GiantDaemon.token)")
        try await looks(browser)
        // The test reads the canvas, the page does not.
        let complaints = try browser.complaints().filter { !$0.contains("willReadFrequently") }
        #expect(complaints.isEmpty, "\(complaints)")
      }
      server.stop()
    }
  }

  /// Compares the page with its golden picture when its names and pictures are there.
  private func check(_ browser: WebBrowser, _ name: String, first: String = "1, Rolling Hills")
    async throws
  {
    let label = "document.querySelector('li a[tabindex=\"0\"]')?.ariaLabel"
    let isThere = try await Patience.sees {
      try browser.value(of: "\(label)?.startsWith('\(first)') && \(Self.isDrawn)") as? Bool == true
    }
    #expect(isThere, "\(name)")
    try GoldenPicture.check(try browser.screenshot(), name)
  }

  @Test func `a list at work`() async throws {
    try await see({ try $0.facts(done: 9) }) { browser in
      try await check(browser, "live-work")
      try browser.prefer("dark")
      try await check(browser, "live-work-dark")
      try browser.size(390, 844, isPhone: true)
      try await check(browser, "live-work-phone-dark")
      try browser.prefer("light")
      try await check(browser, "live-work-phone")
    }
  }

  @Test func `a list that is finished, and its failed photos`() async throws {
    try await see({ try $0.facts(done: 16, state: .finished) }) { browser in
      try await check(browser, "live-finished")
      try browser.prefer("dark")
      try await check(browser, "live-finished-dark")
      try browser.prefer("light")
      _ = try browser.value(of: "document.querySelectorAll('button')[3].click()")
      try await check(browser, "live-failed", first: "8, ")
    }
  }

  @Test func `a long list has its overview`() async throws {
    try await see({ try $0.facts(total: 1000, done: 620) }) { browser in
      // The colours come after the page.
      let isDyed = try await Patience.sees {
        try browser.value(
          of:
            "new Set(document.querySelector('canvas').getContext('2d').getImageData(0, 0, 30, 100)"
            + ".data).size > 8") as? Bool == true
      }
      #expect(isDyed)
      try await check(browser, "live-overview")
      try browser.prefer("dark")
      try await check(browser, "live-overview-dark")
      try browser.size(390, 844, isPhone: true)
      try await check(browser, "live-overview-phone-dark")
    }
  }
}
