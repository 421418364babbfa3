// SPDX-License-Identifier: Apache-2.0
// What the recorder counts for a monitoring system.

import Testing
import Vocabulary

@testable import Record

@Suite struct RecorderCountsTests {
  @Test func `each kind of change is counted once, with its bytes`() {
    let (list, photo) = (ListID(1), PhotoID(list: ListID(1), number: 1))
    let acceptance = Acceptance(photos: 1, serviceClass: .default, sha256: "")
    let contents = Contents(size: 7, hash: 0)
    let changes: [Change] = [
      .accepted(list, acceptance), .rejected(list, code: "a"), .paused(list), .resumed(list),
      .downloaded(photo, contents), .downloaded(photo, contents), .filtered(photo, contents),
      .failed(photo, .filter, code: "a", attempt: 1), .lost(photo), .died(photo),
      .retry(photo, .download, code: "a", attempt: 1, after: 0, until: 0), .finished(list),
      .cancelled(list), .quality(list, .default),
    ]
    var counts = RecorderCounts()
    counts.add(changes.map { Transition(time: 0, $0) }, in: .milliseconds(3))
    counts.add([], in: .seconds(1))
    #expect(RecorderCounts.Kind.allCases.map { counts[$0] } == [1, 1, 1, 1, 2, 1, 1])
    #expect((counts.downloadedBytes, counts.printedBytes) == (14, 7))
    #expect(Stage.allCases.map { counts.failed(in: $0) } == [0, 1, 0])
    #expect(Stage.allCases.map { counts.retried(in: $0) } == [1, 0, 0])
    #expect((counts.records, counts.groups, counts.writes.count) == (14, 1, 1))
  }

  @Test func `a time is in the first bucket whose bound it does not exceed`() {
    var counts = DurationCounts()
    for time: Duration in [
      .seconds(-1), .zero, .milliseconds(1), .microseconds(1001), .seconds(99),
    ] { counts.add(time) }
    #expect(counts.buckets.first == 3 && counts.buckets[1] == 1 && counts.buckets.last == 1)
    #expect(counts.count == 5 && counts.sum == .microseconds(99_002_001))
  }
}
