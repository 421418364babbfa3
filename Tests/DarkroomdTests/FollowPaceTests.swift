// SPDX-License-Identifier: Apache-2.0
// A change is told at once, unless another one was just told.

import Testing

@testable import darkroomd

@Suite struct FollowPaceTests {
  @Test func `a change after a quiet time is told at once`() {
    var pace = FollowPace()
    #expect(pace.rest(at: .seconds(5)) == .zero)
    #expect(pace.rest(at: .seconds(5) + FollowPace.interval) == .zero)
    #expect(pace.rest(at: .seconds(60)) == .zero)
  }

  @Test func `changes without a pause are told ten times a second`() {
    var pace = FollowPace()
    var now = Duration.zero
    for number in 0..<50 {
      now += pace.rest(at: now)
      #expect(now == FollowPace.interval * number)
      now += .milliseconds(3)
    }
  }
}
