// SPDX-License-Identifier: Apache-2.0
// When a node asks for seats at servers.

import Chain
import Cluster
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct SeatBookTests {
  private func claims(_ names: String...) -> [SeatClaim] {
    var seats = HostSeats()
    return seats.claims(
      names.map { HostSeats.Use($0, inFlight: 0, waiting: 1) }, now: .zero)
  }

  @Test func `it asks at once, then at most once a second`() {
    var book = SeatBook()
    #expect(book.due == nil)
    let isNews = [book.want(), book.want()]
    #expect(isNews == [true, false] && book.due == .zero)
    _ = book.request(claims("x"), HostLimits(), at: .seconds(5))
    #expect(book.due == nil)
    _ = book.want()
    #expect(book.due == .seconds(6))
  }

  @Test func `an idle node asks for nothing, after it has given up what it may have`() throws {
    var book = SeatBook()
    let first = book.request([], HostLimits(), at: .zero)
    #expect(first?.claims.isEmpty == true, "an earlier run may have left seats")
    let again = book.request([], HostLimits(), at: .zero)
    #expect(again?.number == 2, "the answer was lost")
    let left = book.answered(try #require(again), [])
    let none = book.request([], HostLimits(), at: .zero)
    #expect(left == [] && none == nil)
    let next = book.request(claims("x"), HostLimits(), at: .zero)
    let granted = book.answered(try #require(next), [SeatGrant("x", seats: 4)])
    let last = book.request([], HostLimits(), at: .zero)
    #expect(granted == [SeatGrant("x", seats: 4)])
    #expect(last?.claims.isEmpty == true, "it has to give up x")
  }

  @Test func `a refused request leaves the seats as they are`() throws {
    var book = SeatBook()
    let request = book.request(claims("x"), HostLimits(), at: .zero)
    let late = book.answered(try #require(request), [])
    let missing = book.answered(try #require(request), nil)
    #expect(late == nil && missing == nil)
  }
}
