// SPDX-License-Identifier: Apache-2.0
// The memory of files that left the inbox.

import Steer
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct InboxDeparturesTests {
  private let departures = InboxDepartures()
  private let barn = ListReference("barn")
  private var numbers: [UInt64] { departures.all.map(\.list.number) }

  private func note(
    _ list: UInt64, _ file: String, _ rejection: String? = nil, of owner: UInt32 = 1000
  ) {
    departures.note(ListID(list), file, of: owner, rejected: rejection)
  }

  private func reason(
    _ reference: ListReference, after list: UInt64 = 0, for user: UInt32 = 1000
  ) -> String? {
    departures.newest(of: reference, after: list)?.rejection?.words(for: user)
  }

  @Test func `the last hundred files of a user are remembered, and every rejection is counted`() {
    for number in 1...150 as ClosedRange<UInt64> {
      note(number, "\(number).plist", number > 60 ? "it is empty" : nil)
    }
    #expect(numbers == Array(51...150))
    #expect(departures.all.last?.file == "150.plist")
    #expect(departures.rejected == 90)
  }

  @Test func `many files of one user take no place from a rejection of another`() {
    note(1, "barn.plist", "line 3: no URL", of: 1001)
    for number in 2...200 as ClosedRange<UInt64> { note(number, "\(number).plist", "it is empty") }
    #expect(numbers == [1] + Array(101...200))
    #expect(reason(barn, for: 1001) == "line 3: no URL")
  }

  @Test func `a user's accepted files are forgotten before the rejected ones`() {
    note(1, "barn.plist", "line 3: no URL")
    for number in 2...150 as ClosedRange<UInt64> { note(number, "\(number).plist") }
    #expect(numbers == [1] + Array(52...150))
    // Without an accepted file the oldest goes, and the newest stays.
    for number in 151...250 as ClosedRange<UInt64> {
      note(number, "\(number).plist", "it is empty")
    }
    #expect(numbers == Array(151...250))
    note(251, "251.plist")
    #expect(numbers == Array(152...251))
  }

  @Test func `of very many users the one with the most files forgets first`() {
    for user in 1...19 as ClosedRange<UInt32> {
      for number in 1...100 as ClosedRange<UInt64> { note(number, "\(number).plist", of: user) }
    }
    for number in 1...80 as ClosedRange<UInt64> { note(number, "\(number).plist", of: 20) }
    for user in 21...60 as ClosedRange<UInt32> { note(1, "barn.plist", "it is empty", of: user) }
    var counts: [UInt32: Int] = [:]
    for file in departures.all { counts[file.owner, default: 0] += 1 }
    #expect(departures.all.count == 2000 && counts[20] == 80)
    #expect((21...60 as ClosedRange<UInt32>).allSatisfy { counts[$0] == 1 })
    #expect((1...19 as ClosedRange<UInt32>).allSatisfy { [98, 99].contains(counts[$0]) })
  }

  @Test func `a newer file of the name takes the place of the rejection`() {
    note(4, "barn.plist", "it is empty")
    note(5, "barn.plist", "line 3: no URL", of: 1001)
    note(6, "barn.txt", "line 1: no URL")
    #expect(numbers == [5, 6])
    // A second copy of list 3, which is at work.
    note(3, "barn.txt")
    #expect(numbers == [5, 3])
  }

  @Test func `a user is shown the own files, and the last ones of others`() {
    for number in 1...30 as ClosedRange<UInt64> {
      note(number, "\(number).plist", "it is empty", of: 1001)
    }
    for number in 31...150 as ClosedRange<UInt64> { note(number, "\(number).plist") }
    func shown(_ user: UInt32) -> [UInt64] { departures.shown(to: user).map(\.list.number) }
    #expect(shown(1000) == Array(51...150))
    #expect(shown(1001) == Array(1...30) + Array(81...150))
    #expect(shown(1002) == Array(51...150))
  }

  @Test func `the newest file of a name tells why it was rejected`() {
    note(4, "barn.plist", "it is empty")
    note(5, "barn.PLIST", "line 3: no URL")
    note(6, "other.plist", "it is a picture")
    #expect(reason(barn) == "line 3: no URL")
    #expect(departures.newest(of: ListReference("nothing"), after: 0) == nil)
  }

  @Test func `a list that is newer than the rejection hides it`() {
    note(4, "barn.plist", "it is empty")
    #expect(reason(barn, after: 4) == nil)
    #expect(reason(barn, after: 3, for: 0) == "it is empty")
    note(5, "barn.plist", of: 1001)
    #expect(reason(barn) == nil)
  }
}
