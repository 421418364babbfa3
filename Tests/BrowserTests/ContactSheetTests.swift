// SPDX-License-Identifier: Apache-2.0
// The static contact sheet in Chromium, opened from disk with scripts off, as a person sees it.

import Foundation
import Support
import Testing
import Vocabulary

@Suite(
  .serialized,
  .enabled(if: WebBrowser.obstacle == nil, Comment(rawValue: WebBrowser.obstacle ?? "")))
struct ContactSheetTests {
  /// One browser for all: its start takes a second.
  static func use(
    _ body: (WebBrowser, SheetSample) async throws -> Void
  ) async throws {
    let sample = try SheetSample()
    try await WebBrowser.use { browser in
      try browser.allowScripts(false)
      try browser.size(1200, 1000)
      try browser.prefer("light")
      try await body(browser, sample)
    }
  }

  private static let areLoaded = "[...document.images].every(i => i.complete && i.naturalWidth > 0)"
  private static let fits = "document.documentElement.scrollWidth <= window.innerWidth"

  static func open(_ browser: WebBrowser, _ url: String) async throws {
    try browser.open(url)
    // Pictures are loaded when they come near.
    _ = try browser.value(of: "window.scrollTo(0, 100000)")
    let isThere = try await Patience.sees { try browser.value(of: areLoaded) as? Bool == true }
    #expect(isThere)
    _ = try browser.value(of: "window.scrollTo(0, 0)")
  }

  @Test func `every print is shown and leads to its file, and no policy is violated`() async throws
  {
    try await Self.use { browser, sample in
      try await Self.open(browser, try sample.write("index"))
      #expect(try browser.value(of: "document.images.length") as? Int == 14)
      #expect(try browser.complaints() == [])
      // The style sheets are in force: their digests fit.
      #expect(
        try browser.value(of: "getComputedStyle(document.querySelector('ol')).display") as? String
          == "flex")
      #expect(
        try browser.value(
          of: "getComputedStyle(document.querySelector('#n1 a')).backgroundImage.slice(0, 15)")
          as? String == "linear-gradient")
      let link = "decodeURIComponent(document.querySelector('#n4 a').getAttribute('href'))"
      #expect(try browser.value(of: link) as? String == "<script>%2Fx?#.jpg")
      for number in [1, 4, 16] {
        let href = try browser.value(of: "document.querySelector('#n\(number) a').href") as? String
        try browser.open(try #require(href))
        #expect(try browser.value(of: "document.images.length") as? Int == 1)
        try browser.open("file://\(sample.place.path)/index.html")
      }
      #expect(try browser.complaints() == [])
    }
  }

  @Test func `hostile names are shown as text, and stay in their places`() async throws {
    try await Self.use { browser, sample in
      try browser.allowScripts(true)
      try await Self.open(browser, try sample.write("index", title: SheetSample.markup))
      #expect(try browser.value(of: "document.title") as? String == SheetSample.markup)
      #expect(try browser.value(of: "document.scripts.length") as? Int == 0)
      for number in 1...16 {
        let name = try browser.value(of: "document.querySelector('#n\(number) p bdi').textContent")
        #expect(name as? String == sample.shownName(number))
      }
      // Each caption ends within its tile, also one of the other direction.
      let sticks = """
        [...document.querySelectorAll('li')].every(li => [...li.querySelectorAll('p, div, a')].every(e => {
        const [a, b] = [e.getBoundingClientRect(), li.getBoundingClientRect()];
        return a.left >= b.left - 1 && a.right <= b.right + 1 }))
        """
      for (width, isPhone) in [(1200, false), (700, false), (360, true)] {
        try browser.size(width, 900, isPhone: isPhone)
        #expect(try browser.value(of: Self.fits) as? Bool == true, "\(width)")
        #expect(try browser.value(of: sticks) as? Bool == true, "\(width)")
      }
      #expect(try browser.complaints() == [])
    }
  }

  @Test func `all tiles of a row have the same height`() async throws {
    try await Self.use { browser, sample in
      try await Self.open(browser, try sample.write("index"))
      let rows = """
        Object.values(Object.groupBy([...document.querySelectorAll('li')],
        li => Math.round(li.getBoundingClientRect().top)))
        .every(row => new Set(row.map(li => Math.round(li.firstChild.getBoundingClientRect().height / 3))).size <= 2)
        """
      #expect(try browser.value(of: rows) as? Bool == true)
    }
  }

  @Test func `text has enough contrast in light and dark`() async throws {
    try await Self.use { browser, sample in
      try await Self.open(browser, try sample.write("index", done: 14))
      let contrast = """
        (() => { const light = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255)
          .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
          return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] };
        const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
          if (!/, 0\\)$/.test(c)) return c } return 'rgb(255,255,255)' };
        return Math.min(...[...document.querySelectorAll('h1,p,b,bdi,i,time,strong,nav a')].map(e => {
          const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
          return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) })) })()
        """
      for scheme in ["light", "dark"] {
        try browser.prefer(scheme)
        let least = try #require(try browser.value(of: contrast) as? Double)
        #expect(least >= 4.5, "\(scheme)")
      }
    }
  }

  @Test func `the filter shows the failed ones alone`() async throws {
    try await Self.use { browser, sample in
      let url = try sample.write("index")
      try await Self.open(browser, url)
      try browser.open(url + "#failed")
      let shown =
        "[...document.querySelectorAll('li')].filter(li => li.offsetHeight > 0).map(li => li.id)"
      #expect(try browser.value(of: shown) as? [String] == ["n8", "n13"])
      try GoldenPicture.check(try browser.screenshot(), "failed")
    }
  }

  @Test func `it looks as it did when a person looked at it`() async throws {
    try await Self.use { browser, sample in
      let url = try sample.write("index")
      try await Self.open(browser, url)
      try GoldenPicture.check(try browser.screenshot(), "light")
      try browser.prefer("dark")
      try GoldenPicture.check(try browser.screenshot(), "dark")
      try browser.prefer("light")
      try await Self.open(browser, try sample.write("work", done: 9))
      try GoldenPicture.check(try browser.screenshot(), "work")
      try browser.size(390, 844, isPhone: true)
      try await Self.open(browser, url)
      try GoldenPicture.check(try browser.screenshot(), "phone")
      // A4 at 96 pixels an inch, without its margins.
      try browser.size(703, 1032)
      try browser.prefer("light", medium: "print")
      try await Self.open(browser, url)
      try GoldenPicture.check(try browser.screenshot(), "print")
    }
  }
}
