// SPDX-License-Identifier: Apache-2.0
// Targets: each page has one address, and no other text is one.

import Show
import Testing

@Suite struct PageRequestTests {
  private static let token = String(repeating: "0f", count: 16)

  static let pages: [(String, PageRequest)] = [
    ("/open/\(token)", .redeem(token: token)), ("/script.js", .script), ("/style.css", .style),
    ("/icon.svg", .icon),
    ("/lists/17/", .page(17)), ("/lists/17/states", .states(17, offset: 0)),
    ("/lists/17/states?offset=1000000", .states(17, offset: 1_000_000)),
    ("/lists/17/photos?offset=100&count=50", .photos(17, offset: 100, count: 50)),
    ("/lists/17/photos?count=200", .photos(17, offset: 0, count: 200)),
    ("/lists/17/find?after=3&text=Gr%C3%BCn%20%2F..", .find(17, text: "Grün /..", after: 3)),
    ("/lists/17/colours?groups=2048", .colours(17, groups: 2048)),
    ("/lists/17/events", .events(17, since: 0)),
    ("/lists/17/events?since=18446744073709551615", .events(17, since: .max)),
    ("/lists/17/thumbs/1.jpg", .thumbnail(17, 1)),
    ("/lists/17/thumbs/4294967295.jpg", .thumbnail(17, .max)),
    ("/lists/17/prints/8", .print(17, 8)), ("/lists/17/focus", .focus(17)),
  ]

  @Test(arguments: pages)
  func `each page has its address`(target: String, page: PageRequest) {
    #expect(PageRequest(target: target) == page)
    if !target.contains("text=") { #expect(PageRequest(target: target + "/") == nil) }
    #expect(PageRequest(target: target + (target.contains("?") ? "&" : "?") + "x=1") == nil)
  }

  @Test(arguments: [
    "", "/", "*", "lists/17/", "//lists/17/", "/lists", "/lists/", "/lists//", "/lists/17",
    "/lists/0/", "/lists/017/", "/lists/+17/", "/lists/-1/", "/lists/1e3/",
    "/lists/18446744073709551616/", "/lists/../lists/17/", "/lists/17/../17/", "/lists/17/./",
    "/lists/17/thumbs/../1.jpg", "/lists/17/thumbs/..%2F1.jpg", "/lists/17/thumbs/%31.jpg",
    "/lists/17/thumbs/1.png", "/lists/17/thumbs/.jpg", "/lists/17/thumbs/0.jpg",
    "/lists/17/thumbs/01.jpg", "/lists/17/thumbs/4294967296.jpg", "/lists/17/thumbs/1.jpg/",
    "/lists/17/prints/Barn.jpg", "/lists/17/prints/..", "/lists/17/prints/", "/lists/17/prints",
    "/lists/17/prints/1/2", "/etc/passwd", "/style.css?", "/style.css/", "/%73tyle.css",
    "/style.css#x", "http://127.0.0.1/style.css", "/lists/17/\u{0}", "/lists/17/ states",
    "/lists/17/states?offset=-1", "/lists/17/states?offset=4294967296",
    "/lists/17/states?offset=1&offset=2", "/lists/17/states?offset", "/lists/17/states?",
    "/lists/17/states?offset=1=2", "/lists/17/states?&offset=1", "/lists/17/states?Offset=1",
    "/lists/17/photos", "/lists/17/photos?count=0", "/lists/17/photos?count=201",
    "/lists/17/colours", "/lists/17/colours?groups=0", "/lists/17/colours?groups=2049",
    "/lists/17/find", "/lists/17/find?text=", "/lists/17/find?text=%", "/lists/17/find?text=%zz",
    "/lists/17/find?text=%FF", "/open/", "/open/0f", "/open/\(token)0", "/open/\(token)?x=1",
    "/open/" + String(repeating: "0F", count: 16), "/lists/17/é",
  ])
  func `no other text is an address`(target: String) {
    #expect(PageRequest(target: target) == nil)
  }

  @Test func `a target has a limit`() {
    let find = "/lists/17/find?text="
    let most = find + String(repeating: "a", count: 255)
    #expect(
      PageRequest(target: most) == .find(17, text: String(repeating: "a", count: 255), after: 0))
    #expect(PageRequest(target: most + "a") == nil)
    let long = find + String(repeating: "%61", count: 340)
    #expect(PageRequest(target: long) == nil)
  }
}
