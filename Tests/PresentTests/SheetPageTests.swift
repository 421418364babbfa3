// SPDX-License-Identifier: Apache-2.0
// A page of a contact sheet, as its bytes.

import Testing
import Vocabulary

@testable import Present

struct SheetPageTests {
  private static let hostile = "<img src=x onerror=\"alert(1)\">&'\u{202E}gpj"

  private static func head(_ change: (inout SheetHead) -> Void = { _ in }) -> SheetHead {
    var head = SheetHead(
      list: ListID(33), name: "Holiday", title: "", filter: .standard, quality: .source,
      state: .finished, accepted: 1_763_712_345_000, total: 2, filtered: 2, failed: 0)
    change(&head)
    return head
  }

  private static func tile(
    _ number: UInt32, _ name: String = "Barn", _ file: String = "Barn.jpg",
    thumbnail: Thumbnail? = Thumbnail(
      width: 360, height: 240, grid: ColourGrid([UInt8](repeating: 255, count: 36)))
  ) -> SheetTile {
    SheetTile(
      number: number, name: name,
      content: .print(
        SheetTile.Print(file: FileName(made: file), width: 3000, height: 2000, thumbnail: thumbnail)
      ))
  }

  /// The digest stands for that of SHA-256.
  private static func html(_ head: SheetHead, _ tiles: [SheetTile], page: UInt32 = 1) -> String {
    let bytes = SheetPage(head, number: page, tiles: tiles).html {
      [UInt8(truncatingIfNeeded: $0.count)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a print is a picture that leads to its file`() {
    let html = Self.html(Self.head(), [Self.tile(1), Self.tile(2, thumbnail: nil)])
    #expect(
      html.contains(
        """
        <li id="n1" class="r1500"><a href="Barn.jpg"><img src=".sheet/1.jpg" alt="Barn" width="360" height="240" \
        loading="lazy"></a><p><b>1</b> <bdi>Barn</bdi> <i>3000×2000</i></p></li>
        """))
    #expect(html.contains("<img src=\"Barn.jpg\" alt=\"Barn\" width=\"3000\""))
    #expect(
      html.contains(".r1500{--r:1.500}#n1 a{background:linear-gradient(#fff,#fff,#fff)}</style>"))
    #expect(html.contains("<b>2 prints</b>"))
  }

  @Test func `a hostile name is text and a hostile file name is a file`() {
    let file = "javascript:alert(1)?#\"<é.jpg"
    let html = Self.html(
      Self.head { $0.title = Self.hostile }, [Self.tile(1, Self.hostile, file)])
    #expect(!html.contains("<img src=x"))
    #expect(!html.contains("\u{202E}"))
    let shown = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;\\u{202e}gpj"
    #expect(html.contains("<h1><bdi>\(shown)</bdi></h1>"))
    #expect(html.contains("<title>\(shown)</title>"))
    #expect(html.contains("alt=\"\(shown)\""))
    #expect(html.contains("href=\"javascript%3Aalert%281%29%3F%23%22%3C%C3%A9.jpg\""))
  }

  @Test func `joiners of a name stay and control characters are shown`() {
    let html = Self.html(
      Self.head(), [Self.tile(1, "\u{1F468}\u{200D}\u{1F467} می\u{200C}روم\u{7}")])
    #expect(html.contains("<bdi>\u{1F468}\u{200D}\u{1F467} می\u{200C}روم\\x07</bdi>"))
  }

  @Test func `a failed photo has its reason, and a filter shows only such photos`() {
    let failed = SheetTile(number: 2, name: "Elm", content: .failed(reason: "404 <Not Found>"))
    let html = Self.html(
      Self.head {
        $0.filtered = 1
        $0.failed = 1
      }, [Self.tile(1), failed])
    #expect(
      html.contains(
        """
        <li id="n2" class="r1500 x"><div><strong>Failed</strong> <bdi>404 &lt;Not Found&gt;</bdi></div>\
        <p><b>2</b> <bdi>Elm</bdi></p></li>
        """))
    #expect(
      html.contains(
        "<a class=\"all\" href=\"#\">All 2</a><a class=\"bad\" href=\"#failed\">Failed 1</a>"))
    #expect(html.contains("<b>1 of 2</b> 1 failed</p>"))
    #expect(!Self.html(Self.head(), [Self.tile(1)]).contains("<nav"))
  }

  /// A page that loads itself again forgets that a person has chosen the failed photos.
  @Test func `a page of a list at work can be loaded again and shows the photos to come`() {
    let tiles = [Self.tile(1), SheetTile(number: 2, name: "Elm", content: .missing)]
    let html = Self.html(
      Self.head {
        $0.state = .running
        $0.filtered = 1
      }, tiles)
    #expect(!html.contains("refresh"))
    #expect(
      html.contains(
        """
        <nav aria-label="Show"><a class="load" href="index.html">Load again</a>\
        <a class="load first" href="?again#failed-again">Load again</a>\
        <a class="load second" href="?#failed">Load again</a></nav>
        """))
    #expect(html.contains("<progress aria-label=\"Prints\" max=\"2\" value=\"1\">"))
    #expect(
      html.contains("<li id=\"n2\" class=\"r1500 w\"><div></div><p><b>2</b> <bdi>Elm</bdi></p>"))
    #expect(!Self.html(Self.head(), tiles).contains("Load again"))
  }

  /// In a page that is loaded again, only a real address leads from the failed photos back to a known view.
  @Test func `all photos of a list at work are a link to the page itself`() {
    let failed = SheetTile(number: 2, name: "Elm", content: .failed(reason: "lost"))
    let html = Self.html(Self.head { $0.state = .running }, [Self.tile(1), failed])
    #expect(html.contains("<a class=\"all\" href=\"index.html\">All 2</a>"))
  }

  @Test(arguments: ListState.allCases)
  func `the state has the word of the daemon`(_ state: ListState) {
    let html = Self.html(
      Self.head {
        $0.state = state
        $0.filtered = 1
      }, [Self.tile(1)])
    let word = state == .finished ? "" : state.name
    #expect(html.contains("<b>1 of 2</b> \(word)</p>"))
  }

  @Test func `pages have 500 photos each and lead to each other`() {
    #expect(SheetPage.count(of: 0) == 1)
    #expect(SheetPage.count(of: 500) == 1)
    #expect(SheetPage.count(of: 501) == 2)
    #expect(SheetPage.numbers(on: 1, of: 1200) == 1...500)
    #expect(SheetPage.numbers(on: 3, of: 1200) == 1001...1200)
    let html = Self.html(
      Self.head { $0.total = 1_000_000 }, [Self.tile(4501)], page: 10)
    #expect(html.contains("<b>4,501–5,000</b> of 1,000,000"))
    #expect(html.contains("<ol role=\"list\" start=\"4501\">"))
    #expect(
      html.contains(
        """
        Pages <a href="index.html">1</a> … <a href="8.html">8</a><a href="9.html">9</a>\
        <a href="10.html" aria-current="page">10</a><a href="11.html">11</a><a href="12.html">12</a> … \
        <a href="2000.html">2000</a>
        """))
  }

  /// A later page does not tell the counts of the list, so that it is written again only for its own photos.
  @Test func `a later page of a list at work that is complete need not be loaded again`() {
    let head = Self.head {
      $0.state = .running
      $0.total = 600
    }
    let missing = SheetTile(number: 501, name: "Elm", content: .missing)
    let open = Self.html(head, [Self.tile(501), missing], page: 2)
    #expect(open.contains("<a class=\"load\" href=\"2.html\">Load again</a>"))
    let whole = Self.html(head, [Self.tile(501)], page: 2)
    #expect(!whole.contains("Load again"))
    #expect(!whole.contains("<progress"))
    #expect(Self.html(head, [Self.tile(1)]).contains("Load again"))
  }

  private static func html(failing: [UInt32], page: UInt32 = 1, total: UInt32 = 200_000) -> String {
    let head = head { $0.total = total }
    let bytes = SheetPage(head, number: page, tiles: [tile(1)], failing: failing).html { _ in [] }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `the first page leads to the pages that have failed photos`() {
    #expect(
      Self.html(failing: [1, 3, 400]).contains(
        """
        <nav aria-label="Pages with failed photos">Pages with failed photos <a href="#failed">1</a>\
        <a href="3.html#failed">3</a><a href="400.html#failed">400</a></nav>
        """))
    let nav = "Pages with failed photos"
    #expect(!Self.html(failing: []).contains(nav))
    // A later page is not written again when a photo of another page fails.
    #expect(!Self.html(failing: [1, 3], page: 3).contains(nav))
    // The only page has its filter.
    #expect(!Self.html(failing: [1], total: 500).contains(nav))
  }

  @Test func `of four hundred pages with failed photos twenty have a link`() {
    let html = Self.html(failing: Array(1...400))
    #expect(html.contains("<a href=\"20.html#failed\">20</a> and 380 more</nav>"))
    #expect(html.utf8.count - Self.html(failing: []).utf8.count < 2000)
  }

  /// The colours of a picture that leaves paper free would be seen beside it.
  @Test func `a very long picture is whole, on paper`() {
    func long(_ width: UInt32, _ height: UInt32) -> String {
      let small = Thumbnail(width: 960, height: 96, grid: ColourGrid([]))
      let print = SheetTile.Print(
        file: FileName(made: "Bay.jpg"), width: width, height: height, thumbnail: small)
      return Self.html(
        Self.head(), [SheetTile(number: 1, name: "Bay", content: .print(print))])
    }
    let long10 = long(10_000, 1000)
    #expect(long10.contains("class=\"r4000\""))
    #expect(!long10.contains("linear-gradient"))
    #expect(long(4000, 1000).contains("linear-gradient"))
  }

  @Test func `a picture that is turned is shown as its thumbnail is`() {
    let upright = Thumbnail(width: 160, height: 240, grid: ColourGrid([]))
    let html = Self.html(Self.head(), [Self.tile(1, thumbnail: upright)])
    #expect(html.contains("class=\"r667\""))
    #expect(html.contains("<i>2000×3000</i>"))
  }

  @Test func `a page of sixty photos has at most 25 kB`() {
    let tiles = (1...60).map { number in
      Self.tile(
        UInt32(number), "Elephants_5640x3172 \(number)", "Elephants_5640x3172 \(number).jpg",
        thumbnail: Thumbnail(
          width: 427, height: 240, grid: ColourGrid((0..<36).map { UInt8($0 * number % 256) })))
    }
    let html = Self.html(Self.head { ($0.total, $0.filtered) = (60, 60) }, tiles)
    #expect(html.utf8.count <= 25_000)
  }

  @Test func `a digest is written in base64`() {
    #expect(Base64.text([]) == "")
    #expect(Base64.text([0x66]) == "Zg==")
    #expect(Base64.text([0x66, 0x6F]) == "Zm8=")
    #expect(Base64.text([0xFF, 0xEF, 0xBE, 0x00]) == "/+++AA==")
  }

  @Test func `the policy allows pictures and the two style sheets`() {
    let html = Self.html(Self.head(), [Self.tile(1)])
    let common = Base64.text([UInt8(truncatingIfNeeded: SheetStyle.common.utf8.count)])
    #expect(
      html.contains(
        "content=\"default-src 'none'; img-src 'self'; style-src 'sha256-\(common)' 'sha256-"))
    #expect(!html.contains("style="))
    #expect(!html.contains("<script"))
  }
}
