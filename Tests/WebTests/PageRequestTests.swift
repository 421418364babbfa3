// SPDX-License-Identifier: Apache-2.0
// Targets: each page has one address, and no other text is one.

import Show
import Testing

@Suite struct PageRequestTests {
  private static let token = String(repeating: "0f", count: 16)
  private static let view = "/v/\(token)"

  static let pages: [(String, PageRequest)] = [
    ("/open/\(token)", .redeem(token: token)), ("/script.js", .script), ("/style.css", .style),
    ("/icon.svg", .icon),
    ("\(view)/lists/17/", .page(17)), ("\(view)/lists/17/states", .states(17, offset: 0)),
    ("\(view)/lists/17/states?offset=1000000", .states(17, offset: 1_000_000)),
    ("\(view)/lists/17/photos?offset=100&count=50", .photos(17, offset: 100, count: 50)),
    ("\(view)/lists/17/photos?count=200", .photos(17, offset: 0, count: 200)),
    ("\(view)/lists/17/find?after=3&text=Gr%C3%BCn%20%2F..", .find(17, text: "Grün /..", after: 3)),
    ("\(view)/lists/17/colours?groups=2048", .colours(17, groups: 2048)),
    ("\(view)/lists/17/events", .events(17, since: 0)),
    ("\(view)/lists/17/events?since=18446744073709551615", .events(17, since: .max)),
    ("\(view)/lists/17/thumbs/1.jpg", .thumbnail(17, 1)),
    ("\(view)/lists/17/thumbs/4294967295.jpg", .thumbnail(17, .max)),
    ("\(view)/lists/17/prints/8", .print(17, 8)), ("\(view)/lists/17/focus", .focus(17)),
  ]

  @Test(arguments: pages)
  func `each page has its address`(target: String, page: PageRequest) {
    #expect(PageRequest.read(target)?.page == page)
    #expect(PageRequest.read(target)?.view == (page.list == nil ? "" : Self.token))
    if !target.contains("text=") { #expect(PageRequest.read(target + "/") == nil) }
    #expect(PageRequest.read(target + (target.contains("?") ? "&" : "?") + "x=1") == nil)
  }

  @Test(arguments: [
    "", "/", "*", "v/\(token)/lists/17/", "/\(view)/lists/17/", "/lists/17/", "/v/lists/17/",
    "/v/\(token)/17/", "/v/\(token)0/lists/17/", "\(view)/lists", "\(view)", "\(view)/",
    "\(view)/lists/", "\(view)/lists//", "\(view)/lists/17",
    "\(view)/lists/0/", "\(view)/lists/017/", "\(view)/lists/+17/", "\(view)/lists/-1/",
    "\(view)/lists/1e3/",
    "\(view)/lists/18446744073709551616/", "\(view)/lists/../lists/17/", "\(view)/lists/17/../17/",
    "\(view)/lists/17/./",
    "\(view)/lists/17/thumbs/../1.jpg", "\(view)/lists/17/thumbs/..%2F1.jpg",
    "\(view)/lists/17/thumbs/%31.jpg",
    "\(view)/lists/17/thumbs/1.png", "\(view)/lists/17/thumbs/.jpg",
    "\(view)/lists/17/thumbs/0.jpg",
    "\(view)/lists/17/thumbs/01.jpg", "\(view)/lists/17/thumbs/4294967296.jpg",
    "\(view)/lists/17/thumbs/1.jpg/",
    "\(view)/lists/17/prints/Barn.jpg", "\(view)/lists/17/prints/..", "\(view)/lists/17/prints/",
    "\(view)/lists/17/prints",
    "\(view)/lists/17/prints/1/2", "/etc/passwd", "/style.css?", "/style.css/", "/%73tyle.css",
    "/style.css#x", "http://127.0.0.1/style.css", "\(view)/lists/17/\u{0}",
    "\(view)/lists/17/ states",
    "\(view)/lists/17/states?offset=-1", "\(view)/lists/17/states?offset=4294967296",
    "\(view)/lists/17/states?offset=1&offset=2", "\(view)/lists/17/states?offset",
    "\(view)/lists/17/states?",
    "\(view)/lists/17/states?offset=1=2", "\(view)/lists/17/states?&offset=1",
    "\(view)/lists/17/states?Offset=1",
    "\(view)/lists/17/photos", "\(view)/lists/17/photos?count=0",
    "\(view)/lists/17/photos?count=201",
    "\(view)/lists/17/colours", "\(view)/lists/17/colours?groups=0",
    "\(view)/lists/17/colours?groups=2049",
    "\(view)/lists/17/find", "\(view)/lists/17/find?text=", "\(view)/lists/17/find?text=%",
    "\(view)/lists/17/find?text=%zz",
    "\(view)/lists/17/find?text=%FF", "/open/", "/open/0f", "/open/\(token)0", "/open/\(token)?x=1",
    "/open/" + String(repeating: "0F", count: 16), "\(view)/lists/17/é",
  ])
  func `no other text is an address`(target: String) {
    #expect(PageRequest.read(target) == nil)
  }

  @Test func `a target has a limit`() {
    let find = "\(Self.view)/lists/17/find?text="
    let most = find + String(repeating: "a", count: 255)
    #expect(
      PageRequest.read(most)?.page == .find(17, text: String(repeating: "a", count: 255), after: 0))
    #expect(PageRequest.read(most + "a") == nil)
    let long = find + String(repeating: "%61", count: 340)
    #expect(PageRequest.read(long) == nil)
  }
}
