// SPDX-License-Identifier: Apache-2.0
// The views behind the secrets of a process: each for its time, and each user has a share of them.

import Show
import Testing
import Vocabulary

/// Its calls can stand in an expectation.
private final class HeldBook {
  private var book = ViewBook()

  func keep(_ view: String, as text: String, of user: UInt32, at second: Int64) -> Bool {
    book.keep(
      ViewBook.Viewer(view: view, user: user), as: text, seconds: 3600, now: .seconds(second))
  }

  func view(_ text: String, at second: Int64) -> String? {
    book.viewer(text, now: .seconds(second))?.view
  }
}

@Suite struct ViewBookTests {
  private let book = HeldBook()

  @Test func `a user has at most an eighth of the views`() {
    #expect(ViewBook.mostOfUser * 8 <= ViewBook.most)
  }

  @Test func `a view lasts for its time`() {
    #expect(book.keep("17.1", as: "a", of: 1, at: 5))
    #expect(book.view("a", at: 3604) == "17.1")
    #expect(book.view("a", at: 3605) == nil)
    #expect(book.view("b", at: 5) == nil)
  }

  @Test func `a user who opens many pages ends the oldest of their own alone`() {
    #expect(book.keep("theirs", as: "theirs", of: 2, at: 0))
    let numbers = 1...ViewBook.most + 1
    for number in numbers {
      #expect(book.keep("\(number)", as: "own \(number)", of: 1, at: Int64(number)))
    }
    let left = numbers.filter { book.view("own \($0)", at: 2000) != nil }
    #expect(left == Array(numbers.suffix(ViewBook.mostOfUser)), "the newest stay")
    #expect(book.view("theirs", at: 2000) == "theirs")
  }

  @Test func `a full book takes a view for one of the same user, or when one is over`() {
    let numbers = 1...ViewBook.most
    for number in numbers {
      #expect(book.keep("v", as: "\(number)", of: UInt32(number), at: 0))
    }
    #expect(!book.keep("v", as: "new", of: 9999, at: 1))
    #expect(book.keep("w", as: "again", of: 7, at: 1))
    #expect(book.view("7", at: 2) == nil && book.view("again", at: 2) == "w")
    #expect(numbers.allSatisfy { $0 == 7 || book.view("\($0)", at: 2) == "v" })
    #expect(book.keep("v", as: "new", of: 9999, at: 3600))
  }
}
