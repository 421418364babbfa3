// SPDX-License-Identifier: Apache-2.0
// Ranges of photo numbers, as text and as a set.

import Testing
import Vocabulary

@Suite struct NumberRangeTests {
  @Test(
    arguments: [
      ([3], "3"), ([9, 7, 8, 3, 7], "3,7-9"), ([1, 2], "1-2"),
      ([.max, .max - 1, 1], "1,4294967294-4294967295"),
    ] as [([UInt32], String)])
  func `numbers in any order are ranges, and the text is read back`(
    numbers: [UInt32], text: String
  ) throws {
    let ranges = try #require(NumberRanges(numbers))
    #expect(ranges.text == text && NumberRanges(text: text) == ranges)
    for number in numbers { #expect(ranges.contains(number)) }
    for number in [0, 5, 100] as [UInt32] where !numbers.contains(number) {
      #expect(!ranges.contains(number))
    }
  }

  @Test(arguments: [
    "", ",", "3,", "3-", "-3", "4-3", "3,3", "3-5,5", "9,3", "3-4-5", "x", "4294967296", "+3 ",
  ])
  func `other text is no ranges`(text: String) { #expect(NumberRanges(text: text) == nil) }

  @Test func `the number of ranges is limited, in numbers and in text`() {
    let most = UInt32(NumberRanges.most)
    let apart = (1...most).map { $0 * 2 }
    let more = apart + [2 * most + 2]
    #expect(NumberRanges(apart) != nil && NumberRanges(more) == nil && NumberRanges([]) == nil)
    #expect(NumberRanges(text: apart.map { "\($0)" }.joined(separator: ",")) == NumberRanges(apart))
    #expect(NumberRanges(text: more.map { "\($0)" }.joined(separator: ",")) == nil)
  }

  @Test func `a number is in the ranges exactly if it was given`() throws {
    for bits in 1..<1024 as Range<UInt32> {
      let numbers = (1...10 as ClosedRange<UInt32>).filter { bits & 1 << ($0 - 1) != 0 }
      let ranges = try #require(NumberRanges(numbers))
      #expect((0...11 as ClosedRange<UInt32>).filter(ranges.contains) == numbers)
      #expect(NumberRanges(text: ranges.text) == ranges)
    }
  }

  @Test func `a choice names the photos, or those that are left out, whichever fits`() throws {
    let most = UInt32(NumberRanges.most)
    let failed = (1...2 * most).map { $0 * 3 }
    func choice(_ chosen: [UInt32]) throws -> RetryChoice {
      let choice = try #require(RetryChoice(chosen, among: failed))
      #expect(RetryChoice(text: choice.text) == choice)
      for number in failed { #expect(choice.contains(number) == chosen.contains(number)) }
      return choice
    }
    #expect(try choice(Array(failed.prefix(2))).text == "3,6")
    #expect(try choice(failed) == .all && RetryChoice.all.text == "all")
    #expect(try choice(Array(failed.dropFirst())).text == "!3")
    let half = failed.filter { $0 % 2 == 0 } + [failed[0]]
    #expect(RetryChoice(half.sorted(), among: failed + [7 * most, 7 * most + 2]) == nil)
    #expect(RetryChoice([], among: failed) == nil)
    for text in ["", "!", "!!3", "none", "!all"] { #expect(RetryChoice(text: text) == nil) }
  }

  @Test func `places and numbers lead to one another, and nothing is behind the last`() throws {
    for bits in 1..<1024 as Range<UInt32> {
      let numbers = (1...10 as ClosedRange<UInt32>).filter { bits & 1 << ($0 - 1) != 0 }
      let ranges = try #require(NumberRanges(numbers))
      let places = 1...UInt32(numbers.count)
      #expect(places.map { ranges.number(at: $0) } == numbers)
      #expect(ranges.number(at: 0) == nil && ranges.number(at: places.upperBound + 1) == nil)
      for last in 0...11 as ClosedRange<UInt32> {
        #expect(ranges.count(upTo: last) == UInt32(numbers.count { $0 <= last }))
      }
    }
    let widest = try #require(NumberRanges(text: "0-\(UInt32.max)"))
    #expect(widest.count(upTo: .max) == .max && widest.number(at: .max) == .max - 1)
    #expect(try #require(NumberRanges(text: "\(UInt32.max)")).number(at: 2) == nil)
  }
}
