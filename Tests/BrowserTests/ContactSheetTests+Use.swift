// SPDX-License-Identifier: Apache-2.0
// The static contact sheet in use: the failed photos of a list at work, whole pictures on any screen, frames on paper,
// and the page as a screen reader has it.

import Foundation
import Support
import Testing

extension ContactSheetTests {
  private static let shown =
    "[...document.querySelectorAll('li')].filter(li => li.offsetHeight > 0).map(li => li.id)"

  /// Follows a link, and tells whether that loaded a page.
  private static func loads(_ browser: WebBrowser, _ link: String) throws -> Bool {
    _ = try browser.value(of: "document.documentElement.dataset.old = 1")
    try browser.follow(link)
    return try browser.value(of: "document.documentElement.dataset.old === undefined") as? Bool
      == true
  }

  @Test func `a person who looks at the failed ones keeps them when the page is loaded again`()
    async throws
  {
    try await Self.use { browser, sample in
      try await Self.open(browser, try sample.write("index", done: 9))
      #expect(
        try browser.value(of: "document.querySelectorAll('meta[http-equiv=refresh]').length")
          as? Int == 0)
      #expect(try !Self.loads(browser, "Failed 1"))
      for (done, failed) in [(9, ["n8"]), (12, ["n8"]), (13, ["n8", "n13"]), (14, ["n8", "n13"])] {
        _ = try sample.write("index", done: done)
        #expect(try Self.loads(browser, "Load again"), "\(done)")
        #expect(try browser.value(of: Self.shown) as? [String] == failed, "\(done)")
      }
      #expect(try Self.loads(browser, "All 16"))
      #expect(try (browser.value(of: Self.shown) as? [String])?.count == 16)
      #expect(try Self.loads(browser, "Load again"))
      #expect(try !Self.loads(browser, "Failed 2"))
      // The list ends.
      #expect(try Self.loads(browser, "Load again"))
      _ = try sample.write("index")
      #expect(try Self.loads(browser, "Load again"))
      #expect(try browser.value(of: Self.shown) as? [String] == ["n8", "n13"])
      #expect(try !Self.loads(browser, "All 16"))
      #expect(try (browser.value(of: Self.shown) as? [String])?.count == 16)
      #expect(try browser.value(of: "document.querySelectorAll('.load').length") as? Int == 0)
      #expect(try browser.complaints() == [])
    }
  }

  @Test func `each frame has the form of its picture, and the reason of a failure is whole`()
    async throws
  {
    let far = """
      Math.max(...[...document.images].map(i => { const box = i.getBoundingClientRect();
      return Math.abs(box.width / box.height * i.naturalHeight / i.naturalWidth - 1) }))
      """
    let fits = "[...document.images].every(i => getComputedStyle(i).objectFit === 'contain')"
    let cut = """
      [...document.querySelectorAll('.x div, .x div bdi')].some(e =>
      e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).display !== 'inline')
      """
    try await Self.use { browser, sample in
      let url = try sample.write("index")
      for (width, isPhone) in [(1200, false), (700, false), (390, true), (320, true)] {
        try browser.size(width, 900, isPhone: isPhone)
        try await Self.open(browser, url)
        let most = try #require(try browser.value(of: far) as? Double)
        #expect(most < 0.03, "\(width)")
        #expect(try browser.value(of: fits) as? Bool == true, "\(width)")
        #expect(try browser.value(of: cut) as? Bool == false, "\(width)")
      }
      // Upright and wide pictures have the same size on a phone: that of the column.
      let sides = """
        new Set([...document.images].map(i => Math.round(Math.max(i.width, i.height) / 2))).size
        """
      #expect(try browser.value(of: sides) as? Int == 1)
    }
  }

  @Test func `frames on paper are within their places`() async throws {
    try await Self.use { browser, sample in
      try browser.size(703, 1032)
      try browser.prefer("light", medium: "print")
      try await Self.open(browser, try sample.write("index", done: 14))
      let picture = try #require(ReadPicture(png: try browser.screenshot()))
      let places = try #require(
        try browser.value(
          of: """
            [...document.querySelectorAll('li div')].map(e => { const box = e.getBoundingClientRect();
            return [box.left, box.right, (box.top + box.bottom) / 2] })
            """) as? [[Double]])
      #expect(places.count == 4)
      func isWhite(_ x: Int, _ y: Double) -> Bool {
        guard x >= 0, x < picture.width else { return true }
        let at = (Int(y) * picture.width + x) * 4
        return picture.channels[at..<(at + 3)].allSatisfy { $0 == 255 }
      }
      for place in places where place[2] < 1032 {
        let (left, right) = (Int(place[0].rounded(.down)), Int(place[1].rounded(.up)))
        for away in 2...6 {
          #expect(isWhite(left - away, place[2]), "\(place) \(away)")
          #expect(isWhite(right + away - 1, place[2]), "\(place) \(away)")
        }
        // The frame is there.
        #expect((left...(left + 3)).contains { !isWhite($0, place[2]) }, "\(place)")
      }
      // Frames of prints are a line around them, which the margins of the paper do not cut.
      let ends = """
        (boxes => [Math.min(...boxes.map(b => b.left)), Math.max(...boxes.map(b => b.right))])
        ([...document.querySelectorAll('li a')].map(e => e.getBoundingClientRect()))
        """
      let (least, most) = try #require(
        (try browser.value(of: ends) as? [Double]).map { ($0[0], $0[1]) })
      #expect(least >= 3 && most <= 700, "\(least) \(most)")
    }
  }

  // MARK: the accessibility tree

  private struct Spoken {
    var roles: [String] = []
    var text = ""
  }

  /// The tiles as a screen reader has them: each list item with the roles and texts below it.
  private static func tiles(_ browser: WebBrowser) throws -> [Spoken] {
    let nodes =
      try browser.inspect("Accessibility.getFullAXTree")["nodes"] as? [WebBrowser.Reply] ?? []
    func value(_ node: WebBrowser.Reply, _ key: String) -> String {
      (node[key] as? WebBrowser.Reply)?["value"] as? String ?? ""
    }
    var byID: [String: WebBrowser.Reply] = [:]
    for node in nodes { if let id = node["nodeId"] as? String { byID[id] = node } }
    func gather(_ node: WebBrowser.Reply, _ spoken: inout Spoken) {
      let role = value(node, "role")
      if node["ignored"] as? Bool != true, role != "InlineTextBox" {
        spoken.roles.append(role)
        let isText = role == "StaticText"
        if isText { spoken.text += value(node, "name") + " " }
        if role == "image" { spoken.text += "image \(value(node, "name")) " }
      }
      for id in node["childIds"] as? [String] ?? [] {
        if let child = byID[id] { gather(child, &spoken) }
      }
    }
    return nodes.filter { value($0, "role") == "listitem" }.map { node in
      var spoken = Spoken()
      gather(node, &spoken)
      return spoken
    }
  }

  @Test func `a screen reader has the name of each tile, and the reason of a failure`() async throws
  {
    try await Self.use { browser, sample in
      try await Self.open(browser, try sample.write("index", done: 14))
      let tiles = try Self.tiles(browser)
      try #require(tiles.count == 16)
      for (index, tile) in tiles.enumerated() {
        #expect(tile.text.contains(sample.shownName(index + 1)), "\(tile)")
        // Nothing has a name that its role forbids.
        #expect(!tile.roles.contains("none"), "\(tile)")
        let isPrint = ![8, 13, 15, 16].contains(index + 1)
        #expect(tile.roles.contains("image") == isPrint, "\(tile)")
        #expect(tile.roles.contains("link") == isPrint, "\(tile)")
      }
      #expect(tiles[7].text.contains("Failed photos.example.org answered 404 Not Found"))
      #expect(tiles[12].text.contains("before the picture does <b>here</b>"))
      #expect(
        try browser.value(of: "document.querySelectorAll('li [aria-label]').length") as? Int == 0)
      // Found by the search of the browser, and selected.
      let found = "window.find('answered 404 Not Found') && getSelection().toString()"
      #expect(try browser.value(of: found) as? String == "answered 404 Not Found")
    }
  }
}

extension WebBrowser {
  /// Clicks the visible link with this text, as a mouse does. Returns when the page that it leads to is loaded.
  fileprivate func follow(_ link: String) throws {
    let found = try command("element", ["using": "link text", "value": link])
    guard let element = found.values.first as? String else {
      throw ProgramProblem("there is no link '\(link)'")
    }
    try command("element/\(element)/click")
  }
}
