// SPDX-License-Identifier: Apache-2.0
// One page of a list's contact sheet: HTML and CSS in one file, without a script. Its content security policy allows
// pictures from beside the page and its two style sheets, by their digests, and nothing else. Any name of a photo is
// text. A value; raises nothing.

package import Vocabulary

package struct SheetPage: Sendable {
  /// The most photos of a page.
  package static let most: UInt32 = 500
  /// The most links to pages with failed photos.
  private static let mostFailing = 20

  /// The SHA-256 of some bytes.
  package typealias Digest = (_ bytes: [UInt8]) -> [UInt8]

  private let head: SheetHead
  /// From 1.
  private let number: UInt32
  private let tiles: [SheetTile]
  /// The pages that have failed photos; told on the first page.
  private let failing: [UInt32]

  package init(_ head: SheetHead, number: UInt32, tiles: [SheetTile], failing: [UInt32] = []) {
    self.head = head
    self.number = number
    self.tiles = tiles
    self.failing = failing
  }

  package static func count(of total: UInt32) -> UInt32 { max(1, (total + most - 1) / most) }

  /// The photos of a page.
  package static func numbers(on page: UInt32, of total: UInt32) -> ClosedRange<UInt32> {
    let first = (page - 1) * most + 1
    return first...max(first, min(total, page * most))
  }

  /// Prints end in `.jpg` or `.png`, so that none has this name.
  package static func file(_ page: UInt32) -> FileName {
    FileName(made: page == 1 ? "index.html" : "\(page).html")
  }

  /// Nothing on the page changes any more.
  private var isDone: Bool {
    head.state.isFinal || number > 1 && !tiles.contains { $0.content == .missing }
  }

  package func html(_ digest: Digest) -> [UInt8] {
    let style = SheetStyle.page(tiles)
    var out = HTMLWriter()
    out.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    policy([SheetStyle.common, style].map { Base64.text(digest(Array($0.utf8))) }, &out)
    out.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    out.markup("<meta name=\"color-scheme\" content=\"light dark\">\n")
    out.markup("<title>")
    out.text(head.heading)
    out.markup("</title>\n<style>")
    out.style(SheetStyle.common)
    out.markup("</style>\n<style>")
    out.style(style)
    out.markup("</style>\n</head>\n<body>\n")
    header(&out)
    out.markup("<main id=\"failed\">\n<div id=\"failed-again\">\n")
    filters(&out)
    failures(&out)
    out.markup("<ol role=\"list\" start=\"")
    out.number(tiles.first?.number ?? 1)
    out.markup("\">\n")
    for tile in tiles { tile.write(&out) }
    out.markup("</ol>\n</div>\n</main>\n")
    footer(&out)
    out.markup("</body>\n</html>\n")
    return out.bytes
  }

  private func policy(_ digests: [String], _ out: inout HTMLWriter) {
    out.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ")
    out.markup("img-src 'self'; style-src")
    for digest in digests {
      out.markup(" 'sha256-")
      out.style(digest)
      out.markup("'")
    }
    out.markup("; base-uri 'none'; form-action 'none'\">\n")
  }

  private func header(_ out: inout HTMLWriter) {
    out.markup("<header>\n<div><h1>")
    out.name(head.heading)
    out.markup("</h1>\n<p>")
    out.name(head.terms)
    out.markup(" · <time datetime=\"")
    out.text(head.iso)
    out.markup("\">")
    out.text(head.day)
    out.markup("</time></p></div>\n")
    if number == 1 { standing(&out) } else { place(&out) }
    out.markup("</header>\n")
  }

  private func standing(_ out: inout HTMLWriter) {
    out.markup("<p class=\"count\"><b>")
    let isWhole = head.filtered == head.total
    out.text(SheetHead.grouped(head.filtered))
    out.text(isWhole ? (head.total == 1 ? " print" : " prints") : " of ")
    if !isWhole { out.text(SheetHead.grouped(head.total)) }
    out.markup("</b> ")
    out.text(head.standing)
    out.markup("</p>\n")
    guard !head.state.isFinal else { return }
    out.markup("<progress aria-label=\"Prints\" max=\"")
    out.number(head.total)
    out.markup("\" value=\"")
    out.number(head.filtered + head.failed)
    out.markup("\"></progress>\n")
  }

  /// The counts of the list change with each photo; only the first page has them.
  private func place(_ out: inout HTMLWriter) {
    out.markup("<p class=\"count\"><b>")
    out.text(Self.range(number, head.total))
    out.markup("</b> of ")
    out.text(SheetHead.grouped(head.total))
    out.markup("</p>\n")
  }

  private static func range(_ page: UInt32, _ total: UInt32) -> String {
    let numbers = numbers(on: page, of: total)
    return "\(SheetHead.grouped(numbers.lowerBound))–\(SheetHead.grouped(numbers.upperBound))"
  }

  private func filters(_ out: inout HTMLWriter) {
    let failed = tiles.count(where: \.isFailed)
    let pages = Self.count(of: head.total)
    guard failed > 0 || pages > 1 || !isDone else { return }
    out.markup("<nav aria-label=\"Show\">")
    if failed > 0 {
      out.markup("<a class=\"all\" href=\"")
      if isDone { out.markup("#") } else { out.link(Self.file(number)) }
      out.markup("\">All ")
      out.number(tiles.count)
      out.markup("</a><a class=\"bad\" href=\"#failed\">Failed ")
      out.number(failed)
      out.markup("</a>")
    }
    if !isDone { loads(&out) }
    links(pages, &out)
    out.markup("</nav>\n")
  }

  /// The style shows one link: from each view, the one that stays in it. A link to the address of the page itself
  /// loads nothing if it has a fragment, so the two views of the failed photos have different queries.
  private func loads(_ out: inout HTMLWriter) {
    out.markup("<a class=\"load\" href=\"")
    out.link(Self.file(number))
    out.markup(
      "\">Load again</a><a class=\"load first\" href=\"?again#failed-again\">Load again</a>")
    out.markup("<a class=\"load second\" href=\"?#failed\">Load again</a>")
  }

  private func failures(_ out: inout HTMLWriter) {
    guard number == 1, Self.count(of: head.total) > 1, !failing.isEmpty else { return }
    out.markup("<nav aria-label=\"Pages with failed photos\">Pages with failed photos ")
    for page in failing.prefix(Self.mostFailing) {
      out.markup("<a href=\"")
      if page != number { out.link(Self.file(page)) }
      out.markup("#failed\">")
      out.number(page)
      out.markup("</a>")
    }
    if failing.count > Self.mostFailing {
      out.markup(" and ")
      out.number(failing.count - Self.mostFailing)
      out.markup(" more")
    }
    out.markup("</nav>\n")
  }

  /// The first and the last page, and those around this one.
  private func links(_ pages: UInt32, _ out: inout HTMLWriter) {
    guard pages > 1 else { return }
    out.markup("<span>Pages ")
    var before: UInt32 = 0
    for page in 1...pages
    where page == 1 || page == pages || page + 2 >= number && page <= number + 2 {
      if page > before + 1 { out.markup(" … ") }
      before = page
      out.markup("<a href=\"")
      out.link(Self.file(page))
      out.markup(page == number ? "\" aria-current=\"page\">" : "\">")
      out.number(page)
      out.markup("</a>")
    }
    out.markup("</span>")
  }

  private func footer(_ out: inout HTMLWriter) {
    out.markup("<footer>")
    let pages = Self.count(of: head.total)
    if pages > 1 {
      out.markup("<nav aria-label=\"Pages\">")
      links(pages, &out)
      out.markup("</nav>")
    }
    out.markup("<p>Contact sheet by darkroom. Each picture leads to its print.</p></footer>\n")
  }
}

extension HTMLWriter {
  /// CSS and digests that this module has made.
  fileprivate mutating func style(_ text: String) { append(text.utf8) }
}

extension SheetTile {
  fileprivate func write(_ out: inout HTMLWriter) {
    out.markup("<li id=\"n")
    out.number(number)
    out.markup("\" class=\"r")
    out.number(ratio)
    switch content {
    case .print(let print):
      out.markup("\">")
      write(print, &out)
    case .failed(let reason):
      out.markup(" x\"><div><strong>Failed</strong> ")
      out.name(reason.isEmpty ? "the reason is not known" : reason)
      out.markup("</div>")
    case .missing: out.markup(" w\"><div></div>")
    }
    out.markup("<p><b>")
    out.number(number)
    out.markup("</b> ")
    out.name(name)
    if case .print(let print) = content {
      out.markup(" <i>")
      out.number(print.shown.width)
      out.markup("×")
      out.number(print.shown.height)
      out.markup("</i>")
    }
    out.markup("</p></li>\n")
  }

  private func write(_ print: Print, _ out: inout HTMLWriter) {
    out.markup("<a href=\"")
    out.link(print.file)
    out.markup("\"><img src=\"")
    if print.thumbnail != nil {
      out.link(Thumbnail.folder)
      out.markup("/")
      out.link(Thumbnail.file(number))
    } else {
      out.link(print.file)
    }
    out.markup("\" alt=\"")
    out.text(name)
    out.markup("\" width=\"")
    out.number(print.thumbnail.map { UInt32($0.width) } ?? print.width)
    out.markup("\" height=\"")
    out.number(print.thumbnail.map { UInt32($0.height) } ?? print.height)
    out.markup("\" loading=\"lazy\"></a>")
  }
}
