// SPDX-License-Identifier: Apache-2.0
// The time for which lists are kept.

import Return
import Testing

@Suite struct RetentionTests {
  @Test(
    arguments: [
      ([], nil), ([0], 60_000), ([50], 50), ([5000], 5000), ([7000, 5000], 5000),
      ([.max], 86_400_000),
    ] as [([UInt64], Int64?)])
  func `the next look is when the oldest list is due, or in a minute if it is overdue`(
    ends: [UInt64], pause: Int64?
  ) {
    let retention = Retention(.milliseconds(100))
    let now: UInt64 = 100
    #expect(retention.pause(until: ends, now: now) == pause.map { .milliseconds($0) })
    #expect(Retention(.seconds(1)).isOver(since: 5, now: 1005))
    #expect(!Retention(.seconds(1)).isOver(since: 5, now: 1004))
    #expect(!Retention(.seconds(1)).isOver(since: .max, now: .max))
    #expect(Retention(.seconds(1)).pause(until: [1 << 60], now: 0) == .seconds(86400))
  }
}
