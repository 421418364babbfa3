// SPDX-License-Identifier: Apache-2.0
// The memory of files that left the inbox.

import Steer
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct InboxDeparturesTests {
  private let departures = InboxDepartures()
  private let barn = ListReference("barn")

  private func note(_ list: UInt64, _ file: String, _ rejection: String? = nil) {
    departures.note(ListID(list), file, rejection.map { OwnersReason($0, of: 1000) })
  }

  @Test func `the last hundred files are remembered, and every rejection is counted`() {
    for number in 1...150 as ClosedRange<UInt64> {
      note(number, "\(number).plist", number % 2 == 0 ? "it is empty" : nil)
    }
    #expect(departures.all.map(\.list.number) == Array(51...150))
    #expect(departures.all.last?.file == "150.plist")
    #expect(departures.rejected == 75)
  }

  @Test func `the newest file of a name tells why it was rejected`() {
    note(4, "barn.plist", "it is empty")
    note(5, "barn.PLIST", "line 3: no URL")
    note(6, "other.plist", "it is a picture")
    #expect(departures.rejection(of: barn, after: 0)?.words(for: 1000) == "line 3: no URL")
    #expect(departures.rejection(of: ListReference("nothing"), after: 0) == nil)
  }

  @Test func `a list that is newer than the rejection hides it`() {
    note(4, "barn.plist", "it is empty")
    #expect(departures.rejection(of: barn, after: 4) == nil)
    #expect(departures.rejection(of: barn, after: 3)?.words(for: 0) == "it is empty")
    note(5, "barn.plist")
    #expect(departures.rejection(of: barn, after: 0) == nil)
  }
}
