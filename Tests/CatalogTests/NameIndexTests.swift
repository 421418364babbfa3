// SPDX-License-Identifier: Apache-2.0
// The index of the names in a list: a name is found among very many, and never confused with
// another.

import Testing

@testable import Catalog

@Suite("Names of a list")
struct NameIndexTests {
  @Test("every one of 300,000 names is found again, and no other")
  func many() {
    var index = NameIndex()
    let count: UInt32 = 300_000
    for number in 1...count {
      #expect(index.insert("photo \(number)", number: number) { $0 == number } == nil)
    }
    for number in stride(from: 1, through: count, by: 1000) {
      #expect(index.insert("photo \(number)", number: .max) { $0 == number } == number)
    }
  }

  @Test("different names with equal hashes are two names")
  func collision() {
    var index = NameIndex()
    #expect(index.insert("a", number: 1) { _ in true } == nil)
    #expect(index.insert("a", number: 2) { _ in false } == nil)
    #expect(index.insert("a", number: 3) { $0 == 2 } == 2)
  }

  @Test(
    "two Unicode spellings of a name are one",
    arguments: [
      ("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"),
      ("\u{AC00}", "\u{1100}\u{1161}"),
    ])
  func spellings(first: String, second: String) {
    var index = NameIndex()
    #expect(index.insert(first, number: 1) { _ in true } == nil)
    #expect(index.insert(second, number: 2) { _ in first == second } == 1)
  }
}
