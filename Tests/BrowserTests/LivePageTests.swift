// SPDX-License-Identifier: Apache-2.0
// The page of `darkroomctl open` in Chromium: tiles that appear, a daemon that comes back, photos that go first because
// they are looked at, and lists of any size.

import Foundation
import Steer
import Support
import Testing

@Suite(
  .serialized,
  .enabled(if: WebBrowser.obstacle == nil, Comment(rawValue: WebBrowser.obstacle ?? "")))
struct LivePageTests {
  func waits(
    _ browser: WebBrowser, for condition: String, in place: SourceLocation = #_sourceLocation
  ) async throws {
    let holds = try await Patience.sees { try browser.value(of: condition) as? Bool == true }
    #expect(holds, "\(condition)", sourceLocation: place)
  }

  func press(_ browser: WebBrowser, _ key: String) throws {
    _ = try browser.value(
      of: "(document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        + "{key: '\(key)', bubbles: true, cancelable: true})), 1)")
  }

  /// A browser on the page of the list, in a window of this size.
  func look(
    _ browser: WebBrowser, at address: String, _ width: Int = 1200, _ height: Int = 800
  ) throws {
    try browser.size(width, height)
    try browser.prefer("light")
    try browser.open(address)
  }

  /// Opens the page of the list `summer`, and goes on when it shows as many prints.
  func onPage(
    _ bench: DaemonBench, _ prints: String, _ width: Int = 1200, _ height: Int = 800,
    _ body: (WebBrowser, WebSite) async throws -> Void
  ) async throws {
    let site = try await WebSite.start(bench)
    try await WebBrowser.use { browser in
      try look(browser, at: try await site.address("summer"), width, height)
      try await waits(browser, for: "\(Self.pictures) \(prints)")
      try await body(browser, site)
    }
  }

  static let pictures = "document.querySelectorAll('li:not([hidden]) a.there').length"

  /// The calls of this name that have their answers; a stream has it when it ends.
  static func calls(_ name: String) -> String {
    "performance.getEntriesByType('resource').filter(e => e.name.includes('/\(name)')).length"
  }

  /// The order that shows a window again.
  private func shown(_ browser: WebBrowser) throws -> WebBrowser.Reply {
    let window = try browser.inspect("Browser.getWindowForTarget")
    return ["windowId": try #require(window["windowId"]), "bounds": ["windowState": "normal"]]
  }

  /// Five photos that come at once, one that is missing, and six that wait at a gate.
  func begin(_ bench: DaemonBench) async throws -> RunningProgram {
    let urls = try bench.serveSamples(12)
    let photos = urls.enumerated().map { place, url in
      let number = place + 1
      let rest = number == 6 ? ".gone" : number > 6 ? "?key=\(number)&gate=g" : ""
      return (number == 2 ? "<img src=x onerror=alert(1)>" : "Photo \(number)", url + rest)
    }
    let daemon = try await bench.start()
    try await bench.drop(photos, as: "summer.plist")
    try await daemon.says("Could not download 'Photo 6'")
    for number in [1, 3, 4, 5] { try await daemon.says("Filtered 'Photo \(number)'") }
    return daemon
  }

  @Test func `tiles appear without a reload, and failed ones say why`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      try await onPage(bench, "=== 5") { browser, _ in
        _ = try browser.value(of: "window.mark = 1")
        #expect(
          try browser.value(of: "document.querySelector('#done').textContent") as? String
            == "5 of 12")
        let why =
          "document.querySelector('a[data-state=\"3\"] em').textContent"
        try await waits(browser, for: "\(why).includes('answered 404 Not Found')")
        let label = "document.querySelector('a[data-state=\"3\"]').getAttribute('aria-label')"
        let words = try #require(try browser.value(of: label) as? String)
        #expect(words.hasPrefix("6, Photo 6: failed, 127.0.0.1:"))
        let name = "[...document.querySelectorAll('li span')].map(e => e.textContent)"
        #expect(
          (try browser.value(of: name) as? [String])?.contains("<img src=x onerror=alert(1)>")
            == true)
        await bench.origin.release("g")
        try await waits(browser, for: "\(Self.pictures) === 11")
        try await waits(browser, for: "document.querySelector('#about').textContent === 'finished'")
        #expect(
          try browser.value(of: "document.querySelector('#done').textContent") as? String
            == "11 of 12")
        #expect(
          try browser.value(of: "document.querySelector('.bar').ariaValueNow") as? String == "12")
        #expect(try browser.value(of: "window.mark") as? Int == 1, "the page was not loaded again")
        let complaints = try browser.complaints()
        #expect(complaints.isEmpty, "\(complaints)")
        let print = try #require(
          try browser.value(of: "document.querySelector('a.there').href") as? String)
        try browser.open(print)
        #expect(try browser.value(of: "document.images.length") as? Int == 1)
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `a page goes on when the daemon is there again`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      try await onPage(bench, "=== 5") { browser, _ in
        try await bench.stop(daemon)
        let note = "document.querySelector('#left').textContent"
        try await waits(browser, for: "\(note).includes('does not answer')")
        let next = try await bench.start()
        try await waits(browser, for: "!\(note).includes('does not answer')")
        await bench.origin.release("g")
        try await waits(browser, for: "\(Self.pictures) === 11")
        try await bench.stop(next)
      }
    }
  }

  /// 200 photos. The first two, and those of this range, have to wait until the gate opens.
  private func queue(
    _ bench: DaemonBench, holding held: ClosedRange<Int>
  ) async throws -> RunningProgram {
    let urls = try bench.serveSamples(2)
    return try await bench.startWithQueue(
      (1...200).map { number in
        let name = "Photo \(number)"
        if number <= 2 { return (name, urls[number - 1] + DaemonBench.hold(number)) }
        return (name, urls[0] + "?n=\(number)" + (held.contains(number) ? "&gate=g" : ""))
      })
  }

  /// The photos that wait in the queue, in the order in which the origin was asked for them.
  private func asked(_ bench: DaemonBench) -> [Int] {
    bench.origin.requests().compactMap { line in
      line.firstMatch(of: #/[?&]n=(\d+)/#).flatMap { Int($0.1) }
    }
  }

  @Test func `the photos that are scrolled to are asked for first`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await queue(bench, holding: 60...149)
      let site = try await WebSite.start(bench)
      try await WebBrowser.use { browser in
        try look(browser, at: try await site.address("summer"), 900, 600)
        try await waits(browser, for: "document.querySelectorAll('li:not([hidden])').length > 5")
        try press(browser, "End")
        // Those in the middle of the list would keep both connections.
        try await daemon.says("Filtered 'Photo 200'")
        #expect(asked(bench).count { $0 > 150 } > 1, "a page asks for more than one photo")
        await bench.origin.release("g")
        try await daemon.says("Finished list 'summer'")
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `a page that nobody sees lets go of its photos and of its stream`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await queue(bench, holding: 3...200)
      let site = try await WebSite.start(bench)
      try await WebBrowser.use { browser in
        try look(browser, at: try await site.address("summer"), 900, 600)
        try await waits(browser, for: "\(Self.calls("focus")) >= 1")
        try press(browser, "End")
        try await waits(browser, for: "\(Self.calls("focus")) >= 2")
        // Two photos that are looked at have the connections of the first two.
        await bench.origin.arrivals(at: "g", 4)
        // The call that lets go names no photo.
        _ = try browser.value(
          of:
            "(ask => { window.gone = 0; window.fetch = (path, call) => ask(path, call).then(answer => { "
            + "if (call?.body?.endsWith(' ')) window.gone += 1; return answer }) })(window.fetch)")
        try browser.command("window/minimize")
        try await waits(browser, for: "document.hidden")
        try await waits(browser, for: "window.gone === 1")
        try await waits(browser, for: "\(Self.calls("events")) === 1")
        await bench.origin.release("g")
        try await daemon.says("Finished list 'summer'")
        let asked = asked(bench)
        #expect(asked.prefix(20).count { $0 >= 50 } <= 2, "\(asked)")
        try browser.inspect("Browser.setWindowBounds", try shown(browser))
        let done = "document.querySelector('#done').textContent"
        try await waits(browser, for: "\(done).startsWith('200')")
      }
      try await bench.stop(daemon)
    }
  }

  @Test(arguments: [10_000, 1_000_000] as [UInt32])
  func `a list of any size has a page of one size`(total: UInt32) async throws {
    try await DaemonBench.use { bench in
      let folder = try FreshFolder.forSockets()
      let server = try GiantDaemon.serve(
        GiantDaemon.Facts(total: total), at: "\(folder.path)/control")
      let site = try await WebSite.start(bench, socket: "\(folder.path)/control")
      try await WebBrowser.use { browser in
        try look(browser, at: "\(site.base)/open/\(GiantDaemon.token)", 1920, 1080)
        let label = "document.querySelector('li a[tabindex=\"0\"]')?.getAttribute('aria-label')"
        try await waits(browser, for: "\(label)?.startsWith('1, Photo number 1:')")
        try await waits(
          browser, for: "document.querySelector('#left').textContent.endsWith('failed')")
        try press(browser, "End")
        try await waits(
          browser, for: "\(label)?.startsWith('\(total), Photo number \(total): failed')")
        try await waits(browser, for: "document.activeElement.dataset.number === '\(total)'")
        let box = "document.activeElement.getBoundingClientRect()"
        let seen = try browser.value(
          of: "(m => [\(box).top, \(box).bottom, innerHeight, m.scrollTop, m.scrollHeight, "
            + "m.clientHeight].join())(document.querySelector('main'))")
        #expect(
          try browser.value(of: "\(box).bottom <= innerHeight && \(box).top > 0") as? Bool == true,
          "\(seen ?? 0)")
        try press(browser, "ArrowLeft")
        try await waits(browser, for: "\(label)?.startsWith('\(total - 1),')")
        try press(browser, "Home")
        try await waits(browser, for: "\(label)?.startsWith('1,')")
        try press(browser, "/")
        _ = try browser.value(of: "document.activeElement.value = 'number 5678'")
        try press(browser, "Enter")
        try await waits(browser, for: "\(label)?.startsWith('5678, Photo number 5678')")
        try press(browser, "g")
        _ = try browser.value(of: "document.activeElement.value = '\(total / 2)'")
        try press(browser, "Enter")
        try await waits(browser, for: "\(label)?.startsWith('\(total / 2),')")
        for _ in 0..<20 {
          _ = try browser.value(of: "document.querySelector('main').scrollTop += 3000")
          try await waits(browser, for: "document.querySelectorAll('li:not([hidden])').length > 10")
        }
        #expect(
          try browser.value(of: "document.documentElement.scrollWidth <= innerWidth") as? Bool
            == true)
        let nodes = try browser.value(of: "document.getElementsByTagName('*').length") as? Int
        #expect(try #require(nodes) <= 300)
        try browser.inspect("HeapProfiler.collectGarbage")
        // The states, a byte for each photo, are beside the objects.
        let heap = try browser.inspect("Runtime.getHeapUsage")
        let bytes = ["usedSize", "backingStorageSize"].compactMap { heap[$0] as? Double }
        #expect(bytes.count == 2 && bytes.reduce(0, +) <= 8 * 1_048_576, "\(heap)")
        try await tryOverview(browser, of: total)
        // The filter holds the numbers of the failed photos alone.
        _ = try browser.value(of: "document.querySelectorAll('button')[3].click()")
        try await waits(browser, for: "\(label)?.startsWith('100, Photo number 100: failed, ')")
        #expect(
          try browser.value(of: "document.querySelector('li').ariaSetSize") as? String
            == "\(total / 100)")
        // The test reads the canvas, the page does not.
        let known = ["404 (Not Found)", "willReadFrequently"]
        let bad = try browser.complaints().filter { line in
          !known.contains { line.contains($0) }
        }
        #expect(bad == [])
      }
      server.stop()
    }
  }

  /// The overview has the colours and the failed photos, and leads to any part of the list.
  private func tryOverview(_ browser: WebBrowser, of total: UInt32) async throws {
    let map = "document.querySelector('#map')"
    let pixel = { (x: Int, y: Int) in
      "document.querySelector('canvas').getContext('2d').getImageData(\(x), \(y), 1, 1).data.join()"
    }
    try await waits(browser, for: "\(pixel(0, 0)) === '187,153,102,255'")
    let red = """
      (c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data
      .some((v, i, all) => i % 4 === 0 && v === 200 && all[i + 1] === 64))(document.querySelector('canvas'))
      """
    #expect(try browser.value(of: red) as? Bool == true, "those that failed")
    #expect(try browser.value(of: pixel(4, 0)) as? String == "0,0,0,0", "a gap")
    _ = try browser.value(of: "\(map).focus()")
    try press(browser, "End")
    try await waits(browser, for: "\(map).ariaValueText.endsWith(' of \(spaced(total))')")
    try await waits(browser, for: "\(map).ariaValueNow > \(total - total / 100)")
    try press(browser, "ArrowUp")
    #expect(try browser.value(of: "document.activeElement === \(map)") as? Bool == true)
    try press(browser, "Home")
    try await waits(browser, for: "\(map).ariaValueText.startsWith('Photos 1 to ')")
    let box = try #require(
      try browser.value(of: "(b => [b.x, b.y, b.width, b.height])(\(map).getBoundingClientRect())")
        as? [Double])
    for kind in ["mousePressed", "mouseReleased"] {
      try browser.inspect(
        "Input.dispatchMouseEvent",
        [
          "type": kind, "x": box[0] + box[2] / 2, "y": box[1] + box[3] / 2, "button": "left",
          "buttons": kind == "mousePressed" ? 1 : 0, "clickCount": 1,
        ])
    }
    try await waits(
      browser, for: "Math.abs(\(map).ariaValueNow / \(total) - 0.5) < 0.02")
    let sight = "document.querySelector('#map i').getBoundingClientRect()"
    #expect(
      try browser.value(of: "Math.abs(\(sight).top - \(box[1] + box[3] / 2)) < 20") as? Bool
        == true,
      "the part on the screen is marked")
  }

  private func spaced(_ number: UInt32) -> String { number == 10_000 ? "10,000" : "1,000,000" }

  @Test func `those who listen and those who need contrast are served`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let site = try await WebSite.start(bench)
      try await WebBrowser.use { browser in
        try look(browser, at: try await site.address("summer"), 390, 800)
        try await waits(browser, for: "\(Self.pictures) >= 4")
        #expect(
          try browser.value(of: "document.documentElement.scrollWidth <= innerWidth") as? Bool
            == true)
        #expect(
          try browser.value(of: "document.querySelectorAll('[role=status]').length") as? Int == 1)
        #expect(
          try browser.value(of: "document.querySelectorAll('li a[tabindex=\"0\"]').length") as? Int
            == 1)
        let ratio = """
          ((a, b) => { const l = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => { v /= 255;
          return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126*r + .7152*g + .0722*b };
          const [x, y] = [l(a), l(b)].sort((p, q) => q - p); return (x + .05) / (y + .05) })
          """
        for scheme in ["light", "dark"] {
          try browser.prefer(scheme)
          for selector in ["h1", "#about", "#left", "li span", "nav button", "nav button + button"]
          {
            let style = "getComputedStyle(document.querySelector('\(selector)'))"
            let ground =
              selector.hasPrefix("nav")
              ? "\(style).backgroundColor"
              : "getComputedStyle(document.documentElement).backgroundColor"
            let value = try browser.value(of: "\(ratio)(\(style).color, \(ground))")
            #expect(
              ((value as? Double) ?? Double(value as? Int ?? 0)) >= 4.5,
              "\(scheme) \(selector) \(value ?? 0)")
          }
        }
        let complaints = try browser.complaints()
        #expect(complaints.isEmpty, "\(complaints)")
      }
      await bench.origin.release("g")
      try await bench.stop(daemon)
    }
  }
}
