// SPDX-License-Identifier: Apache-2.0
// Text from outside is compared as bytes, and its cost grows with its length.

import Support
import Testing
import Vocabulary

@Suite struct OutsideTextTests {
  @Test func `two spellings of a letter are two texts`() {
    let (one, other): (OutsideText, OutsideText) = ("caf\u{E9}", "cafe\u{301}")
    #expect(one != other && one.text == other.text)
    #expect(Set([one, other, one]).count == 2)
    #expect((other < one) && !(one < other))
  }

  @Test func `texts of the same bytes are one, and have one hash`() {
    for length in 0...40 {
      let text = String(repeating: "x", count: length)
      let copy = OutsideText(Array(text.utf8))
      #expect(copy == OutsideText(text) && copy.hashValue == OutsideText(text).hashValue)
      #expect(OutsideText(text + "y") != copy && OutsideText("y" + text.dropFirst()) != copy)
    }
  }

  @Test func `a text above its limit, or of other bytes than UTF-8, is none`() {
    let text = String(repeating: "é", count: 128)
    #expect(OutsideText(text) == nil && OutsideText(Array(text.utf8)) == nil)
    #expect(OutsideText(text, most: 256)?.text == text)
    #expect(OutsideText(String(text.dropLast())) != nil)
    #expect(OutsideText([0x61, 0xFF]) == nil && OutsideText([0xC3, 0xA9])?.text == "é")
  }

  @Test(arguments: [
    ("Barn in autumn", "AUTUMN", true), ("Barn", "barns", false), ("Barn", "", true),
    ("", "a", false), ("aab", "ab", true), ("Küche", "KÜCHE", true),
    ("aabaabaaab", "aabaaab", true), ("ababac", "ABAC", true), ("ababab", "abac", false),
    ("caf\u{E9}", "e", false),
  ])
  func `a part of a text is found in any case`(text: String, part: String, isThere: Bool) {
    let (text, part) = (OutsideText(checked: text), OutsideText(checked: part))
    #expect(text.lowered.contains(part.lowered) == isThere)
  }

  /// Swift's own comparison of these takes seconds.
  @Test(arguments: HostileText.all)
  func `comparing, hashing and searching a megabyte costs less than its copy in words`(
    filler: HostileText
  ) {
    let (one, other) = (
      OutsideText(checked: filler.text(1 << 18)), OutsideText(checked: filler.text(1 << 18) + "x")
    )
    let cost = ProcessorTime.cost {
      #expect(one != other && one < other && !Set([one]).contains(other))
      #expect(other.contains("x") && !one.contains("x"))
    }
    #expect(cost < .milliseconds(500), "\(filler): \(cost)")
  }
}

@Suite struct SuggestionCostTests {
  @Test(arguments: HostileText.all)
  func `the nearest of a thousand long names is found quickly`(filler: HostileText) {
    let names = (0..<1000).map { filler.text(200) + "\($0)" } + (0..<1000).map { "name \($0)" }
    let word = String(filler.text(32).utf8.prefix(32)) ?? "a"
    let cost = ProcessorTime.cost { _ = Suggestion.nearest(to: word, among: names) }
    #expect(cost < .milliseconds(200), "\(filler): \(cost)")
  }
}
