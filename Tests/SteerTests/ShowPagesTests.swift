// SPDX-License-Identifier: Apache-2.0
// The pages of a list that changes while it is shown: the tool and the page in a browser get each photo once.

import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomctl

@Suite struct ShowPagesTests {
  private static let total: UInt32 = 50_000

  /// The numbers of the photos that the tool shows, and how many answers it reads for nothing.
  private func shown(
    _ state: SeenState?, from list: inout ChangingList
  ) -> (numbers: [UInt32], vain: Int) {
    let first = ShowOrder(
      list: ListReference("summer"), limit: ShowOrder.highestLimit, state: state)
    var (pages, sent) = (ShowPages(first), [first])
    var (numbers, vain, used): ([UInt32], Int, Int) = ([], 0, 0)
    while !pages.isOver {
      #expect(pages.asked == sent && sent.count <= 2)
      let report = list.report(on: sent.removeFirst())
      let (page, next) = pages.take(report)
      if page == nil { vain += 1 } else { used += 1 }
      numbers += page?.photos.map(\.number) ?? []
      for order in next { #expect(order.list == ListReference("17"), "the name has a new list") }
      sent += next
    }
    #expect(vain <= used)
    return (numbers, vain)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a list whose texts become longer and shorter meanwhile is shown whole, each photo once`(
    seed: UInt64
  ) {
    var list = ChangingList(seed, total: Self.total)
    #expect(shown(nil, from: &list).numbers == Array(1...Self.total))
  }

  @Test func `of short texts no answer is asked for in vain`() {
    var list = ChangingList(0, total: Self.total)
    let (numbers, vain) = shown(nil, from: &list)
    #expect(numbers == Array(1...Self.total) && vain == 0)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `photos that fail and are tried again meanwhile are shown once, and no other is left out`(
    seed: UInt64
  ) {
    var list = ChangingList(seed, total: Self.total)
    let (numbers, vain) = shown(.failed, from: &list)
    #expect(vain == 0)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "a photo twice")
    let stable = (1...Self.total).filter { $0 % 3 == 0 }
    #expect(Set(numbers).isSuperset(of: stable), "a failed photo is left out")
    #expect(numbers.allSatisfy { $0 % 3 != 1 }, "a photo that never failed")
  }

  /// As `darkroom-web` does.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `each window of a page in a browser is filled, and none reaches into the next one`(
    seed: UInt64
  ) {
    var (list, numbers) = (ChangingList(seed, total: Self.total), [UInt32]())
    for offset in stride(from: 0, to: Self.total, by: 700) {
      var rest: ShowOrder? = ShowOrder(list: ListReference("17"), offset: offset, limit: 700)
      while let order = rest {
        let report = list.report(on: order)
        numbers += report.photos.map(\.number)
        rest = report.rest(of: order)
      }
      #expect(numbers.count == min(Self.total, offset + 700))
    }
    #expect(numbers == Array(1...Self.total))
  }
}

/// A list in a daemon. After each page other texts are long, so that pages end elsewhere, and photos change their state:
/// of three photos in a row, the first never fails, the second does at times, and the third has failed.
private struct ChangingList {
  let total: UInt32
  private let seed: UInt64
  private var random: SimulatedRandom

  /// - Parameter seed: of the changes; 0 for a list of short texts.
  init(_ seed: UInt64, total: UInt32) {
    (self.seed, self.total, random) = (seed, total, SimulatedRandom(seed: seed))
  }

  mutating func report(on order: ShowOrder) -> ShowReport {
    var list = Samples.list
    list.total = total
    let most = seed == 0 ? order.limit : min(order.limit, 100 + UInt32(random.number(below: 1200)))
    let span = order.state == nil ? order.limit : 100_000
    let end = min(total, order.offset + span)
    let doubt: SeenState = random.oneIn(2) ? .failed : .new
    var (photos, number): ([PhotoSummary], UInt32) = ([], order.offset)
    while number < end, photos.count < order.limit {
      let state = [.failed, .new, doubt][Int(number + 1) % 3]
      if order.state == nil || order.state == state {
        if photos.count == most { break }
        photos.append(PhotoSummary(number: number + 1, name: "a", url: "", state: state))
      }
      number += 1
    }
    return ShowReport(list: list, photos: photos, more: number < total ? number : nil)
  }
}
