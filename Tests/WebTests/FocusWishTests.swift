// SPDX-License-Identifier: Apache-2.0
// The body of the one POST.

import Show
import Testing

@Suite struct FocusWishTests {
  @Test func `a page names the photos that it shows`() throws {
    let wish = try #require(FocusWish(Array("0af7 20-31,8-19,7".utf8)))
    #expect(wish.viewer == "0af7")
    #expect(wish.photos == [20...31, 8...19, 7...7])
    #expect(wish.words == ["20-31", "8-19", "7-7"])
    #expect(FocusWish(wish.body) == wish)
    let none = try #require(FocusWish(Array("0af7 ".utf8)))
    #expect(none.photos.isEmpty && none.words.isEmpty)
  }

  @Test(arguments: [
    "", " ", "a", " 1", "a  1", "a 1 2", "A 1", "ä 1", "a\n1", "a 0", "a 0-3", "a 3-2", "a 1-",
    "a -1", "a 1-2-3", "a 1,,2", "a ,1", "a 1,", "a +1", "a 01x", "a 4294967296", "a 1-1001",
    "a 1-500,1000-1500,2", "a 1-4294967295", "0123456789abcdef0123456789abcdef0 1",
    "a 00000000001",
  ])
  func `anything else is refused`(body: String) {
    #expect(FocusWish(Array(body.utf8)) == nil)
  }

  @Test func `a wish has a limit`() {
    let most = (1...FocusWish.mostRanges).map { "\($0 * 2)" }.joined(separator: ",")
    #expect(FocusWish(Array("a \(most)".utf8))?.photos.count == 200)
    #expect(FocusWish(Array("a \(most),999".utf8)) == nil)
    #expect(FocusWish(Array("a 1-1000".utf8)) != nil)
    #expect(FocusWish([0x61, 0x20, 0xFF]) == nil)
  }
}
